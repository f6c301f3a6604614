#include "deft/os/disk_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "deft/base/path.h"
#include "deft/base/utf8.h"
#include "deft/os/file_descriptor.h"
#include "deft/os/in_place_journal.h"
#include "deft/os/open_without_links.h"
#include "deft/os/replace_file.h"
#include "deft/os/resolve_path.h"

namespace deft {

namespace {

constexpr std::size_t kShownNameEntriesMax = 10'000;
constexpr std::size_t kFoldersRememberedMax = 4'096;
constexpr std::size_t kDevicesRememberedMax = 1'024;
constexpr std::string_view kReplacementCharacter = "\xEF\xBF\xBD";

Result<std::vector<std::string>> names_in(std::string_view folder, std::size_t entries_max) {
  const UniqueFd fd = open_without_links(folder, O_PATH | O_DIRECTORY);
  if (!fd && errno == ENOENT) return std::unexpected(no_such_file(folder));
  const DirectoryStream directory = fd ? open_directory_stream(fd.get()) : nullptr;
  if (!directory) return std::unexpected(system_error(Errc::io, "cannot list " + std::string(folder), errno));
  std::vector<std::string> names;
  while (names.size() < entries_max) {
    const dirent* entry = ::readdir(directory.get());
    if (!entry) break;
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

// The one entry whose name is shown as `path` shows it, because not all its bytes are UTF-8.
Result<PathStep> look_for_shown_name(const std::string& path) {
  const auto names = names_in(parent_path(path), kShownNameEntriesMax);
  if (!names) return PathStep{};  // no folder, so no such file either
  PathStep step;
  for (const std::string& name : *names) {
    if (is_utf8(name) || to_valid_utf8(name) != file_name(path)) continue;
    if (step.kind == PathStep::Kind::other_name) {
      return fail(Errc::invalid_input, path + " is how several names look that are not UTF-8: rename one of them.");
    }
    step = {PathStep::Kind::other_name, name};
  }
  return step;
}

Result<PathStep> look_at(const std::string& path) {
  struct stat found{};
  if (::lstat(path.c_str(), &found) != 0) {
    if (errno != ENOENT && errno != ENOTDIR) {
      return std::unexpected(system_error(Errc::io, "cannot look at " + path, errno));
    }
    if (file_name(path).find(kReplacementCharacter) != std::string_view::npos) return look_for_shown_name(path);
    return PathStep{};
  }
  if (!S_ISLNK(found.st_mode)) return PathStep{PathStep::Kind::plain, {}};
  std::array<char, kPathBytesMax + 1> target{};
  const ssize_t length = ::readlink(path.c_str(), target.data(), target.size());
  if (length < 0) return std::unexpected(system_error(Errc::io, "cannot follow " + path, errno));
  return PathStep{PathStep::Kind::link, std::string(target.data(), static_cast<std::size_t>(length))};
}

// By what kind of file system it is on, as the kernel numbers them. Whatever is not known may be a network away.
bool is_on_local_disk(const std::string& path) {
  constexpr std::uint64_t kLocal[] = {0xEF53 /*ext*/,          0x58465342 /*xfs*/,
                                      0x9123683E /*btrfs*/,    0xF2F52010 /*f2fs*/,
                                      0x2FC12FC1 /*zfs*/,      0x01021994 /*tmpfs*/,
                                      0x858458F6 /*ramfs*/,    0x794C7630 /*overlay*/,
                                      0x73717368 /*squashfs*/, 0xE0F5E1E2 /*erofs*/};
  struct statfs system{};
  if (::statfs(path.c_str(), &system) != 0) return false;
  const auto kind = static_cast<std::uint64_t>(system.f_type) & 0xFFFFFFFF;
  return std::ranges::find(kLocal, kind) != std::end(kLocal);
}

}  // namespace

Result<std::string> DiskFiles::canonical(std::string_view path) {
  if (auto good = check_path(path); !good) return std::unexpected(good.error());
  // Nearly every path is its own canonical form, also if nothing is there, and the kernel says so with one question
  // instead of one for each part: a link on the way to where it ends would have been refused.
  std::string normal = normal_path(path);
  if (normal == path) {
    const int error = look_without_links(normal);
    const bool is_missing = error == ENOENT || error == ENOTDIR;
    if (error == 0 || (is_missing && path.find(kReplacementCharacter) == std::string_view::npos)) return normal;
  }
  return resolve_path(path, look_at);
}

bool DiskFiles::is_canonical(std::string_view path) {
  if (!check_path(path)) return false;
  const std::string normal = normal_path(path);
  return normal == path && look_without_links(normal) == 0;
}

Result<FileStatus> DiskFiles::status(std::string_view path) {
  if (auto good = check_path(path); !good) return std::unexpected(good.error());
  return status_at(AT_FDCWD, std::string(path), path);
}

bool DiskFiles::is_at_hand(std::string_view path, const FileStatus& status) {
  const std::lock_guard lock(mutex_);
  const auto known = devices_at_hand_.find(status.device);
  if (known != devices_at_hand_.end()) return known->second;
  if (devices_at_hand_.size() >= kDevicesRememberedMax) return false;
  return devices_at_hand_[status.device] = is_on_local_disk(std::string(path));
}

Result<FileContent> DiskFiles::read(std::string_view path, std::size_t bytes_max) {
  const auto before = status(path);
  if (!before) return std::unexpected(before.error());
  return read_as(path, *before, bytes_max);
}

Result<FileContent> DiskFiles::read_at_hand(std::string_view path, std::size_t bytes_max) {
  const auto before = status(path);
  if (!before) return std::unexpected(before.error());
  if (before->kind == FileKind::missing) return std::unexpected(no_such_file(path));
  if (!is_at_hand(path, *before)) return fail(Errc::unsupported, std::string(path) + " is not at hand");
  return read_as(path, *before, bytes_max);
}

Result<FileContent> DiskFiles::read_as(std::string_view path, const FileStatus& before, std::size_t bytes_max) {
  // Opening a device can have effects (a watchdog, a tape), so it is not opened to find out that it is one.
  if (before.kind != FileKind::regular) return std::unexpected(not_a_regular_file(path, before.kind));

  const UniqueFd file = open_without_links(path, O_RDONLY | O_NONBLOCK);
  if (file) return read_regular_file(file.get(), path, bytes_max);
  if (errno == ELOOP) return std::unexpected(changed_meanwhile(path));
  if (errno == ENOENT || errno == ENOTDIR) return std::unexpected(no_such_file(path));
  return std::unexpected(system_error(Errc::io, "cannot open " + std::string(path), errno));
}

Result<std::vector<std::string>> DiskFiles::list(std::string_view folder, std::size_t entries_max) {
  if (auto good = check_path(folder); !good) return std::unexpected(good.error());
  return names_in(folder, entries_max);
}

Result<Replaced> DiskFiles::replace(std::string_view path, std::string_view bytes,
                                    const std::optional<ContentId>& expected) {
  if (auto good = check_path(path); !good) return std::unexpected(good.error());
  return replace_file({.path = std::string(path),
                       .bytes = bytes,
                       .expected = expected,
                       .sync = survives_ == Survives::power_cut,
                       .sweep = is_first_write_in(parent_path(path)),
                       .journal_folder = journal_folder()});
}

Result<Replaced> DiskFiles::create(std::string_view path, std::string_view bytes, std::uint32_t mode) {
  if (auto good = check_path(path); !good) return std::unexpected(good.error());
  return replace_file({.path = std::string(path),
                       .bytes = bytes,
                       .expected = std::nullopt,
                       .mode = mode,
                       .sync = survives_ == Survives::power_cut,
                       .sweep = is_first_write_in(parent_path(path)),
                       .journal_folder = journal_folder()});
}

Result<void> DiskFiles::remove(std::string_view path, const ContentId& expected) {
  if (auto good = check_path(path); !good) return good;
  return remove_file(std::string(path), expected, survives_ == Survives::power_cut);
}

std::vector<std::string> DiskFiles::recover() { return recover_in_place_writes(journal_folder()); }

std::string DiskFiles::journal_folder() const {
  return journal_folder_.empty() ? user_journal_folder() : journal_folder_;
}

bool DiskFiles::is_first_write_in(std::string_view folder) {
  const std::lock_guard lock(mutex_);
  if (folders_written_.size() >= kFoldersRememberedMax) folders_written_.clear();
  return folders_written_.emplace(folder).second;
}

}  // namespace deft
