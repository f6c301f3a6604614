#include "deft/agent/daily_sweep.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "deft/agent/sweep_sessions.h"
#include "deft/os/unique_fd.h"

namespace deft {
namespace {

constexpr const char* kSweptFile = "/.swept";
// Its size says whether the time that it has was plausible.
constexpr off_t kBelievedBytes = 1;
constexpr off_t kDoubtedBytes = 2;

using Time = std::chrono::system_clock::time_point;

bool set_time(int file, Time time) {
  const timespec moment{.tv_sec = std::chrono::system_clock::to_time_t(time), .tv_nsec = 0};
  const timespec times[2] = {moment, moment};
  return ::futimens(file, times) == 0;
}

}  // namespace

std::vector<std::string> sweep_sessions_daily(const std::string& sessions, std::chrono::hours age, Time now,
                                              std::chrono::steady_clock::duration patience) {
  if (sessions.empty()) return {};
  const UniqueFd file(::open((sessions + kSweptFile).c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  struct stat status{};
  if (!file || ::fstat(file.get(), &status) != 0) return {};
  const Time last = std::chrono::system_clock::from_time_t(status.st_mtim.tv_sec);
  const bool is_first = status.st_size == 0;
  const bool has_gone_back = last > now;  // it was wrong then, or it is now
  if (!is_first && now - last < kSweepPeriod && !has_gone_back) return {};
  const bool is_late = !is_first && now - last >= std::max<std::chrono::hours>(age, 2 * kSweepPeriod);
  const bool is_doubted = is_late && status.st_size != kDoubtedBytes;
  if (::ftruncate(file.get(), is_doubted ? kDoubtedBytes : kBelievedBytes) != 0) return {};
  // Others who ask from now on hear that it is done.
  if (!set_time(file.get(), now) || is_first || is_doubted || has_gone_back) return {};
  SweptSessions swept = sweep_sessions(sessions, age, now, patience);
  if (!swept.is_complete) set_time(file.get(), now - kSweepPeriod);
  return std::move(swept.removed);
}

}  // namespace deft
