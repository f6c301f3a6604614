#include "deft/os/file_descriptor.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "deft/base/path.h"
#include "deft/os/unique_fd.h"

namespace deft {

namespace {

constexpr std::size_t kReadChunkBytes = std::size_t{64} << 10;
constexpr mode_t kPermissionBits = 07777;

FileKind kind_of(mode_t mode) {
  if (S_ISREG(mode)) return FileKind::regular;
  if (S_ISDIR(mode)) return FileKind::directory;
  if (S_ISLNK(mode)) return FileKind::symlink;
  if (S_ISFIFO(mode)) return FileKind::fifo;
  if (S_ISSOCK(mode)) return FileKind::socket;
  return FileKind::device;
}

// /proc/PID/environ, mem and their like of our own process hold the secrets that we pass to no child. The kernel
// always lets a process see its own, so we have to refuse. Everything below /proc reports size 0.
bool shows_our_own_process(int fd, const FileStatus& status, std::string_view path) {
  struct statfs system{};
  if (status.size != 0 || ::fstatfs(fd, &system) != 0 || system.f_type != PROC_SUPER_MAGIC) return false;
  for (std::size_t start = 0; start < path.size();) {
    const std::size_t slash = std::min(path.find('/', start), path.size());
    const std::string part(path.substr(start, slash - start));
    start = slash + 1;
    const bool is_number = !part.empty() && part.find_first_not_of("0123456789") == std::string::npos;
    if (is_number && ::access(("/proc/self/task/" + part).c_str(), F_OK) == 0) return true;
  }
  return false;
}

}  // namespace

FileStatus status_of(const struct stat& found) {
  return {.kind = kind_of(found.st_mode),
          .size = static_cast<std::uint64_t>(found.st_size),
          .modified_ns = std::int64_t{found.st_mtim.tv_sec} * 1'000'000'000 + found.st_mtim.tv_nsec,
          .mode = found.st_mode & kPermissionBits,
          .links = found.st_nlink,
          .device = found.st_dev,
          .inode = found.st_ino};
}

Result<FileStatus> status_at(int folder, const std::string& name, std::string_view path) {
  struct stat found{};
  if (::fstatat(folder, name.c_str(), &found, AT_SYMLINK_NOFOLLOW) == 0) return status_of(found);
  if (errno == ENOENT || errno == ENOTDIR) return FileStatus{};
  return std::unexpected(system_error(Errc::io, "cannot look at " + std::string(path), errno));
}

bool read_all(int fd, std::size_t size_expected, std::size_t bytes_max, std::string& bytes) {
  bytes.clear();
  // One byte more than expected: the end of the file is then found with one call in the usual case.
  std::size_t room = std::min(size_expected, bytes_max) + 1;
  for (std::size_t filled = 0;;) {
    bytes.resize(room);
    const ssize_t got = ::read(fd, bytes.data() + filled, room - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return false;
    filled += static_cast<std::size_t>(got);
    // Less than there is room for, of a file that says how long it is: that was its end.
    const bool is_end = got == 0 || (filled < room && size_expected > 0 && filled >= size_expected);
    if (is_end || filled > bytes_max) {
      bytes.resize(filled);
      return true;
    }
    if (filled == room) room = std::min(room + std::max(room, kReadChunkBytes), bytes_max + 1);
  }
}

bool write_all(int fd, std::string_view bytes) {
  for (std::size_t written = 0; written < bytes.size();) {
    const ssize_t put = ::pwrite(fd, bytes.data() + written, bytes.size() - written, static_cast<off_t>(written));
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return false;
    written += static_cast<std::size_t>(put);
  }
  return true;
}

bool sync_data(int fd) {
  // Some file systems cannot; that is no reason to refuse the write.
  return ::fdatasync(fd) == 0 || errno == EINVAL || errno == EROFS;
}

bool sync_folder(int folder) {
  const UniqueFd readable(::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!readable) return errno == EACCES;  // who may write but not list has no way to wait for it
  return ::fsync(readable.get()) == 0 || errno == EINVAL || errno == EROFS;
}

bool sync_folders_up_from(std::string_view folder) {
  for (;; folder = parent_path(folder)) {
    const UniqueFd opened(::open(std::string(folder).c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (opened ? !sync_folder(opened.get()) : errno != EACCES) return false;
    if (folder == "/") return true;
  }
}

bool is_disk_full(int error_number) { return error_number == ENOSPC || error_number == EDQUOT; }

Error write_error(std::string_view path, int error_number) {
  if (is_disk_full(error_number)) return disk_full(path);
  return system_error(Errc::io, "cannot write " + std::string(path), error_number);
}

DirectoryStream open_directory_stream(int directory) {
  const int fd = ::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return nullptr;
  DirectoryStream stream(::fdopendir(fd));
  if (!stream) ::close(fd);
  return stream;
}

Result<FileContent> read_regular_file(int fd, std::string_view path, std::size_t bytes_max) {
  struct stat found{};
  if (::fstat(fd, &found) != 0) {
    return std::unexpected(system_error(Errc::io, "cannot look at " + std::string(path), errno));
  }
  FileContent content{.status = status_of(found), .bytes = {}};
  if (content.status.kind != FileKind::regular) return std::unexpected(not_a_regular_file(path, content.status.kind));
  if (content.status.size > bytes_max) return std::unexpected(too_large(path, content.status.size, bytes_max));
  if (shows_our_own_process(fd, content.status, path)) {
    return fail(Errc::denied, std::string(path) + " belongs to this program's own process and is not readable.");
  }
  if (!read_all(fd, content.status.size, bytes_max, content.bytes)) {
    return std::unexpected(system_error(Errc::io, "cannot read " + std::string(path), errno));
  }
  if (content.bytes.size() > bytes_max) return std::unexpected(too_large(path, content.bytes.size(), bytes_max));
  return content;
}

}  // namespace deft
