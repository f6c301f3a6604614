#include "deft/ui/stream_reader.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <utility>

#include "deft/base/check.h"

namespace deft {
namespace {

constexpr std::size_t kReadBytes = std::size_t{64} << 10;

sigset_t ending_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&set, signal);
  return set;
}

}  // namespace

void StreamReader::take_over_signals() {
  const sigset_t set = ending_signals();
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
  ::signal(SIGPIPE, SIG_IGN);
  ::signal(SIGXFSZ, SIG_IGN);  // under a limit a write fails as on a full disk, which is provided for
}

StreamReader::StreamReader(int descriptor, int output, Sink sink)
    : descriptor_(descriptor), output_(output), sink_(std::move(sink)) {
  const sigset_t set = ending_signals();
  wake_up_ = UniqueFd(::eventfd(0, EFD_CLOEXEC));
  signals_ = UniqueFd(::signalfd(-1, &set, SFD_CLOEXEC));
  DEFT_CHECK(wake_up_.get() >= 0 && signals_.get() >= 0);
  thread_ = std::thread([this] { read_all(); });
}

StreamReader::~StreamReader() {
  const std::uint64_t one = 1;
  DEFT_CHECK(::write(wake_up_.get(), &one, sizeof one) == sizeof one);
  thread_.join();
}

void StreamReader::read_all() {
  std::string buffer(descriptor_ >= 0 ? kReadBytes : 0, '\0');
  bool open = descriptor_ >= 0;
  bool read_by_someone = true;
  for (;;) {
    std::array<pollfd, 4> waits = {pollfd{wake_up_.get(), POLLIN, 0}, pollfd{signals_.get(), POLLIN, 0},
                                   pollfd{open ? descriptor_ : -1, POLLIN, 0},
                                   pollfd{read_by_someone ? output_ : -1, 0, 0}};  // tells errors only
    if (::poll(waits.data(), waits.size(), -1) < 0) continue;
    if (waits[0].revents != 0) return;
    if (waits[1].revents != 0) {
      signalfd_siginfo info{};
      if (::read(signals_.get(), &info, sizeof info) == sizeof info) {
        sink_(SignalCame{static_cast<int>(info.ssi_signo)});
      }
    }
    if (waits[3].revents != 0) {
      read_by_someone = false;
      sink_(OutputGone{});
    }
    if (waits[2].revents == 0) continue;
    const ssize_t count = ::read(descriptor_, buffer.data(), buffer.size());
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count > 0) {
      sink_(BytesCame{std::string_view(buffer).substr(0, static_cast<std::size_t>(count))});
    } else {
      open = false;
      sink_(StreamEnded{});
    }
  }
}

}  // namespace deft
