#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace deft {

inline constexpr std::chrono::hours kSweepPeriod{24};

// sweep_sessions(), but not more than once a day, whoever of us asks: a file beside the sessions remembers when. For
// the end of a run, when nobody waits any more. Returns what was removed.
std::vector<std::string> sweep_sessions_daily(const std::string& sessions, std::chrono::hours age,
                                              std::chrono::system_clock::time_point now);

}  // namespace deft
