#include "deft/os/output_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <utility>

#include "deft/base/path.h"
#include "deft/base/text.h"
#include "deft/base/utf8.h"
#include "deft/os/file_descriptor.h"

namespace deft {
namespace {

constexpr std::string_view kPartMark = ".part-";
constexpr int kNamesTriedMax = 1'000;
constexpr std::size_t kComparedMax = 8;  // files of the same size that a new one is compared with
constexpr std::size_t kEntriesLookedAtMax = 100'000;
constexpr std::uint64_t kBytesBetweenLooks = std::uint64_t{1} << 20;
constexpr std::size_t kCompareBytes = std::size_t{64} << 10;

Error failure(const std::string& what, int error_number) { return system_error(Errc::io, what, error_number); }

bool write_more(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

std::size_t read_block(int fd, char* buffer, std::size_t size) {
  std::size_t total = 0;
  while (total < size) {
    const ssize_t got = ::read(fd, buffer + total, size - total);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    total += static_cast<std::size_t>(got);
  }
  return total;
}

UniqueFd open_for_reading(int folder, const std::string& name) {
  return UniqueFd(::openat(folder, name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
}

bool is_regular_of(int fd, std::uint64_t bytes) {
  struct stat status{};
  return ::fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && static_cast<std::uint64_t>(status.st_size) == bytes;
}

bool has_bytes(int folder, const std::string& name, std::string_view bytes) {
  const UniqueFd file = open_for_reading(folder, name);
  if (!file || !is_regular_of(file.get(), bytes.size())) return false;
  std::array<char, kCompareBytes> buffer{};
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t got = read_block(file.get(), buffer.data(), buffer.size());
    if (got == 0 || std::string_view(buffer.data(), got) != bytes.substr(at, got)) return false;
    at += got;
  }
  return true;
}

bool have_same_bytes(int folder, const std::string& name, const std::string& other, std::uint64_t bytes) {
  const UniqueFd one = open_for_reading(folder, name);
  const UniqueFd two = open_for_reading(folder, other);
  if (!one || !two || !is_regular_of(one.get(), bytes) || !is_regular_of(two.get(), bytes)) return false;
  std::array<char, kCompareBytes> first{}, second{};
  for (std::uint64_t at = 0; at < bytes;) {
    const std::size_t got = read_block(one.get(), first.data(), first.size());
    const std::size_t same = read_block(two.get(), second.data(), second.size());
    if (got == 0 || got != same ||
        !std::equal(first.begin(), first.begin() + static_cast<std::ptrdiff_t>(got), second.begin()))
      return false;
    at += got;
  }
  return true;
}

// A part whose writer was killed.
bool is_of_the_dead(std::string_view name) {
  const std::size_t mark = name.rfind(kPartMark);
  if (mark == std::string_view::npos) return false;
  const std::string_view text = name.substr(mark + kPartMark.size());
  pid_t writer = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), writer);
  return error == std::errc{} && writer > 0 && ::kill(writer, 0) != 0 && errno == ESRCH;
}

// One name for one file, or errno. `from` keeps its own unless it is moved.
bool give_name(int folder, const std::string& from, const std::string& name, bool is_move) {
  if (!is_move) return ::linkat(folder, from.c_str(), folder, name.c_str(), 0) == 0;
  if (::renameat2(folder, from.c_str(), folder, name.c_str(), RENAME_NOREPLACE) == 0) return true;
  if (errno != EINVAL && errno != ENOSYS) return false;  // else this file system cannot do it so
  if (::linkat(folder, from.c_str(), folder, name.c_str(), 0) != 0) return false;
  ::unlinkat(folder, from.c_str(), 0);
  return true;
}

}  // namespace

Result<int> OutputFolder::folder() {
  const std::lock_guard lock(mutex_);
  struct stat status{};
  // Somebody may have removed it.
  if (folder_ && ::fstat(folder_.get(), &status) == 0 && status.st_nlink > 0) return folder_.get();
  const bool is_new = ::mkdir(path_.c_str(), 0700) == 0;
  const bool syncs = is_new && survives_ == Survives::power_cut;
  if ((!is_new && errno != EEXIST) || (syncs && !sync_folders_up_from(parent_path(path_)))) {
    return std::unexpected(failure("cannot create " + path_, errno));
  }
  folder_ = UniqueFd(::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
  if (!folder_) return std::unexpected(failure("cannot open " + path_, errno));
  if (!std::exchange(looked_around_, true)) look_around(folder_.get());
  return folder_.get();
}

void OutputFolder::look_around(int folder) {
  const DirectoryStream stream = open_directory_stream(folder);
  std::map<ino_t, std::string> originals;
  std::size_t looked_at = 0;
  for (const dirent* entry = nullptr;
       stream && (entry = ::readdir(stream.get())) && ++looked_at < kEntriesLookedAtMax;) {
    struct stat status{};
    if (::fstatat(folder, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(status.st_mode)) continue;
    const std::string name = entry->d_name;
    if (is_of_the_dead(name)) {
      ::unlinkat(folder, name.c_str(), 0);
      continue;
    }
    const auto [original, is_new] = originals.try_emplace(status.st_ino, name);
    if (!is_new) continue;
    bytes_kept_ += static_cast<std::uint64_t>(status.st_size);
    if (name.find(kPartMark) != std::string::npos) continue;
    by_size_.emplace(static_cast<std::uint64_t>(status.st_size), Finished{name, name});
  }
}

Result<void> OutputFolder::reserve(std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  if (bytes_kept_ + bytes > quota_.folder_bytes_max) {
    return fail(Errc::limit, "this session may keep " + human_bytes(quota_.folder_bytes_max) +
                                 " of results (setting results.sessionMaxMb), and it has them already");
  }
  bytes_since_look_ += bytes;
  struct statvfs disk{};
  const bool looks = bytes_since_look_ >= kBytesBetweenLooks || bytes_kept_ == 0 || bytes >= kBytesBetweenLooks;
  if (looks && ::fstatvfs(folder_.get(), &disk) == 0) {
    const std::uint64_t free_bytes = std::uint64_t{disk.f_bavail} * disk.f_frsize;
    if (free_bytes < quota_.free_bytes_min + bytes) {
      return fail(Errc::limit, "only " + human_bytes(free_bytes) + " are free on the disk, of which " +
                                   human_bytes(quota_.free_bytes_min) + " stay free (setting results.diskFreeMb)");
    }
    bytes_since_look_ = 0;
  }
  bytes_kept_ += bytes;
  return {};
}

void OutputFolder::release(std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  bytes_kept_ -= std::min(bytes, bytes_kept_);
}

std::vector<OutputFolder::Finished> OutputFolder::same_size(std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  std::vector<Finished> files;
  const auto [first, last] = by_size_.equal_range(bytes);
  for (auto at = last; at != first && files.size() < kComparedMax;) files.push_back((--at)->second);
  return files;
}

void OutputFolder::finished(std::uint64_t bytes, Finished file) {
  const std::lock_guard lock(mutex_);
  by_size_.emplace(bytes, std::move(file));
}

Result<std::string> OutputFolder::put_in_place(std::string_view id, std::string_view extension, const std::string& from,
                                               bool is_move) {
  const auto in = folder();
  if (!in) return std::unexpected(in.error());
  const std::string safe = safe_file_name(id);
  for (int number = 1; number <= kNamesTriedMax; ++number) {
    const std::string name = safe + (number == 1 ? "" : "-" + std::to_string(number)) + std::string(extension);
    if (give_name(*in, from, name, is_move) && (survives_ == Survives::killed || sync_folder(*in))) return name;
    if (errno != EEXIST) return std::unexpected(failure("cannot create " + path_ + "/" + name, errno));
  }
  return fail(Errc::limit, "too many results are called " + safe);
}

Result<KeptOutput> OutputFolder::keep(std::string_view id, std::string_view extension, std::string_view bytes) {
  bytes = utf8_prefix(bytes, quota_.file_bytes_max);
  const auto in = folder();
  if (!in) return std::unexpected(in.error());
  for (const Finished& same : same_size(bytes.size())) {
    if (!has_bytes(*in, same.name, bytes)) continue;
    const auto name = put_in_place(id, extension, same.name, /*is_move=*/false);
    if (name) return KeptOutput{path_ + "/" + *name, bytes.size(), same.original};
    break;  // a file system without hard links: it is written again
  }
  GrowingOutput file(*this, std::string(id), std::string(extension));
  file.add(bytes);
  if (!file.problem().empty()) return fail(Errc::io, file.problem());
  return file.finish();
}

std::unique_ptr<GrowingOutput> OutputFolder::grow(std::string id, std::string extension) {
  return std::make_unique<GrowingOutput>(*this, std::move(id), std::move(extension));
}

GrowingOutput::~GrowingOutput() {
  if (is_finished_ || !path_.empty() || part_.empty()) return;
  if (const auto in = folder_.folder()) ::unlinkat(*in, part_.c_str(), 0);
  folder_.release(bytes_);
}

bool GrowingOutput::open() {
  if (fd_) return true;
  const auto in = folder_.folder();
  if (!in) {
    problem_ = in.error().message;
    return false;
  }
  // A part of a process that was killed lies there for ever; so the name is ours alone.
  for (int tries = 0; tries < kNamesTriedMax && !fd_; ++tries) {
    std::uint64_t number = 0;
    {
      const std::lock_guard lock(folder_.mutex_);
      number = ++folder_.parts_begun_;
    }
    part_ = safe_file_name(id_) + std::string(kPartMark) + std::to_string(::getpid()) + "-" + std::to_string(number);
    fd_ = UniqueFd(::openat(*in, part_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!fd_ && errno != EEXIST) break;
  }
  if (fd_) return true;
  problem_ = failure("cannot create " + folder_.path() + "/" + part_, errno).message;
  part_.clear();
  return false;
}

void GrowingOutput::fail_with(std::string problem) {
  problem_ = std::move(problem);
  // A part of a result under the name of the whole would be taken for it; what others look into stays.
  if (!path_.empty() || part_.empty()) return;
  if (const auto in = folder_.folder()) ::unlinkat(*in, part_.c_str(), 0);
  part_.clear();
  fd_.reset();
  folder_.release(std::exchange(bytes_, 0));
}

void GrowingOutput::add(std::string_view bytes) {
  if (!problem_.empty() || is_finished_ || !open()) return;
  const std::uint64_t file_max = folder_.quota().file_bytes_max;
  const std::string_view taken = bytes.substr(0, std::min<std::uint64_t>(bytes.size(), file_max - bytes_));
  if (!taken.empty()) {
    if (const auto reserved = folder_.reserve(taken.size()); !reserved) return fail_with(reserved.error().message);
    if (!write_more(fd_.get(), taken)) {
      const int error_number = errno;
      folder_.release(taken.size());
      return fail_with(is_disk_full(error_number) ? "the disk is full" : failure("cannot write", error_number).message);
    }
    bytes_ += taken.size();
  }
  if (taken.size() < bytes.size()) problem_ = "one result may have " + human_bytes(file_max);
}

void GrowingOutput::publish() {
  if (!path_.empty() || !problem_.empty() || !open()) return;
  const auto name = folder_.put_in_place(id_, extension_, part_, /*is_move=*/true);
  if (!name) return fail_with(name.error().message);
  path_ = folder_.path() + "/" + *name;
}

Result<KeptOutput> GrowingOutput::finish() {
  is_finished_ = true;
  if (!fd_) return fail(Errc::io, problem_.empty() ? "nothing was written" : problem_);
  if (folder_.survives_ == Survives::power_cut && !sync_data(fd_.get())) {
    return std::unexpected(failure("cannot write " + folder_.path(), errno));
  }
  fd_.reset();
  const auto in = folder_.folder();
  if (!in) return std::unexpected(in.error());
  if (path_.empty()) {
    for (const auto& same : folder_.same_size(bytes_)) {
      if (!have_same_bytes(*in, part_, same.name, bytes_)) continue;
      const auto linked = folder_.put_in_place(id_, extension_, same.name, /*is_move=*/false);
      if (!linked) break;
      ::unlinkat(*in, part_.c_str(), 0);
      folder_.release(bytes_);
      path_ = folder_.path() + "/" + *linked;
      return KeptOutput{path_, bytes_, same.original};
    }
    const auto name = folder_.put_in_place(id_, extension_, part_, /*is_move=*/true);
    if (!name) {
      ::unlinkat(*in, part_.c_str(), 0);
      folder_.release(bytes_);
      return std::unexpected(name.error());
    }
    path_ = folder_.path() + "/" + *name;
  }
  const std::string original(file_name(path_));
  folder_.finished(bytes_, {original, original});
  return KeptOutput{path_, bytes_, original};
}

}  // namespace deft
