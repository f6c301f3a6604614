#include "deft/os/warden_child.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <ctime>

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

int poll_until(std::span<pollfd> watched, const Clock& clock, std::optional<TimePoint> deadline) {
  for (;;) {
    int wait_millis = -1;
    if (deadline) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(*deadline - clock.now()).count();
      wait_millis = static_cast<int>(std::clamp<long long>(left, 0, INT_MAX));
    }
    const int ready = ::poll(watched.data(), watched.size(), wait_millis);
    if (ready >= 0 || errno != EINTR) return ready;
  }
}

ReadOnce read_once(int fd, std::span<char> into) {
  for (;;) {
    const ssize_t got = ::read(fd, into.data(), into.size());
    if (got > 0) return {ReadOnce::State::data, static_cast<std::size_t>(got)};
    if (got < 0 && errno == EINTR) continue;
    return {got < 0 && errno == EAGAIN ? ReadOnce::State::nothing_yet : ReadOnce::State::ended, 0};
  }
}

WardenChild::~WardenChild() {
  if (running_.channel->outcome()) return;
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
