#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace deft {

// Files that decide what runs later: version control, shells, editors, package managers, agents, deft itself. A change
// to them is asked for whatever rules allow. Says which name it is about; nothing if the path is not protected. `path`
// is absolute and normal.
std::optional<std::string> protected_name(std::string_view path);

// A path that no honest call has: control characters, invalid UTF-8, too long, a device, the kernel's own files.
std::optional<std::string> suspicious_path(std::string_view path, bool is_written);

}  // namespace deft
