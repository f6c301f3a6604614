#include "deft/os/temporary_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <limits>

#include "deft/base/path.h"
#include "deft/base/utf8.h"
#include "deft/os/file_descriptor.h"
#include "deft/os/open_without_links.h"

namespace deft {

namespace {

constexpr std::size_t kNameBytesMax = 255;  // of one path component, on every file system that matters
constexpr int kNameAttemptsMax = 8;
constexpr std::size_t kRandomCharacters = 6;
constexpr std::string_view kAlphabet = "abcdefghijklmnopqrstuvwxyz234567";
constexpr std::string_view kMark = ".deft-tmp-";

constexpr std::int64_t kLeftoverAgeNsMin = 60'000'000'000;
constexpr std::size_t kSweepEntriesMax = 10'000;

std::string beginning_of_name(std::string_view file_name) {
  const std::size_t room = kNameBytesMax - 1 - kMark.size() - kRandomCharacters;
  return "." + std::string(utf8_prefix(file_name, room)) + std::string(kMark);
}

void sweep_one(int folder, const char* name, std::int64_t written_before_ns) {
  struct stat found{};
  if (::fstatat(folder, name, &found, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(found.st_mode)) return;
  if (found.st_uid != ::geteuid() || status_of(found).modified_ns > written_before_ns) return;
  const UniqueFd file(::openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
  // Whoever is still writing it holds the lock, also from another container, where process ids mean nothing.
  if (!file || ::flock(file.get(), LOCK_EX | LOCK_NB) != 0) return;
  ::unlinkat(folder, name, 0);
}

void sweep(int folder, std::string_view beginning, std::int64_t written_before_ns) {
  const DirectoryStream directory = open_directory_stream(folder);
  if (!directory) return;
  for (std::size_t seen = 0; seen < kSweepEntriesMax; ++seen) {
    const dirent* entry = ::readdir(directory.get());
    if (!entry) return;
    const std::string_view name = entry->d_name;
    if (name.starts_with(beginning) && is_temporary_name(name)) sweep_one(folder, entry->d_name, written_before_ns);
  }
}

}  // namespace

std::string temporary_name(std::string_view file_name) {
  std::string name = beginning_of_name(file_name);
  std::array<std::uint8_t, kRandomCharacters> random{};
  // So few bytes always come; and were they zero, O_EXCL would notice a name that is taken.
  [[maybe_unused]] const auto got = ::getrandom(random.data(), random.size(), 0);
  for (const std::uint8_t byte : random) name += kAlphabet[byte % kAlphabet.size()];
  return name;
}

bool is_temporary_name(std::string_view file_name) {
  if (!file_name.starts_with('.') || file_name.size() < kMark.size() + kRandomCharacters + 1) return false;
  const std::string_view random = file_name.substr(file_name.size() - kRandomCharacters);
  const std::string_view before = file_name.substr(0, file_name.size() - kRandomCharacters);
  return before.ends_with(kMark) &&
         std::all_of(random.begin(), random.end(), [](char c) { return kAlphabet.find(c) != std::string_view::npos; });
}

TemporaryFile::TemporaryFile(int folder, std::string_view beside, unsigned mode) : folder_(folder) {
  for (int attempt = 0; attempt < kNameAttemptsMax && !fd_; ++attempt) {
    name_ = temporary_name(beside);
    constexpr int kFlags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY;
    fd_ = UniqueFd(::openat(folder_, name_.c_str(), kFlags, mode));
    if (!fd_ && errno != EEXIST && errno != EINTR) return;
  }
  // Where locks are not supported the age alone has to do, see sweep_leftovers().
  if (fd_) ::flock(fd_.get(), LOCK_EX | LOCK_NB);
}

TemporaryFile::~TemporaryFile() {
  if (fd_ && !kept_) ::unlinkat(folder_, name_.c_str(), 0);
}

void sweep_leftovers(int folder, std::int64_t now_ns) { sweep(folder, "", now_ns - kLeftoverAgeNsMin); }

void remove_leftovers_of(std::string_view path) {
  const UniqueFd folder = open_without_links(parent_path(path), O_RDONLY | O_DIRECTORY);
  if (folder) sweep(folder.get(), beginning_of_name(file_name(path)), std::numeric_limits<std::int64_t>::max());
}

}  // namespace deft
