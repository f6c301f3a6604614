#include "deft/os/warden_child.h"

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <ctime>

#include "deft/os/command_follow.h"
#include "deft/os/poll_until.h"
#include "deft/os/stop_event.h"

namespace deft {

namespace {

// write() to a pipe whose reader is gone raises SIGPIPE, and the host program may not ignore that.
ssize_t write_without_signal(int fd, std::string_view bytes) {
  sigset_t broken_pipe;
  sigset_t before;
  sigset_t pending;
  sigemptyset(&broken_pipe);
  sigaddset(&broken_pipe, SIGPIPE);
  sigpending(&pending);
  ::pthread_sigmask(SIG_BLOCK, &broken_pipe, &before);
  const ssize_t written = ::write(fd, bytes.data(), bytes.size());
  const int error = errno;
  if (written < 0 && error == EPIPE && sigismember(&pending, SIGPIPE) == 0) {
    const timespec at_once{};
    while (::sigtimedwait(&broken_pipe, nullptr, &at_once) < 0 && errno == EINTR) {
    }
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = error;
  return written;
}

}  // namespace

WardenChild::~WardenChild() {
  if (is_given_up_ || running_.channel->outcome()) return;
  end(Duration::zero());
  // Who lets a child go may rely on its end. Without reading its pipes: it dies without being able to write.
  static_cast<void>(wait({}, clock_.now() + kSupervisorAnswerMax));
}

Result<void> WardenChild::write(std::string_view bytes, std::stop_token stop) {
  const StopEvent stopped(stop);
  if (!stopped.works()) return fail(Errc::limit, "too many open files to wait for a process");
  while (!bytes.empty()) {
    if (stop.stop_requested()) return fail(Errc::cancelled, "writing to the process was cancelled");
    if (!running_.input) return fail(Errc::io, "the process's input is closed");
    const ssize_t written = write_without_signal(running_.input.get(), bytes);
    if (written >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(written));
      continue;
    }
    if (errno != EAGAIN) return std::unexpected(system_error(Errc::io, "the process takes no more input", errno));
    pollfd watched[] = {{.fd = running_.input.get(), .events = POLLOUT, .revents = 0},
                        {.fd = stopped.fd(), .events = POLLIN, .revents = 0}};
    poll_until(watched, clock_, std::nullopt);
  }
  return {};
}

std::size_t WardenChild::write_some(std::string_view bytes) {
  if (!running_.input) return 0;
  const ssize_t written = write_without_signal(running_.input.get(), bytes);
  return written > 0 ? static_cast<std::size_t>(written) : 0;
}

Result<std::size_t> WardenChild::read(OutputStream stream, std::span<char> into, std::stop_token stop,
                                      std::optional<TimePoint> deadline) {
  const int fd = stream == OutputStream::output ? running_.output.get() : running_.errors.get();
  if (fd < 0 || into.empty()) return 0;
  const StopEvent stopped(stop);
  if (!stopped.works()) return fail(Errc::limit, "too many open files to wait for a process");
  for (;;) {
    if (stop.stop_requested()) return fail(Errc::cancelled, "reading from the process was cancelled");
    // Asked before reading: what was written before the end is there now. Somebody outside may hold the pipe open, so
    // the end of the command, not the end of the pipe, is the end of its output.
    const bool has_ended = running_.channel->outcome().has_value();
    const ReadOnce got = read_once(fd, into);
    if (got.state == ReadOnce::State::data) return got.bytes;
    if (got.state == ReadOnce::State::ended || has_ended) return 0;
    pollfd watched[] = {{.fd = fd, .events = POLLIN, .revents = 0},
                        {.fd = running_.channel->fd(), .events = POLLIN, .revents = 0},
                        {.fd = stopped.fd(), .events = POLLIN, .revents = 0}};
    if (poll_until(watched, clock_, deadline) == 0) return fail(Errc::timeout, "the process has written nothing yet");
    if (watched[1].revents != 0) running_.channel->receive();
  }
}

Result<std::optional<CommandEnd>> WardenChild::follow(const OutputSink& on_output, const RunUntil& until,
                                                      std::stop_token leave) {
  if (until.deadline) running_.channel->request_timeout(*until.deadline - clock_.now());
  return pass_on(on_output, until, std::move(leave));
}

Result<std::optional<CommandEnd>> WardenChild::pass_on(const OutputSink& on_output, const RunUntil& until,
                                                       std::stop_token leave) {
  auto end = follow_command(clock_, link_, running_, end_grace_, on_output, until, std::move(leave));
  const bool runs_on = end && !*end;
  if (runs_on && until.deadline) running_.channel->request_timeout(std::nullopt);
  is_given_up_ = !end && !running_.channel->outcome();
  if (running_.channel->has_lost_warden()) link_.await_death(running_.warden);
  return end;
}

Result<void> WardenChild::wait_for_start(std::stop_token stop) {
  const StopEvent stopped(stop);
  if (!stopped.works()) return fail(Errc::limit, "too many open files to start a process");
  CommandChannel& channel = *running_.channel;
  std::optional<TimePoint> nudge_due = clock_.now() + kStartPatience;
  while (!channel.is_started()) {
    if (stop.stop_requested()) return fail(Errc::cancelled, "the command was cancelled while it started");
    pollfd watched[] = {{.fd = channel.fd(), .events = POLLIN, .revents = 0},
                        {.fd = stopped.fd(), .events = POLLIN, .revents = 0}};
    if (poll_until(watched, clock_, nudge_due) == 0) {
      link_.nudge();
      nudge_due.reset();
    }
    channel.receive();
  }
  if (channel.has_lost_warden()) link_.await_death(running_.warden);
  if (const auto outcome = channel.outcome(); outcome && !*outcome) return std::unexpected(outcome->error());
  return {};
}

Result<CommandEnd> WardenChild::wait(std::stop_token stop, std::optional<TimePoint> deadline) {
  const StopEvent stopped(stop);
  if (!stopped.works()) return fail(Errc::limit, "too many open files to wait for a process");
  for (;;) {
    running_.channel->receive();
    if (auto outcome = running_.channel->outcome()) return *std::move(outcome);
    if (stop.stop_requested()) return fail(Errc::cancelled, "waiting for the process was cancelled");
    pollfd watched[] = {{.fd = running_.channel->fd(), .events = POLLIN, .revents = 0},
                        {.fd = stopped.fd(), .events = POLLIN, .revents = 0}};
    if (poll_until(watched, clock_, deadline) == 0) return fail(Errc::timeout, "the process runs still");
  }
}

}  // namespace deft
