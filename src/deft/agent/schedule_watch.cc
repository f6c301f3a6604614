#include "deft/agent/schedule_watch.h"

#include <algorithm>
#include <utility>

namespace deft {

ScheduleWatch::ScheduleWatch(Parts parts)
    : clock_(parts.schedule.clock), give_(std::move(parts.give)), tell_(std::move(parts.tell)) {
  parts.schedule.on_change = [this] { look_again(); };
  schedule_ = std::make_shared<SharedSchedule>(std::move(parts.schedule));
  worker_ = std::jthread([this](const std::stop_token& stop) { work(stop); });
}

ScheduleWatch::~ScheduleWatch() {
  worker_.request_stop();
  worker_.join();
}

void ScheduleWatch::look_again() {
  {
    const std::lock_guard lock(mutex_);
    look_again_ = true;
  }
  changed_.notify_all();
}

void ScheduleWatch::work(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    {
      const std::lock_guard lock(mutex_);
      look_again_ = false;  // from here on a change is a new one
    }
    auto next = schedule_->next_due();
    if (next && *next <= clock_.wall_time()) {
      for (PromptDue& due : schedule_->take_due()) give_(std::move(due.prompt));
      next = schedule_->next_due();
    }
    for (std::string& notice : schedule_->take_notices()) {
      if (tell_) tell_(std::move(notice));
    }
    // What is still due could not be taken, because a disk is full: not at once again.
    const Duration left = next ? *next - clock_.wall_time() : kScheduleLookAgain;
    const Duration wait = left > Duration::zero() ? std::min(left, kScheduleLookAgain) : kScheduleLookAgain;
    const auto is_awaited = [this] { return look_again_; };
    std::unique_lock lock(mutex_);
    changed_.wait_until(lock, stop, clock_.on_steady_clock(clock_.now() + wait), is_awaited);
  }
}

}  // namespace deft
