#include "deft/tools/watch_command.h"

#include <memory>

namespace deft {
namespace {

constexpr std::size_t kReadBytesMax = std::size_t{64} << 10;
constexpr Duration kEndAnswerMax = std::chrono::seconds(10);  // beyond the grace; the warden needs far less

}  // namespace

std::optional<Result<CommandEnd>> watch_command(Child& child, const Clock& clock,
                                                const std::function<void(std::string_view)>& on_output,
                                                const WatchUntil& until) {
  std::stop_source woken;
  const std::stop_callback on_cancel(until.cancel, [&] { woken.request_stop(); });
  const std::stop_callback on_pause(until.pause, [&] { woken.request_stop(); });
  const auto buffer = std::make_unique_for_overwrite<char[]>(kReadBytesMax);
  std::stop_token wake = woken.get_token();
  std::optional<TimePoint> deadline = until.deadline;
  std::optional<CommandEnd::Cause> ended_by_us;
  const auto end_it = [&](CommandEnd::Cause cause) {
    ended_by_us = cause;
    child.end(until.end_grace);
    wake = {};
    deadline = clock.now() + until.end_grace + kEndAnswerMax;
  };

  for (bool reads = true;;) {  // then waits: it may have closed its output long before its end
    Error problem;
    if (reads) {
      const auto got = child.read(OutputStream::output, {buffer.get(), kReadBytesMax}, wake, deadline);
      if (got && *got > 0) on_output({buffer.get(), *got});
      if (got) reads = *got > 0;
      if (got) continue;
      problem = got.error();
    } else {
      auto end = child.wait(wake, deadline);
      if (end && ended_by_us) end->cause = *ended_by_us;
      if (end) return end;
      problem = end.error();
    }
    const bool is_stop = problem.code == Errc::cancelled || problem.code == Errc::timeout;
    if (!is_stop || ended_by_us) return std::unexpected(problem);
    if (problem.code == Errc::cancelled && !until.cancel.stop_requested()) return std::nullopt;
    end_it(problem.code == Errc::timeout ? CommandEnd::Cause::timeout : CommandEnd::Cause::cancel);
  }
}

}  // namespace deft
