#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <string_view>

#include "deft/base/clock.h"
#include "deft/base/result.h"
#include "deft/os/processes.h"

namespace deft {

struct WatchUntil {
  std::stop_token cancel;               // the command is ended
  std::stop_token pause;                // the command goes on, the watching ends
  std::optional<TimePoint> deadline{};  // as cancel
  Duration end_grace = kEndGrace;
};

// Hands on what a started command prints until it has ended. Nothing: it goes on, `pause` was requested. Whoever holds
// the child may then watch on, from any thread.
std::optional<Result<CommandEnd>> watch_command(Child& child, const Clock& clock,
                                                const std::function<void(std::string_view)>& on_output,
                                                const WatchUntil& until);

}  // namespace deft
