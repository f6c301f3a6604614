#include "deft/os/replace_file.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <utility>
#include <variant>
#include <vector>

#include "deft/base/path.h"
#include "deft/os/copy_attributes.h"
#include "deft/os/file_descriptor.h"
#include "deft/os/open_without_links.h"
#include "deft/os/temporary_file.h"
#include "deft/os/write_in_place.h"

// Everything happens relative to the folder, which is opened once without following links: whatever is renamed or put
// elsewhere meanwhile, the write stays in the folder that was checked.

namespace deft {

namespace {

constexpr unsigned kNewFileMode = 0666;     // less what the umask takes away
constexpr unsigned kPermissionBits = 0777;  // what a new file may be given; it becomes nobody else
constexpr unsigned kPrivateMode = 0600;     // until the attributes of the old file are copied

// The old file cannot be replaced by a new one; it may still be written in place.
struct CannotReplace {
  std::string why;
};
using Attempt = std::variant<Replaced, Error, CannotReplace>;

// Folders that were made for a file are removed again if the file could not be written.
struct FoldersMade {
  std::vector<std::string> paths;
  ~FoldersMade() {
    for (auto path = paths.rbegin(); path != paths.rend(); ++path) ::rmdir(path->c_str());
  }
};

Result<UniqueFd> open_folder(const std::string& folder, bool make, FoldersMade& made) {
  UniqueFd fd = open_without_links(folder, O_PATH | O_DIRECTORY);
  if (fd) return fd;
  if (errno == ELOOP) return std::unexpected(changed_meanwhile(folder));
  if (errno != ENOENT || !make)
    return std::unexpected(system_error(Errc::io, "cannot open the folder " + folder, errno));

  const auto parent = open_folder(std::string(parent_path(folder)), make, made);
  if (!parent) return std::unexpected(parent.error());
  const std::string name(file_name(folder));
  if (::mkdirat(parent->get(), name.c_str(), 0777) == 0) {
    made.paths.push_back(folder);
  } else if (errno != EEXIST) {  // another call may have made it just now
    const bool full = is_disk_full(errno);
    return std::unexpected(full ? disk_full(folder)
                                : system_error(Errc::io, "cannot make the folder " + folder, errno));
  }
  fd = UniqueFd(::openat(parent->get(), name.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!fd) return std::unexpected(system_error(Errc::io, "cannot open the folder " + folder, errno));
  return fd;
}

Result<void> check_is_expected(int folder, const std::string& name, const ReplaceRequest& request) {
  const auto status = status_at(folder, name, request.path);
  if (!status) return std::unexpected(status.error());
  if (status->kind == FileKind::missing) {
    if (request.expected) return std::unexpected(changed_meanwhile(request.path));
    return {};
  }
  if (status->kind != FileKind::regular) return std::unexpected(not_a_regular_file(request.path, status->kind));
  if (!request.expected) return std::unexpected(already_exists(request.path));
  if (status->size != request.expected->size) return std::unexpected(changed_meanwhile(request.path));

  const UniqueFd file(::openat(folder, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
  if (!file) return std::unexpected(system_error(Errc::io, "cannot open " + request.path, errno));
  const auto content = read_regular_file(file.get(), request.path, request.expected->size);
  if (!content || content_id(content->bytes).hash != request.expected->hash) {
    return std::unexpected(changed_meanwhile(request.path));
  }
  return {};
}

bool rename_into_place(int folder, const std::string& from, const std::string& to, bool may_replace) {
  if (may_replace) return ::renameat(folder, from.c_str(), folder, to.c_str()) == 0;
  if (::renameat2(folder, from.c_str(), folder, to.c_str(), RENAME_NOREPLACE) == 0) return true;
  // Some network file systems cannot; that nothing was there was checked a moment ago.
  if (errno != EINVAL && errno != ENOSYS) return false;
  return ::renameat(folder, from.c_str(), folder, to.c_str()) == 0;
}

Attempt put_new_file(int folder, const std::string& name, const ReplaceRequest& request) {
  const bool is_new = !request.expected.has_value();
  TemporaryFile temporary(folder, name, is_new && !request.mode ? kNewFileMode : kPrivateMode);
  if (!temporary.good()) {
    const bool folder_refuses = errno == EACCES || errno == EPERM || errno == EROFS;
    if (folder_refuses && !is_new) return CannotReplace{"its folder is not writable"};
    return write_error(request.path, errno);
  }
  if (!write_all(temporary.fd(), request.bytes)) return write_error(request.path, errno);
  if (is_new && request.mode && ::fchmod(temporary.fd(), *request.mode & kPermissionBits) != 0) {
    return write_error(request.path, errno);
  }
  if (!is_new) {
    const UniqueFd old(::openat(folder, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
    if (!old) return system_error(Errc::io, "cannot open " + request.path, errno);
    if (!copy_attributes(old.get(), temporary.fd())) return CannotReplace{"its owner or attributes would be lost"};
  }
  if (request.sync && !sync_data(temporary.fd())) return write_error(request.path, errno);
  struct stat written{};
  if (::fstat(temporary.fd(), &written) != 0) return write_error(request.path, errno);
  if (request.sweep) sweep_leftovers(folder, status_of(written).modified_ns);

  // As late as can be: from here to the rename only microseconds are left for somebody else's write.
  if (auto good = check_is_expected(folder, name, request); !good) return good.error();
  if (!rename_into_place(folder, temporary.name(), name, !is_new)) {
    if (errno == EEXIST) return already_exists(request.path);
    if (is_new) return write_error(request.path, errno);
    if (errno == EBUSY || errno == EXDEV) return CannotReplace{"it is a mount point"};
    if (errno == EACCES || errno == EPERM) return CannotReplace{"its folder does not allow it to be replaced"};
    return write_error(request.path, errno);
  }
  temporary.keep();
  return Replaced{.status = status_of(written), .in_place_because = {}};
}

}  // namespace

Result<Replaced> replace_file(const ReplaceRequest& request) {
  if (file_name(request.path).empty()) return std::unexpected(not_a_regular_file(request.path, FileKind::directory));
  FoldersMade made;
  const std::string name(file_name(request.path));
  const auto folder = open_folder(std::string(parent_path(request.path)), !request.expected, made);
  if (!folder) return std::unexpected(folder.error());
  const auto before = status_at(folder->get(), name, request.path);
  if (!before) return std::unexpected(before.error());
  if (before->kind != FileKind::regular && before->kind != FileKind::missing) {
    return std::unexpected(not_a_regular_file(request.path, before->kind));
  }
  const bool exists = before->kind == FileKind::regular;
  if (exists && !request.expected) return std::unexpected(already_exists(request.path));
  if (!exists && request.expected) return std::unexpected(changed_meanwhile(request.path));
  // A rename would get around the mode by which somebody protected the file.
  if (exists && ::faccessat(folder->get(), name.c_str(), W_OK, AT_EACCESS) != 0) {
    return std::unexpected(system_error(Errc::io, "cannot write " + request.path, errno));
  }

  Attempt attempt = CannotReplace{"it has other hard links"};
  if (before->links <= 1) attempt = put_new_file(folder->get(), name, request);
  if (const auto* cannot = std::get_if<CannotReplace>(&attempt)) {
    return write_in_place(folder->get(), name, request, cannot->why);
  }
  if (auto* error = std::get_if<Error>(&attempt)) return std::unexpected(std::move(*error));
  const bool is_folder_new = !std::exchange(made.paths, {}).empty();
  const bool is_kept =
      !request.sync || (is_folder_new ? sync_folders_up_from(parent_path(request.path)) : sync_folder(folder->get()));
  if (!is_kept) return std::unexpected(write_error(request.path, errno));
  return std::get<Replaced>(attempt);
}

Result<void> remove_file(const std::string& path, const ContentId& expected, bool sync) {
  FoldersMade none;
  const std::string name(file_name(path));
  const auto folder = open_folder(std::string(parent_path(path)), false, none);
  if (!folder) return std::unexpected(folder.error());
  const ReplaceRequest request{.path = path, .bytes = {}, .expected = expected};
  if (auto good = check_is_expected(folder->get(), name, request); !good) return good;
  if (::unlinkat(folder->get(), name.c_str(), 0) == 0 && (!sync || sync_folder(folder->get()))) return {};
  return std::unexpected(system_error(Errc::io, "cannot remove " + path, errno));
}

}  // namespace deft
