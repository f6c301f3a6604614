#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "deft/core/tool_result.h"
#include "deft/os/processes.h"
#include "deft/tools/shell_output.h"

namespace deft {

// How long a call may take, and what was asked for.
struct ShellTimeout {
  std::int64_t ms = 0;
  std::int64_t asked_ms = 0;
};

// What the model gets of a command that has ended: why it ended first, then what it printed, then who was left over.
ToolResult shell_answer(std::string_view command, const CommandEnd& end, const ShellOutput& output,
                        const ShellTimeout& timeout);

// If a command that failed speaks of a limit that it has: which one that is, and where it is set. Else empty.
std::string limit_note(std::string_view output, int signal, const CommandLimits& limits);

// Of a command that goes on as a task.
ToolResult background_answer(std::string_view task_id, const ShellOutput& output, bool was_moved);

}  // namespace deft
