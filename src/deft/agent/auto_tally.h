#pragma once

#include <cstddef>
#include <mutex>

namespace deft {

inline constexpr std::size_t kRiskyInARowMax = 3;
inline constexpr std::size_t kRiskyMax = 20;

// Counts what auto mode's classifier called risky. When that is too much, somebody should look: auto mode pauses and
// everything that would be left to the classifier is asked for, until a person approves something. Any thread may call.
class AutoTally {
 public:
  void risky() {
    const std::lock_guard lock(mutex_);
    ++in_a_row_;
    ++total_;
    paused_ = paused_ || in_a_row_ >= kRiskyInARowMax || total_ >= kRiskyMax;
  }
  void harmless() {
    const std::lock_guard lock(mutex_);
    in_a_row_ = 0;
  }
  void approved() {
    const std::lock_guard lock(mutex_);
    in_a_row_ = 0;
    if (total_ >= kRiskyMax) total_ = 0;
    paused_ = false;
  }
  bool paused() const {
    const std::lock_guard lock(mutex_);
    return paused_;
  }

 private:
  mutable std::mutex mutex_;
  std::size_t in_a_row_ = 0;
  std::size_t total_ = 0;
  bool paused_ = false;
};

}  // namespace deft
