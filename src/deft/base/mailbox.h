#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

#include "deft/base/brief_lock.h"
#include "deft/base/clock.h"
#include "deft/base/pump.h"
#include "deft/base/wake_up.h"

namespace deft {

// A queue with many writers and one reader: the only way that threads talk to a turn.
template <class T>
class Mailbox {
 public:
  void push(T item) {
    bool reader_pumps = false;
    {
      const auto lock = brief_lock(mutex_);
      items_.push_back(std::move(item));
      reader_pumps = std::exchange(reader_pumps_, false);
    }
    if (reader_pumps) {
      wake_up_.wake();
    } else {
      arrived_.notify_one();
    }
  }

  // Waits for an item; without a deadline, for ever. Nothing: the deadline has passed.
  std::optional<T> pop(std::optional<TimePoint> deadline = std::nullopt) {
    std::unique_lock lock(mutex_);
    const auto ready = [this] { return !items_.empty(); };
    if (!deadline) {
      arrived_.wait(lock, ready);
    } else if (!arrived_.wait_until(lock, *deadline, ready)) {
      return std::nullopt;
    }
    return take_first();
  }

  // Without waiting.
  std::optional<T> take() {
    const auto lock = brief_lock(mutex_);
    return items_.empty() ? std::nullopt : take_first();
  }

  // The same as pop(), and keeps the pump going meanwhile.
  std::optional<T> pop(std::optional<TimePoint> deadline, Pump& pump) {
    wake_up_.prepare();
    for (;;) {
      {
        const auto lock = brief_lock(mutex_);
        reader_pumps_ = items_.empty();
        if (!reader_pumps_) return take_first();
      }
      const bool is_ready = wake_up_.wait(deadline, pump);
      {
        const std::lock_guard lock(mutex_);
        reader_pumps_ = false;
        if (!items_.empty()) return take_first();
      }
      if (is_ready) pump.advance();
      if (deadline && std::chrono::steady_clock::now() >= *deadline) return take();
    }
  }

 private:
  std::optional<T> take_first() {
    std::optional<T> item(std::move(items_.front()));
    items_.pop_front();
    return item;
  }

  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<T> items_;        // under mutex_
  bool reader_pumps_ = false;  // under mutex_: it waits for wake_up_
  WakeUp wake_up_;
};

}  // namespace deft
