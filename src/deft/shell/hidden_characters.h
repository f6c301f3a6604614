#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace deft::shell {

// What a person who reads the command would not see, or would see in another order: control characters, invisible and
// bidirectional ones, blanks that are no blanks, invalid UTF-8. Names the first one: "U+202E". Tabs and line ends are
// fine, and so is the variation selector that makes a symbol colourful.
std::optional<std::string> find_hidden_character(std::string_view text);

}  // namespace deft::shell
