#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace deft {

inline constexpr std::chrono::hours kSweepPeriod{24};

inline constexpr std::chrono::milliseconds kSweepPatience{100};

// sweep_sessions(), but not more than once a day, whoever of us asks: a file beside the sessions remembers when. For
// the end of a run: what takes longer than `patience` is left to the next ones. Where the last time was as long ago as
// sessions are kept, the clock may be wrong, which would cost all of them: it is only noted then, and believed a day
// later. Returns what was removed.
std::vector<std::string> sweep_sessions_daily(const std::string& sessions, std::chrono::hours age,
                                              std::chrono::system_clock::time_point now,
                                              std::chrono::steady_clock::duration patience = kSweepPatience);

}  // namespace deft
