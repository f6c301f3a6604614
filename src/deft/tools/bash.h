#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "deft/os/processes.h"
#include "deft/tools/background_tasks.h"
#include "deft/tools/shell_environment.h"
#include "deft/tools/shell_output.h"
#include "deft/tools/tool.h"

namespace deft {

inline constexpr std::int64_t kBashTimeoutMsDefault = 120'000;
inline constexpr std::int64_t kBashTimeoutMsMax = 600'000;
inline constexpr std::int64_t kBackgroundTimeoutMsDefault = 1'800'000;
inline constexpr std::int64_t kBackgroundTimeoutMsMax = 7'200'000;

struct BashOptions {
  // Calls that are judged to only read: counted as such, and run so that they can do no more. Without the sandbox the
  // judgement alone must be trusted for the first.
  bool read_only_calls = true;
  bool sandbox = true;
  CommandLimits limits{};
  std::vector<std::string> daemons{};  // that a command may leave running until the session ends
  UseProfile profile = UseProfile::if_needed;
  std::int64_t timeout_ms_default = kBashTimeoutMsDefault;
  std::int64_t timeout_ms_max = kBashTimeoutMsMax;
};

// Runs a command line under bash. The working directory lasts from call to call, the environment does not. What goes on
// in the background belongs to `tasks`.
std::shared_ptr<Tool> make_bash_tool(BashOptions options, std::shared_ptr<BackgroundTasks> tasks);

}  // namespace deft
