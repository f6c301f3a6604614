#include "deft/base/wake_up.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <ctime>

namespace deft {
namespace {

// Without a descriptor of our own (there are no more of them) nobody can wake us: we look ourselves.
constexpr Duration kLookAgain = std::chrono::milliseconds(10);

timespec time_until(TimePoint when) {
  const TimePoint now = std::chrono::steady_clock::now();
  const Duration left = when > now ? when - now : Duration{};
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(left);
  return {.tv_sec = static_cast<time_t>(seconds.count()), .tv_nsec = static_cast<long>((left - seconds).count())};
}

}  // namespace

WakeUp::~WakeUp() {
  if (event_ >= 0) ::close(event_);
}

void WakeUp::prepare() {
  if (event_ < 0) event_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
}

void WakeUp::wake() const {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(event_, &one, sizeof one);
}

bool WakeUp::wait(std::optional<TimePoint> deadline, const Pump& pump) {
  const auto pump_deadline = pump.deadline();
  std::optional<TimePoint> until = deadline;
  const auto no_later_than = [&](TimePoint when) { until = until ? std::min(*until, when) : when; };
  if (pump_deadline) no_later_than(*pump_deadline);
  if (event_ < 0) no_later_than(std::chrono::steady_clock::now() + kLookAgain);

  pollfd entries[2] = {{.fd = pump.descriptor(), .events = pump.events(), .revents = 0},
                       {.fd = event_, .events = POLLIN, .revents = 0}};
  const timespec left = until ? time_until(*until) : timespec{};
  ::ppoll(entries, 2, until ? &left : nullptr, nullptr);
  if (entries[1].revents != 0) {
    std::uint64_t count = 0;
    [[maybe_unused]] const ssize_t read = ::read(event_, &count, sizeof count);
  }
  const bool is_overdue = pump_deadline && std::chrono::steady_clock::now() >= *pump_deadline;
  return entries[0].revents != 0 || is_overdue;
}

}  // namespace deft
