#pragma once

#include <chrono>

namespace deft {

using Duration = std::chrono::nanoseconds;
using TimePoint = std::chrono::time_point<std::chrono::steady_clock, Duration>;
using WallTime = std::chrono::system_clock::time_point;

// The time. Everything that waits for time asks here, so that tests run in virtual time.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual TimePoint now() const = 0;       // never jumps
  virtual WallTime wall_time() const = 0;  // for people; may jump
  // When to wake up somebody who waits for `at`, on the system's steady clock. In virtual time: at once.
  virtual TimePoint on_steady_clock(TimePoint at) const { return at; }
};

class SystemClock final : public Clock {
 public:
  TimePoint now() const override { return std::chrono::steady_clock::now(); }
  WallTime wall_time() const override { return std::chrono::system_clock::now(); }
};

}  // namespace deft
