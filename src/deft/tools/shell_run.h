#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "deft/tools/background_tasks.h"
#include "deft/tools/shell_answer.h"
#include "deft/tools/shell_output.h"
#include "deft/tools/tool.h"

// What is done with a command that a shell tool has started: waited for, or left in the background.

namespace deft {

inline constexpr std::int64_t kBackgroundTimeoutMsDefault = 1'800'000;
inline constexpr std::int64_t kBackgroundTimeoutMsMax = 7'200'000;

struct ShellCall {
  std::string command;  // as the model wrote it
  std::string description = {};
  ShellTimeout timeout = {};
};
// By the inputs "command", "description" and "timeout".
ShellCall shell_call(const Json& input, std::int64_t timeout_ms_default, std::int64_t timeout_ms_max);

// By the inputs "dangerouslyDisableSandbox" and "dangerously_disable_sandbox": then a person decides, in every mode.
std::optional<OwnVerdict> verdict_on_sandbox(const Json& input);

struct FollowedCommand {
  CommandEnd end = {};
  std::unique_ptr<ShellOutput> output = nullptr;  // finished; null: it went to the background meanwhile
  ToolResult moved = {};                          // and this is the answer
};
// Waits for its end with progress, unless somebody wants it in the background.
Result<FollowedCommand> follow_command(std::unique_ptr<Child> child, const ShellCall& call, BackgroundTasks& tasks,
                                       ToolIo& io);
// Answers at once; it goes on as a task.
Result<ToolResult> leave_in_background(std::unique_ptr<Child> child, const ShellCall& call, BackgroundTasks& tasks,
                                       ToolIo& io);

// What the system says to a command that may not do something. The restriction of calls that only read answers so.
bool speaks_of_a_refusal(std::string_view output);
inline constexpr std::string_view kRefusedText =
    "\nThis command was judged to only read, so it ran without the right to change anything, and something was "
    "refused. From now on it counts as one that may change things: call it again if it should run with all rights.";

}  // namespace deft
