#pragma once

#include <string>
#include <string_view>

#include "deft/os/unique_fd.h"

namespace deft {

// Opens an absolute path in which no part may be a symbolic link (then errno is ELOOP, or ENOTDIR). Close-on-exec,
// never a controlling terminal. None on failure, and errno says why.
UniqueFd open_without_links(std::string_view path, int flags);
// 0: it exists, and no part of it is a link. ENOENT or ENOTDIR: up to where nothing more is there, no part is one. Else
// ELOOP, or another errno, also where the kernel cannot say so at once.
int look_without_links(const std::string& path);
// open_without_links() where the kernel has no openat2(), or a filter forbids it: folder by folder.
UniqueFd open_without_links_by_walking(std::string_view path, int flags);

}  // namespace deft
