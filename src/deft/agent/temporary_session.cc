#include "deft/agent/temporary_session.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string_view>

namespace deft {
namespace {

constexpr std::string_view kNamePrefix = "deft-session-";
constexpr std::string_view kLockName = "/alive";
constexpr int kEntriesLookedAtMax = 10'000;

UniqueFd lock_of(const std::string& folder, int flags) {
  UniqueFd file(::open((folder + std::string(kLockName)).c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | flags, 0600));
  if (file && ::flock(file.get(), LOCK_EX | LOCK_NB) != 0) file.reset();
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
    const UniqueFd lock = lock_of(entry->path(), 0);
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
  UniqueFd lock = lock_of(path, O_CREAT);
  return TemporarySession(std::move(path), std::move(lock));
}

TemporarySession::~TemporarySession() {
  if (path_.empty()) return;  // moved from
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
  remove_dead_sessions(std::filesystem::path(path_).parent_path());
}

}  // namespace deft
