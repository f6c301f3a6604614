#pragma once

#include <atomic>
#include <functional>
#include <stop_token>
#include <utility>

#include "deft/base/clock.h"

namespace deft {

// When a search must end: when its call is cancelled, or when its own time is up. Asked from several threads.
class SearchStop {
 public:
  SearchStop(const std::stop_token& call, const Clock& clock, Duration at_most)
      : clock_(clock), deadline_(clock.now() + at_most), forward_(call, [this] { source_.request_stop(); }) {}

  // Also looks at the clock: ask now and then.
  bool requested() {
    if (source_.stop_requested()) return true;
    if (clock_.now() < deadline_) return false;
    timed_out_ = true;
    source_.request_stop();
    return true;
  }
  std::stop_token token() const { return source_.get_token(); }
  bool timed_out() const { return timed_out_; }

 private:
  const Clock& clock_;
  const TimePoint deadline_;
  std::stop_source source_;
  std::atomic<bool> timed_out_ = false;
  std::stop_callback<std::function<void()>> forward_;  // last: may call at once
};

}  // namespace deft
