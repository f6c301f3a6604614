#pragma once

#include <string_view>

#include "deft/os/unique_fd.h"

namespace deft {

// Opens an absolute path in which no part may be a symbolic link (then errno is ELOOP, or ENOTDIR). Close-on-exec,
// never a controlling terminal. None on failure, and errno says why.
UniqueFd open_without_links(std::string_view path, int flags);
// The same where the kernel has no openat2(), or a filter forbids it: folder by folder.
UniqueFd open_without_links_by_walking(std::string_view path, int flags);

}  // namespace deft
