#include "deft/tools/shell_run.h"

#include <algorithm>
#include <utility>

namespace deft {
namespace {

constexpr Duration kProgressInterval = std::chrono::milliseconds(100);
constexpr std::size_t kProgressBytesMax = 2'000;

// A command that too many others are beside of ends here.
Result<ToolResult> go_on(BackgroundCommand command, const std::string& id, BackgroundTasks& tasks, bool was_moved) {
  command.output->keep_all();
  ToolResult result = background_answer(id, *command.output, was_moved);
  if (auto adopted = tasks.adopt(id, command); !adopted) return std::unexpected(adopted.error());
  return result;
}

}  // namespace

ShellCall shell_call(const Json& input, std::int64_t timeout_ms_default, std::int64_t timeout_ms_max) {
  const std::int64_t asked = find_int(input, "timeout").value_or(timeout_ms_default);
  return {.command = std::string(find_string(input, "command").value_or("")),
          .description = std::string(find_string(input, "description").value_or("")),
          .timeout = {.ms = std::min(asked, timeout_ms_max), .asked_ms = asked}};
}

std::optional<OwnVerdict> verdict_on_sandbox(const Json& input) {
  const bool leaves = find_bool(input, "dangerouslyDisableSandbox").value_or(false) ||
                      find_bool(input, "dangerously_disable_sandbox").value_or(false);
  if (!leaves) return std::nullopt;
  return OwnVerdict{Verdict::ask, "it asks to run outside of every sandbox", /*even_in_bypass=*/true};
}

Result<FollowedCommand> follow_command(std::unique_ptr<Child> child, const ShellCall& call, BackgroundTasks& tasks,
                                       ToolIo& io) {
  auto output = std::make_unique<ShellOutput>(io.outputs, std::string(io.call_id), ShellOutput::Keep::long_output,
                                              io.result_characters_max);
  TimePoint next_progress{};
  const auto on_output = [&](OutputStream, std::string_view bytes) {
    output->add(bytes);
    if (io.os.clock.now() < next_progress) return;
    next_progress = io.os.clock.now() + kProgressInterval;
    io.progress(JsonObject{{"output", output->last_lines(kProgressBytesMax)}, {"bytes", output->size()}});
  };
  const TimePoint deadline = io.os.clock.now() + std::chrono::milliseconds(call.timeout.ms);
  const auto end = child->follow(on_output, {.cancel = io.stop, .deadline = deadline}, io.to_background);
  if (!end) return std::unexpected(end.error());
  if (*end) {
    output->finish();
    return FollowedCommand{.end = **end, .output = std::move(output)};
  }
  // Somebody wants it in the background: its own time begins.
  auto moved = go_on({.child = std::move(child),
                      .output = std::move(output),
                      .command = call.command,
                      .description = call.description,
                      .deadline = io.os.clock.now() + std::chrono::milliseconds(kBackgroundTimeoutMsDefault),
                      .call_id = std::string(io.call_id)},
                     tasks.next_id(), tasks, /*was_moved=*/true);
  if (!moved) return std::unexpected(moved.error());
  return FollowedCommand{.moved = std::move(*moved)};
}

Result<ToolResult> leave_in_background(std::unique_ptr<Child> child, const ShellCall& call, BackgroundTasks& tasks,
                                       ToolIo& io) {
  const std::string id = tasks.next_id();
  return go_on({.child = std::move(child),
                .output = std::make_unique<ShellOutput>(io.outputs, "task-" + id, ShellOutput::Keep::all,
                                                        io.result_characters_max),
                .command = call.command,
                .description = call.description,
                .deadline = io.os.clock.now() + std::chrono::milliseconds(call.timeout.ms),
                .call_id = std::string(io.call_id)},
               id, tasks, /*was_moved=*/false);
}

bool speaks_of_a_refusal(std::string_view output) {
  for (const std::string_view words : {"Permission denied", "Operation not permitted", "Function not implemented"}) {
    if (output.find(words) != std::string_view::npos) return true;
  }
  return false;
}

}  // namespace deft
