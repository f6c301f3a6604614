#include "deft/os/open_without_links.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>

#include <cerrno>
#include <string>

#include "deft/base/path.h"

namespace deft {

namespace {

// openat2() is strict about flags that mean nothing together.
int with_safe_flags(int flags) { return flags | O_CLOEXEC | ((flags & O_PATH) != 0 ? 0 : O_NOCTTY); }

int open_at(int folder, const std::string& name, int flags) {
  int fd = -1;
  do {
    fd = ::openat(folder, name.c_str(), with_safe_flags(flags) | O_NOFOLLOW);
  } while (fd < 0 && errno == EINTR);
  return fd;
}

UniqueFd open_at_once(const std::string& path, int flags) {
  open_how how{};
  how.flags = static_cast<__u64>(with_safe_flags(flags));
  how.resolve = RESOLVE_NO_SYMLINKS;
  long fd = -1;
  do {
    fd = ::syscall(SYS_openat2, AT_FDCWD, path.c_str(), &how, sizeof how);
  } while (fd < 0 && errno == EINTR);
  return UniqueFd(static_cast<int>(fd));
}

}  // namespace

int look_without_links(const std::string& path) { return open_at_once(path, O_PATH) ? 0 : errno; }

UniqueFd open_without_links(std::string_view path, int flags) {
  if (UniqueFd fd = open_at_once(std::string(path), flags)) return fd;
  // EPERM may come from a seccomp filter that does not know the call. Walking finds out, or fails just the same.
  if (errno == ENOSYS || errno == EPERM) return open_without_links_by_walking(path, flags);
  return {};
}

UniqueFd open_without_links_by_walking(std::string_view path, int flags) {
  const std::string normal = normal_path(path);
  UniqueFd folder(open_at(AT_FDCWD, "/", O_PATH | O_DIRECTORY));
  std::size_t start = 1;
  for (std::size_t slash = normal.find('/', start); folder && slash != std::string::npos;
       slash = normal.find('/', start)) {
    // O_NOFOLLOW with O_PATH would open the link itself; O_DIRECTORY refuses it, as ENOTDIR.
    folder = UniqueFd(open_at(folder.get(), normal.substr(start, slash - start), O_PATH | O_DIRECTORY));
    start = slash + 1;
  }
  if (!folder) return {};
  const std::string last = normal.substr(start);
  return UniqueFd(open_at(folder.get(), last.empty() ? "." : last, flags));
}

}  // namespace deft
