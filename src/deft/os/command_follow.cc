#include "deft/os/command_follow.h"

#include <poll.h>

#include <algorithm>
#include <utility>

#include "deft/os/poll_until.h"
#include "deft/os/stop_event.h"

namespace deft {

namespace {

constexpr std::size_t kReadBytesMax = std::size_t{64} << 10;
// What is still read after everything has ended, should someone outside hold the pipe and go on writing.
constexpr std::size_t kDrainBytesMax = std::size_t{4} << 20;

std::optional<TimePoint> earlier(std::optional<TimePoint> a, std::optional<TimePoint> b) {
  if (!a || !b) return a ? a : b;
  return std::min(*a, *b);
}

class FollowLoop {
 public:
  FollowLoop(const Clock& clock, WardenLink& link, RunningCommand& running, Duration end_grace,
             const OutputSink& on_output, const RunUntil& until, std::stop_token leave)
      : clock_(clock),
        link_(link),
        running_(running),
        answer_patience_(end_grace + kSupervisorAnswerMax),
        on_output_(on_output),
        cancelled_(until.cancel),
        aborted_(until.abort),
        left_(leave),
        leave_(std::move(leave)),
        nudge_due_(clock.now() + kStartPatience) {
    if (until.deadline && *until.deadline - clock.now() <= kTimeoutMax)
      answer_due_ = *until.deadline + answer_patience_;
  }

  Result<std::optional<CommandEnd>> run() {
    if (!cancelled_.works() || !aborted_.works() || !left_.works()) {
      return fail(Errc::limit, "too many open files to wait for a process");
    }
    for (;;) {
      if (leave_.stop_requested()) return std::nullopt;
      wait_and_pass_on();
      if (auto outcome = running_.channel->outcome()) {
        drain(running_.output, OutputStream::output);
        drain(running_.errors, OutputStream::errors);
        if (!*outcome) return std::unexpected(outcome->error());
        return **std::move(outcome);
      }
      nudge_if_due();
      if (answer_due_ && clock_.now() >= *answer_due_ && !has_answered()) {
        return fail(Errc::io, "the command could not be ended in time; parts of it may still run");
      }
    }
  }

 private:
  void wait_and_pass_on() {
    pollfd watched[] = {{.fd = running_.output.get(), .events = POLLIN, .revents = 0},
                        {.fd = running_.errors.get(), .events = POLLIN, .revents = 0},
                        {.fd = running_.channel->fd(), .events = POLLIN, .revents = 0},
                        {.fd = is_stopping_ ? -1 : cancelled_.fd(), .events = POLLIN, .revents = 0},
                        {.fd = is_stopping_ ? -1 : aborted_.fd(), .events = POLLIN, .revents = 0},
                        {.fd = left_.fd(), .events = POLLIN, .revents = 0}};
    poll_until(watched, clock_, earlier(answer_due_, nudge_due_));
    if (watched[0].revents != 0) pass_on(running_.output, OutputStream::output);
    if (watched[1].revents != 0) pass_on(running_.errors, OutputStream::errors);
    if (watched[2].revents != 0) running_.channel->receive();
    if (watched[3].revents == 0 && watched[4].revents == 0) return;
    is_stopping_ = true;
    answer_due_ = earlier(answer_due_, clock_.now() + answer_patience_);
  }

  std::size_t pass_on(UniqueFd& pipe, OutputStream stream) {
    const ReadOnce got = read_once(pipe.get(), {buffer_.get(), kReadBytesMax});
    if (got.state == ReadOnce::State::ended) pipe.reset();
    if (got.bytes > 0 && on_output_) on_output_(stream, {buffer_.get(), got.bytes});
    return got.bytes;
  }

  // Everyone who could write has ended, so what is there now is all; the pipe's own end is not waited for.
  void drain(UniqueFd& pipe, OutputStream stream) {
    for (std::size_t total = 0; pipe && total < kDrainBytesMax;) {
      const std::size_t bytes = pass_on(pipe, stream);
      if (bytes == 0) return;
      total += bytes;
    }
  }

  // We may have slept through it ourselves (Ctrl-Z, a closed laptop): then the answer has come meanwhile.
  bool has_answered() {
    running_.channel->receive();
    return running_.channel->outcome().has_value();
  }

  void nudge_if_due() {
    if (!nudge_due_) return;
    const bool is_started = running_.channel->is_started();
    if (!is_started && clock_.now() < *nudge_due_) return;
    if (!is_started) link_.nudge();
    nudge_due_.reset();
  }

  const Clock& clock_;
  WardenLink& link_;
  RunningCommand& running_;
  const Duration answer_patience_;
  const OutputSink& on_output_;
  const StopEvent cancelled_;
  const StopEvent aborted_;
  const StopEvent left_;
  const std::stop_token leave_;
  std::optional<TimePoint> answer_due_;  // when the supervisor must have reported the end
  std::optional<TimePoint> nudge_due_;
  bool is_stopping_ = false;
  const std::unique_ptr<char[]> buffer_ = std::make_unique_for_overwrite<char[]>(kReadBytesMax);
};

}  // namespace

Result<std::optional<CommandEnd>> follow_command(const Clock& clock, WardenLink& link, RunningCommand& running,
                                                 Duration end_grace, const OutputSink& on_output, const RunUntil& until,
                                                 std::stop_token leave) {
  CommandChannel& channel = *running.channel;
  FollowLoop loop(clock, link, running, end_grace, on_output, until, std::move(leave));
  const std::stop_callback cancel(until.cancel, [&] { channel.request_end(end_grace); });
  const std::stop_callback abort(until.abort, [&] { channel.request_end(Duration::zero()); });
  return loop.run();
}

}  // namespace deft
