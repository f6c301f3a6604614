#pragma once

#include <poll.h>

#include <cstddef>
#include <optional>
#include <span>

#include "deft/base/clock.h"

namespace deft {

// poll() until the deadline; EINTR is no event.
int poll_until(std::span<pollfd> watched, const Clock& clock, std::optional<TimePoint> deadline);

// A read that doesn't wait.
struct ReadOnce {
  enum class State { data, nothing_yet, ended } state = State::ended;
  std::size_t bytes = 0;
};
ReadOnce read_once(int fd, std::span<char> into);

}  // namespace deft
