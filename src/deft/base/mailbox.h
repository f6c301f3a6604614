#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

#include "deft/base/clock.h"

namespace deft {

// A queue with many writers and one reader: the only way that threads talk to a turn.
template <class T>
class Mailbox {
 public:
  void push(T item) {
    {
      const std::lock_guard lock(mutex_);
      items_.push_back(std::move(item));
    }
    arrived_.notify_one();
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
    std::optional<T> item(std::move(items_.front()));
    items_.pop_front();
    return item;
  }

 private:
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<T> items_;  // under mutex_
};

}  // namespace deft
