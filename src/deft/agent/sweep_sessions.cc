#include "deft/agent/sweep_sessions.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>

#include "deft/os/unique_fd.h"

namespace deft {
namespace {

constexpr std::size_t kFoldersLookedAtMax = 100'000;

bool is_own_folder(const std::string& path) {
  struct stat found{};
  return ::lstat(path.c_str(), &found) == 0 && S_ISDIR(found.st_mode) && found.st_uid == ::geteuid();
}

}  // namespace

std::vector<std::string> sweep_sessions(const std::string& root, std::chrono::hours age,
                                        std::chrono::system_clock::time_point now) {
  std::vector<std::string> removed;
  std::error_code ec;
  std::size_t looked_at = 0;
  for (std::filesystem::directory_iterator entry(root, ec), end; !ec && entry != end; entry.increment(ec)) {
    if (++looked_at > kFoldersLookedAtMax) break;
    const std::string folder = entry->path();
    if (!is_own_folder(folder)) continue;
    const UniqueFd journal(::open((folder + "/journal.jsonl").c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    struct stat status{};
    if (!journal || ::fstat(journal.get(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
    const auto used = std::chrono::system_clock::from_time_t(status.st_mtim.tv_sec);
    if (now - used < age) continue;
    if (::flock(journal.get(), LOCK_EX | LOCK_NB) != 0) continue;  // it is in use
    std::error_code failed;
    std::filesystem::remove_all(folder, failed);
    if (!failed) removed.push_back(entry->path().filename());
  }
  return removed;
}

}  // namespace deft
