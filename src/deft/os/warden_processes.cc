#include "deft/os/warden_processes.h"

#include <poll.h>

#include <algorithm>
#include <utility>

#include "deft/os/command_launch.h"
#include "deft/os/stop_event.h"
#include "deft/os/warden_child.h"
#include "deft/os/warden_link.h"

// The life of a run(): the command goes to the warden with one end of a channel and of each pipe; then one loop on the
// caller's thread hands the output on until the supervisor has reported the end of everything. A stop or a deadline is
// the supervisor's business: it works while the sink is busy. This loop only sees to it that an answer comes.

namespace deft {

namespace {

constexpr std::size_t kReadBytesMax = std::size_t{64} << 10;
// What is still read after everything has ended, should someone outside hold the pipe and go on writing.
constexpr std::size_t kDrainBytesMax = std::size_t{4} << 20;
// A program that takes this long to start may have a warden that was stopped.
constexpr Duration kStartPatience = std::chrono::seconds(2);

std::optional<TimePoint> earlier(std::optional<TimePoint> a, std::optional<TimePoint> b) {
  if (!a || !b) return a ? a : b;
  return std::min(*a, *b);
}

class RunLoop {
 public:
  RunLoop(const Clock& clock, WardenLink& link, RunningCommand running, Duration end_grace, const OutputSink& on_output,
          const RunUntil& until)
      : clock_(clock),
        link_(link),
        running_(std::move(running)),
        answer_patience_(end_grace + kSupervisorAnswerMax),
        on_output_(on_output),
        cancelled_(until.cancel),
        aborted_(until.abort),
        nudge_due_(clock.now() + kStartPatience) {
    if (until.deadline && *until.deadline - clock.now() <= kTimeoutMax)
      answer_due_ = *until.deadline + answer_patience_;
  }

  Result<CommandEnd> run() {
    for (;;) {
      wait_and_pass_on();
      if (auto outcome = running_.channel->outcome()) {
        drain(running_.output, OutputStream::output);
        drain(running_.errors, OutputStream::errors);
        return *std::move(outcome);
      }
      nudge_if_due();
      if (answer_due_ && clock_.now() >= *answer_due_) {
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
                        {.fd = is_stopping_ ? -1 : aborted_.fd(), .events = POLLIN, .revents = 0}};
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

  void nudge_if_due() {
    if (!nudge_due_) return;
    const bool is_started = running_.channel->is_started();
    if (!is_started && clock_.now() < *nudge_due_) return;
    if (!is_started) link_.nudge();
    nudge_due_.reset();
  }

  const Clock& clock_;
  WardenLink& link_;
  RunningCommand running_;
  const Duration answer_patience_;
  const OutputSink& on_output_;
  const StopEvent cancelled_;
  const StopEvent aborted_;
  std::optional<TimePoint> answer_due_;  // when the supervisor must have reported the end
  std::optional<TimePoint> nudge_due_;
  bool is_stopping_ = false;
  const std::unique_ptr<char[]> buffer_ = std::make_unique_for_overwrite<char[]>(kReadBytesMax);
};

}  // namespace

WardenProcesses::WardenProcesses(const Clock& clock) : clock_(clock), link_(std::make_unique<WardenLink>()) {}
WardenProcesses::~WardenProcesses() = default;

Result<CommandEnd> WardenProcesses::run(const Command& command, const OutputSink& on_output, const RunUntil& until) {
  if (until.cancel.stop_requested() || until.abort.stop_requested()) {
    return fail(Errc::cancelled, "the command was cancelled before it started");
  }
  std::optional<Duration> timeout;
  if (until.deadline) timeout = *until.deadline - clock_.now();
  if (timeout && *timeout <= Duration::zero())
    return fail(Errc::timeout, "the command's time was up before it started");
  auto running = launch_command(*link_, command, StandardInput::text, timeout);
  if (!running) return std::unexpected(running.error());
  CommandChannel& channel = *running->channel;
  const Duration end_grace = std::clamp(command.end_grace, Duration::zero(), kEndGraceMax);
  RunLoop loop(clock_, *link_, *std::move(running), end_grace, on_output, until);
  const std::stop_callback cancel(until.cancel, [&] { channel.request_end(end_grace); });
  const std::stop_callback abort(until.abort, [&] { channel.request_end(Duration::zero()); });
  return loop.run();
}

Result<std::unique_ptr<Child>> WardenProcesses::start(const Command& command, std::stop_token stop) {
  if (stop.stop_requested()) return fail(Errc::cancelled, "the command was cancelled before it started");
  auto running = launch_command(*link_, command, StandardInput::pipe, std::nullopt);
  if (!running) return std::unexpected(running.error());
  CommandChannel& channel = *running->channel;
  auto child = std::make_unique<WardenChild>(clock_, *std::move(running));
  const StopEvent stopped(stop);
  if (!stopped.works()) return fail(Errc::limit, "too many open files to start a process");
  std::optional<TimePoint> nudge_due = clock_.now() + kStartPatience;
  while (!channel.is_started()) {
    if (stop.stop_requested()) return fail(Errc::cancelled, "the command was cancelled while it started");
    pollfd watched[] = {{.fd = channel.fd(), .events = POLLIN, .revents = 0},
                        {.fd = stopped.fd(), .events = POLLIN, .revents = 0}};
    if (poll_until(watched, clock_, nudge_due) == 0) {
      link_->nudge();
      nudge_due.reset();
    }
    channel.receive();
  }
  if (const auto outcome = channel.outcome(); outcome && !*outcome) return std::unexpected(outcome->error());
  return child;
}

}  // namespace deft
