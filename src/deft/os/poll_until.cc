#include "deft/os/poll_until.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>

namespace deft {

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

}  // namespace deft
