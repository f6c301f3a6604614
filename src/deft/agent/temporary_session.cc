#include "deft/agent/temporary_session.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string_view>

namespace deft {
namespace {

constexpr std::string_view kNamePrefix = "deft-session-";
constexpr std::string_view kLockName = "/alive";
constexpr int kEntriesLookedAtMax = 10'000;

UniqueFd lock_file(const std::string& path, int flags) {
  UniqueFd file(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | flags, 0600));
  if (file && ::flock(file.get(), LOCK_EX | LOCK_NB) != 0) file.reset();
  return file;
}

// It has its name only once it is locked: whoever looks for the dead would else find one that is free.
UniqueFd make_lock(const std::string& folder) {
  const std::string name = folder + std::string(kLockName);
  UniqueFd file = lock_file(name + ".new", O_CREAT);
  if (file && ::rename((name + ".new").c_str(), name.c_str()) != 0) file.reset();
  return file;
}

bool is_own_folder(const std::string& path) {
  struct stat found{};
  return ::lstat(path.c_str(), &found) == 0 && S_ISDIR(found.st_mode) && found.st_uid == ::geteuid();
}

// Only what has a lock that nobody holds: one without is being made, or not ours.
void remove_dead_sessions(const std::filesystem::path& parent) {
  std::error_code ec;
  int looked_at = 0;
  for (std::filesystem::directory_iterator entry(parent, ec), end; !ec && entry != end; entry.increment(ec)) {
    if (++looked_at > kEntriesLookedAtMax) return;
    const std::string name = entry->path().filename();
    if (!name.starts_with(kNamePrefix) || !is_own_folder(entry->path())) continue;
    const UniqueFd lock = lock_file(entry->path().string() + std::string(kLockName), 0);
    std::error_code ignored;
    if (lock) std::filesystem::remove_all(entry->path(), ignored);
  }
}

}  // namespace

Result<TemporarySession> TemporarySession::make(std::string parent) {
  std::string path = std::move(parent) + "/" + std::string(kNamePrefix) + "XXXXXX";
  if (!::mkdtemp(path.data())) {
    return std::unexpected(system_error(Errc::io, "cannot create a temporary folder " + path, errno));
  }
  UniqueFd lock = make_lock(path);
  return TemporarySession(std::move(path), std::move(lock));
}

TemporarySession::~TemporarySession() {
  if (path_.empty()) return;  // moved from
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
  remove_dead_sessions(std::filesystem::path(path_).parent_path());
}

}  // namespace deft
