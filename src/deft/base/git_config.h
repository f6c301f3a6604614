#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace deft {

// The last value that a git configuration file gives to a key of a section without subsection: ("core",
// "excludesFile"). Included files are not followed.
std::optional<std::string> git_config_value(std::string_view text, std::string_view section, std::string_view key);

}  // namespace deft
