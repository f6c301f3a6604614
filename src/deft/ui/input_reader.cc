#include "deft/ui/input_reader.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <utility>

#include "deft/base/check.h"

namespace deft {
namespace {

constexpr std::size_t kReadBytes = std::size_t{64} << 10;
constexpr int kExitInterrupted = 130;

sigset_t ending_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&set, signal);
  return set;
}

}  // namespace

void InputReader::take_over_signals() {
  const sigset_t set = ending_signals();
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
  ::signal(SIGPIPE, SIG_IGN);
}

InputReader::InputReader(int descriptor, int output, Sink sink)
    : descriptor_(descriptor), output_(output), sink_(std::move(sink)) {
  const sigset_t set = ending_signals();
  wake_up_ = ::eventfd(0, EFD_CLOEXEC);
  signals_ = ::signalfd(-1, &set, SFD_CLOEXEC);
  DEFT_CHECK(wake_up_ >= 0 && signals_ >= 0);
  thread_ = std::thread([this] { read_all(); });
}

InputReader::~InputReader() {
  const std::uint64_t one = 1;
  DEFT_CHECK(::write(wake_up_, &one, sizeof one) == sizeof one);
  thread_.join();
  ::close(wake_up_);
  ::close(signals_);
}

void InputReader::read_all() {
  ExecInput input;
  std::string buffer(kReadBytes, '\0');
  const auto hand_on = [this](std::vector<InputItem> items) {
    for (InputItem& item : items) sink_(std::move(item));
  };
  bool open = true;
  bool read_by_someone = true;
  bool aborted = false;
  for (;;) {
    std::array<pollfd, 4> waits = {pollfd{wake_up_, POLLIN, 0}, pollfd{signals_, POLLIN, 0},
                                   pollfd{open ? descriptor_ : -1, POLLIN, 0},
                                   pollfd{read_by_someone ? output_ : -1, 0, 0}};  // tells errors only
    if (::poll(waits.data(), waits.size(), -1) < 0) continue;
    if (waits[0].revents != 0) return;
    if (waits[1].revents != 0) {
      signalfd_siginfo info{};
      if (::read(signals_, &info, sizeof info) == sizeof info) {
        if (std::exchange(aborted, true)) std::_Exit(kExitInterrupted);
        sink_(Feed(Aborted{}));
      }
    }
    if (waits[3].revents != 0) {
      read_by_someone = false;
      sink_(Feed(Aborted{}));
    }
    if (waits[2].revents == 0) continue;
    const ssize_t count = ::read(descriptor_, buffer.data(), buffer.size());
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count > 0) {
      hand_on(input.feed(std::string_view(buffer).substr(0, static_cast<std::size_t>(count))));
    } else {
      open = false;
      hand_on(input.finish());
    }
  }
}

}  // namespace deft
