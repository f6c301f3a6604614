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
    const auto next = schedule_->next_due();
    const WallTime now = clock_.wall_time();
    if (next && *next <= now) {
      for (PromptDue& due : schedule_->take_due()) give_(std::move(due.prompt));
    }
    for (std::string& notice : schedule_->take_notices()) {
      if (tell_) tell_(std::move(notice));
    }
    if (next && *next <= now) continue;
    const auto is_awaited = [this] { return look_again_; };
    std::unique_lock lock(mutex_);
    if (!next) {
      changed_.wait(lock, stop, is_awaited);
      continue;
    }
    const Duration wait = std::min<Duration>(*next - now, kScheduleLookAgain);
    changed_.wait_until(lock, stop, clock_.on_steady_clock(clock_.now() + wait), is_awaited);
  }
}

}  // namespace deft
