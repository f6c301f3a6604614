#pragma once

#include <optional>
#include <stop_token>

#include "deft/os/command_launch.h"
#include "deft/os/processes.h"

namespace deft {

// A program that takes this long to start may have a warden that was stopped.
inline constexpr Duration kStartPatience = std::chrono::seconds(2);
// The most that a supervisor takes to answer once its command's time is up, its ending of everything included. Only
// one that is stuck in the kernel (a program on a dead network file system) takes longer; nobody waits for that.
inline constexpr Duration kSupervisorAnswerMax = std::chrono::seconds(8);

// One loop on the caller's thread that hands the output on until the supervisor has reported the end of everything, or
// until `leave`. A stop or a deadline is the supervisor's business: it works while the sink is busy. This loop only
// sees to it that an answer comes; without one the error is `io`.
Result<std::optional<CommandEnd>> follow_command(const Clock& clock, WardenLink& link, RunningCommand& running,
                                                 Duration end_grace, const OutputSink& on_output, const RunUntil& until,
                                                 std::stop_token leave);

}  // namespace deft
