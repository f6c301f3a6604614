#pragma once

#include <atomic>

#include "deft/base/clock.h"

namespace deft {

// Time that passes only where somebody would have to wait for it, and then at once.
class VirtualClock final : public Clock {
 public:
  TimePoint now() const override { return TimePoint(Duration(now_.load())); }
  WallTime wall_time() const override {
    return WallTime(std::chrono::duration_cast<WallTime::duration>(Duration(now_.load())));
  }
  TimePoint on_steady_clock(TimePoint) const override { return TimePoint{}; }
  void advance(Duration by) { now_ += by.count(); }

 private:
  std::atomic<Duration::rep> now_ = Duration(std::chrono::hours(1)).count();
};

}  // namespace deft
