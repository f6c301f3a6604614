#include "deft/agent/daily_sweep.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "deft/agent/sweep_sessions.h"
#include "deft/os/unique_fd.h"

namespace deft {
namespace {

constexpr const char* kSweptFile = "/.swept";

// True: it is our turn. Others who ask from now on hear that it is done.
bool is_due(const std::string& sessions, std::chrono::system_clock::time_point now) {
  const UniqueFd file(::open((sessions + kSweptFile).c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  struct stat status{};
  if (!file || ::fstat(file.get(), &status) != 0) return false;
  const auto swept = std::chrono::system_clock::from_time_t(status.st_mtim.tv_sec);
  const bool is_new = status.st_size == 0;
  if (!is_new && now - swept < kSweepPeriod && swept <= now) return false;
  const timespec times[2] = {{.tv_sec = std::chrono::system_clock::to_time_t(now), .tv_nsec = 0},
                             {.tv_sec = std::chrono::system_clock::to_time_t(now), .tv_nsec = 0}};
  if (is_new && ::write(file.get(), "\n", 1) != 1) return false;
  return ::futimens(file.get(), times) == 0;
}

}  // namespace

std::vector<std::string> sweep_sessions_daily(const std::string& sessions, std::chrono::hours age,
                                              std::chrono::system_clock::time_point now) {
  if (sessions.empty() || !is_due(sessions, now)) return {};
  return sweep_sessions(sessions, age, now);
}

}  // namespace deft
