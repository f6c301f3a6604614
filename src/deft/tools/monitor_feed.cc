#include "deft/tools/monitor_feed.h"

#include <utility>

namespace deft {

MonitorFeed::MonitorFeed(std::string task_id, std::string description, const Clock& clock, MonitorSink sink)
    : task_id_(std::move(task_id)),
      description_(std::move(description)),
      clock_(clock),
      sink_(std::move(sink)),
      worker_([this](const std::stop_token& stop) { work(stop); }) {}

MonitorFeed::~MonitorFeed() { worker_.request_stop(); }

void MonitorFeed::add(std::string_view bytes) {
  {
    const std::lock_guard lock(mutex_);
    throttle_.add(bytes, clock_.now());
  }
  changed_.notify_all();
}

void MonitorFeed::end(std::string how) {
  {
    const std::lock_guard lock(mutex_);
    ended_ = std::move(how);
  }
  changed_.notify_all();
}

MonitorEvent MonitorFeed::event_of(LineThrottle::Batch batch) const {
  return {
      .task_id = task_id_, .description = description_, .lines = std::move(batch.lines), .left_out = batch.left_out};
}

void MonitorFeed::work(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    if (ended_) {
      MonitorEvent last = event_of(throttle_.finish().value_or(LineThrottle::Batch{}));
      last.ended = *ended_;
      lock.unlock();
      sink_(last);
      return;
    }
    if (auto batch = throttle_.take(clock_.now())) {
      lock.unlock();
      sink_(event_of(std::move(*batch)));
      lock.lock();
      continue;
    }
    const auto ready = throttle_.ready_at();
    const auto may_go_on = [&] { return ended_.has_value() || throttle_.ready_at() != ready; };
    if (ready) {
      changed_.wait_until(lock, stop, clock_.on_steady_clock(*ready), may_go_on);
    } else {
      changed_.wait(lock, stop, may_go_on);
    }
  }
}

}  // namespace deft
