#include "deft/agent/hook_program.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "deft/base/text.h"

namespace deft {
namespace {

std::string seconds_text(Duration timeout) {
  const auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(timeout).count();
  if (milliseconds % 1000 == 0) return std::to_string(milliseconds / 1000) + " s";
  return std::to_string(milliseconds) + " ms";
}

HookEnd not_started(const Error& error) {
  if (error.code == Errc::cancelled) return {.how = HookEnd::How::cancelled};
  return {.how = HookEnd::How::not_started, .detail = error.message};
}

}  // namespace

Command hook_command(const Hook& hook, const HookSession& session, std::span<const std::string> own,
                     std::string_view directory, std::string input) {
  Command command{.environment = hook_environment(own, session, hook.event),
                  .directory = std::string(directory),
                  .input = std::move(input),
                  .input_pipe = false,
                  .separate_errors = true};
  if (!hook.args) {
    command.argv = {"/bin/sh", "-c", with_shell_placeholders(hook.command, session)};
    return command;
  }
  command.argv.push_back(with_placeholders(hook.command, session));
  for (const std::string& arg : *hook.args) command.argv.push_back(with_placeholders(arg, session));
  return command;
}

std::optional<HookEnd> HookProgram::follow(Duration timeout, std::stop_token stop) {
  return follow(timeout, std::move(stop), !has_first_line_);
}

HookEnd HookProgram::follow_to_end(Duration timeout, std::stop_token stop) {
  return *follow(timeout, std::move(stop), false);
}

std::optional<HookEnd> HookProgram::follow(Duration timeout, std::stop_token stop, bool may_leave) {
  if (stop.stop_requested()) return HookEnd{.how = HookEnd::How::cancelled};
  const TimePoint deadline = clock_.now() + timeout;
  if (!child_) {
    auto started = processes_.start(command_, stop);
    if (!started) return not_started(started.error());
    child_ = std::move(*started);
    command_.input = {};
  }
  std::stop_source leave, flooded;
  if (!may_leave) has_first_line_ = true;
  const auto sink = [&](OutputStream stream, std::string_view bytes) { take(stream, bytes, leave, flooded); };
  // One stop for both: an abort of the user, and a flood.
  const std::stop_callback on_stop(stop, [&flooded] { flooded.request_stop(); });
  auto end = child_->follow(sink, {.cancel = flooded.get_token(), .deadline = deadline}, leave.get_token());
  if (!end) {
    child_.reset();
    return not_started(end.error());
  }
  if (!*end) return std::nullopt;
  const bool is_flooded = flooded.stop_requested() && !stop.stop_requested();
  HookEnd ended = end_of(**end, timeout, is_flooded);
  child_.reset();
  return ended;
}

void HookProgram::take(OutputStream stream, std::string_view bytes, std::stop_source& leave,
                       std::stop_source& flooded) {
  std::string& kept = stream == OutputStream::output ? output_ : errors_;
  const std::size_t room = kHookOutputBytesMax - std::min(kept.size(), kHookOutputBytesMax);
  kept += bytes.substr(0, room);
  if (stream == OutputStream::output && bytes.size() > room) output_cut_ = true;
  printed_ += bytes.size();
  if (printed_ > kHookFloodBytesMax) flooded.request_stop();
  if (stream != OutputStream::output || has_first_line_) return;
  const std::size_t line_end = output_.find('\n');
  if (line_end == output_.npos) return;
  has_first_line_ = true;
  const std::string_view line = std::string_view(output_).substr(0, line_end);
  if (!asks_for_background(line)) return;
  asked_for_ = background_time(line);
  output_.erase(0, line_end + 1);  // what follows is its answer
  leave.request_stop();
}

HookEnd HookProgram::end_of(const CommandEnd& end, Duration timeout, bool flooded) {
  left_behind_ = end.leftover_count;
  HookEnd ended{.exit_code = end.exit_code,
                .output = std::move(output_),
                .errors = std::move(errors_),
                .output_cut = output_cut_};
  if (flooded) {
    ended.how = HookEnd::How::crashed;
    ended.detail = "it printed more than " + human_bytes(kHookFloodBytesMax);
  } else if (end.cause == CommandEnd::Cause::timeout) {
    ended.how = HookEnd::How::timed_out;
    ended.detail = "after " + seconds_text(timeout);
  } else if (end.cause == CommandEnd::Cause::cancel) {
    ended.how = HookEnd::How::cancelled;
  } else if (end.signal != 0) {
    ended.how = HookEnd::How::crashed;
    const char* name = ::sigabbrev_np(end.signal);
    ended.detail = name ? "SIG" + std::string(name) : "signal " + std::to_string(end.signal);
  }
  return ended;
}

}  // namespace deft
