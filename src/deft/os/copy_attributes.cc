#include "deft/os/copy_attributes.h"

#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <string>
#include <vector>

namespace deft {

namespace {

constexpr std::size_t kAttributeBytesMax = 65'536;  // the kernel's own limit, for the list of names and for one value

std::optional<std::vector<std::string>> attribute_names(int fd) {
  std::string list(kAttributeBytesMax, '\0');
  const ssize_t length = ::flistxattr(fd, list.data(), list.size());
  if (length < 0) return errno == ENOTSUP ? std::optional(std::vector<std::string>{}) : std::nullopt;
  std::vector<std::string> names;
  for (std::size_t start = 0; start < static_cast<std::size_t>(length);) {
    names.emplace_back(list.c_str() + start);
    start += names.back().size() + 1;
  }
  return names;
}

std::optional<std::string> attribute(int fd, const std::string& name) {
  std::string value(kAttributeBytesMax, '\0');
  const ssize_t length = ::fgetxattr(fd, name.c_str(), value.data(), value.size());
  if (length < 0) return std::nullopt;
  value.resize(static_cast<std::size_t>(length));
  return value;
}

bool copy_extended_attributes(int from, int to) {
  const auto wanted = attribute_names(from);
  const auto present = attribute_names(to);
  if (!wanted || !present) return false;
  for (const std::string& name : *wanted) {
    const auto value = attribute(from, name);
    if (!value) return false;
    // Labels that every new file gets may be beyond our power to set, but they are right already.
    if (attribute(to, name) == value) continue;
    if (::fsetxattr(to, name.c_str(), value->data(), value->size(), 0) != 0) return false;
  }
  // A folder's default access list gives a new file one that the old file may not have.
  return std::all_of(present->begin(), present->end(), [&](const std::string& name) {
    const bool is_wanted = std::find(wanted->begin(), wanted->end(), name) != wanted->end();
    return is_wanted || ::fremovexattr(to, name.c_str()) == 0;
  });
}

}  // namespace

bool copy_attributes(int from, int to) {
  struct stat old{};
  struct stat fresh{};
  if (::fstat(from, &old) != 0 || ::fstat(to, &fresh) != 0) return false;
  // The owner first: changing it clears the setuid bit.
  const bool same_owner = old.st_uid == fresh.st_uid && old.st_gid == fresh.st_gid;
  if (!same_owner && ::fchown(to, old.st_uid, old.st_gid) != 0) return false;
  if (!copy_extended_attributes(from, to)) return false;
  return ::fchmod(to, old.st_mode & 07777) == 0;
}

}  // namespace deft
