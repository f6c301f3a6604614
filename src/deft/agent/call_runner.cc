#include "deft/agent/call_runner.h"

#include <chrono>
#include <tuple>
#include <utility>

#include "deft/base/brief_lock.h"

namespace deft {
ThreadRunner::~ThreadRunner() {
  std::unique_lock lock(mutex_);
  closing_ = true;
  changed_.notify_all();
  changed_.wait(lock, [this] { return threads_.empty(); });
  for (Worker& worker : ended_) worker.thread.join();
}

void ThreadRunner::start(std::move_only_function<void()> work) {
  auto lock = brief_lock(mutex_);
  waiting_.push_back({std::move(work)});
  ++waiting_urgently_;
  const bool wakes = send_for_a_thread();
  lock.unlock();
  if (wakes) changed_.notify_one();
  join_ended();
}

bool ThreadRunner::start_quick(std::move_only_function<void()> work) {
  auto lock = brief_lock(mutex_);
  waiting_.push_back({std::move(work), /*is_quick=*/true});
  const bool wakes = needs_a_thread() && send_for_another_processors_thread();
  lock.unlock();
  if (wakes) changed_.notify_one();
  return true;
}

bool ThreadRunner::start_brief(std::move_only_function<void()> work) {
  auto lock = brief_lock(mutex_);
  brief_.push_back(std::move(work));
  const bool wakes = needs_a_thread() && send_for_another_processors_thread();
  lock.unlock();
  if (wakes) changed_.notify_one();
  return true;
}

bool ThreadRunner::help() {
  std::move_only_function<void()> work;
  {
    const auto lock = brief_lock(mutex_);
    if (brief_.empty()) return false;
    work = std::move(brief_.front());
    brief_.pop_front();
    if (!has_work()) is_hurried_ = false;
  }
  work();
  return true;
}

void ThreadRunner::hurry() {
  std::unique_lock lock(mutex_);
  is_hurried_ = has_work();
  const bool wakes = is_hurried_ && send_for_a_thread();
  lock.unlock();
  if (wakes) changed_.notify_one();
}

// Those have nothing left to do.
void ThreadRunner::join_ended() {
  std::list<Worker> to_join;
  {
    const std::lock_guard lock(mutex_);
    to_join.swap(ended_);
  }
  for (Worker& worker : to_join) worker.thread.join();
}

bool ThreadRunner::needs_a_thread() const {
  if (!has_work()) return false;
  if (waiting_urgently_ > 0 || is_hurried_) return true;
  const std::size_t busy = threads_.size() - idle_;
  if (!waiting_.empty() && busy < processors_) return true;
  return brief_.size() > kBriefWorkAloneMax && busy + 1 < processors_;  // one is whoever helps
}

std::move_only_function<void()> ThreadRunner::take_work() {
  std::move_only_function<void()> work;
  if (waiting_.empty()) {
    work = std::move(brief_.front());
    brief_.pop_front();
  } else {
    work = std::move(waiting_.front().run);
    if (!waiting_.front().is_quick) --waiting_urgently_;
    waiting_.pop_front();
  }
  if (!has_work()) is_hurried_ = false;
  return work;
}

void ThreadRunner::warm_up() {
  const std::lock_guard lock(mutex_);
  if (threads_.empty()) std::ignore = send_for_a_thread();  // nobody is idle
}

bool ThreadRunner::send_for_a_thread() {
  if (one_is_coming_ || closing_) return false;
  one_is_coming_ = true;
  if (idle_ > 0) return true;
  const auto self = threads_.emplace(threads_.end());
  self->thread = std::thread([this, self] { serve(self); });
  return false;
}

bool ThreadRunner::send_for_another_processors_thread() {
  const bool wakes = send_for_a_thread();
  if (!wakes || idle_ > processors_) return wakes;  // which of so many is woken nobody knows
  for (Worker& worker : threads_) {
    if (worker.is_idle) worker.place.keep_off_this_processor(worker.thread);
  }
  return true;
}

void ThreadRunner::serve(std::list<Worker>::iterator self) {
  auto lock = brief_lock(mutex_);
  one_is_coming_ = false;
  while (has_work_for_threads() || wait_for_work(*self, lock)) {
    std::move_only_function<void()> work = take_work();
    const bool wakes = needs_a_thread() && send_for_a_thread();
    lock.unlock();
    if (wakes) changed_.notify_one();
    work();
    work = nullptr;  // what it holds is let go outside the lock
    lock = brief_lock(mutex_);
  }
  ended_.splice(ended_.end(), threads_, self);
  changed_.notify_all();
}

// False: none came for too long, or none will.
bool ThreadRunner::wait_for_work(Worker& self, std::unique_lock<std::mutex>& lock) {
  const auto until = std::chrono::steady_clock::now() + idle_life_;
  bool is_late = false;
  while (!has_work_for_threads() && !closing_ && !is_late) {
    ++idle_;
    self.is_idle = true;
    is_late = changed_.wait_until(lock, until) == std::cv_status::timeout;
    --idle_;
    self.is_idle = false;
    if (self.place.is_moved()) {
      lock.unlock();  // whoever sent for us has more to add
      self.place.release();
      lock = brief_lock(mutex_);
    }
    one_is_coming_ = false;  // whoever was sent for is here, also if somebody else has done the work by now
  }
  return has_work_for_threads();
}

}  // namespace deft
