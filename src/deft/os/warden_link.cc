#include "deft/os/warden_link.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

namespace deft {

namespace {

constexpr int kWardenExitMillisMax = 8000;
constexpr int kWardenDeathMillisMax = 1000;
constexpr int kWardenAcceptSecondsMax = 2;

// 0, or errno.
int send_with_descriptors(int socket, const warden::StartRequest& request, std::span<const int> descriptors) {
  iovec data{.iov_base = const_cast<warden::StartRequest*>(&request), .iov_len = sizeof request};
  alignas(cmsghdr) char control[CMSG_SPACE(warden::kPassedMax * sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  if (!descriptors.empty()) {
    message.msg_control = control;
    message.msg_controllen = CMSG_SPACE(descriptors.size_bytes());
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(descriptors.size_bytes());
    std::memcpy(CMSG_DATA(header), descriptors.data(), descriptors.size_bytes());
  }
  while (::sendmsg(socket, &message, MSG_NOSIGNAL) < 0) {
    if (errno != EINTR) return errno;
  }
  return 0;
}

// Still our child, so that its number can't be another's? The host program may reap what it finds.
bool is_our_child(pid_t pid) {
  siginfo_t info{};
  return ::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

// Nothing is ever said on the socket: what makes it readable is that the other end is closed.
bool is_closed(int socket, int patience_millis) {
  pollfd ended{.fd = socket, .events = POLLIN, .revents = 0};
  int ready = 0;
  do {
    ready = ::poll(&ended, 1, patience_millis);
  } while (ready < 0 && errno == EINTR);
  return ready != 0;
}

}  // namespace

WardenLink::~WardenLink() {
  const std::lock_guard lock(mutex_);
  end();
}

void WardenLink::end() {
  StartedWarden ending = std::move(warden_);
  warden_ = StartedWarden{};
  if (!ending.requests || owner_ != ::getpid()) return;
  ::shutdown(ending.requests.get(), SHUT_WR);
  // Its end of the socket is closed when it has ended everything and exits.
  const bool is_gone = is_closed(ending.requests.get(), kWardenExitMillisMax);
  if (!is_our_child(ending.pid)) return;
  if (!is_gone) ::kill(ending.pid, SIGKILL);  // its supervisors end the rest
  while (::waitpid(ending.pid, nullptr, 0) < 0 && errno == EINTR) {
  }
}

Result<void> WardenLink::start() {
  end();
  auto started = start_warden(ImageRoute::memory);
  if (!started) started = start_warden(ImageRoute::file);
  if (!started) return std::unexpected(started.error());
  const timeval patience{.tv_sec = kWardenAcceptSecondsMax, .tv_usec = 0};
  ::setsockopt(started->requests.get(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  warden_ = std::move(*started);
  owner_ = ::getpid();
  return {};
}

void WardenLink::prepare(const warden::StartRequest& what) {
  const std::lock_guard lock(mutex_);
  const bool is_there = warden_.requests && owner_ == ::getpid();
  if (is_there || start()) send_with_descriptors(warden_.requests.get(), what, {});
}

Result<pid_t> WardenLink::send(const warden::StartRequest& request, std::span<const int> descriptors) {
  const std::lock_guard lock(mutex_);
  int error = EPIPE;
  if (warden_.requests && owner_ == ::getpid()) {
    error = send_with_descriptors(warden_.requests.get(), request, descriptors);
  }
  if (error == EPIPE || error == ECONNRESET) {
    if (const auto started = start(); !started) return std::unexpected(started.error());
    error = send_with_descriptors(warden_.requests.get(), request, descriptors);
  }
  if (error == EAGAIN) {  // it takes nothing: perhaps a command has stopped it
    wake();
    error = send_with_descriptors(warden_.requests.get(), request, descriptors);
  }
  if (error != 0) return std::unexpected(system_error(Errc::io, "the warden takes no command", error));
  return warden_.pid;
}

void WardenLink::await_death(pid_t warden) {
  const std::lock_guard lock(mutex_);
  if (warden_.pid != warden || !warden_.requests || owner_ != ::getpid()) return;
  if (is_closed(warden_.requests.get(), kWardenDeathMillisMax)) end();
}

void WardenLink::nudge() {
  const std::lock_guard lock(mutex_);
  if (warden_.requests && owner_ == ::getpid()) wake();
}

void WardenLink::wake() {
  if (is_our_child(warden_.pid)) ::kill(warden_.pid, SIGCONT);
}

}  // namespace deft
