#include "deft/agent/call_runner.h"

#include <chrono>
#include <utility>

namespace deft {
namespace {
constexpr std::chrono::milliseconds kIdleThreadLife{500};
}

ThreadRunner::~ThreadRunner() {
  std::unique_lock lock(mutex_);
  closing_ = true;
  changed_.notify_all();
  changed_.wait(lock, [this] { return threads_.empty(); });
  for (std::thread& thread : ended_) thread.join();
}

void ThreadRunner::start(std::move_only_function<void()> work) {
  std::list<std::thread> to_join;
  {
    const std::lock_guard lock(mutex_);
    to_join.swap(ended_);
    waiting_.push_back(std::move(work));
    if (idle_ >= waiting_.size()) {
      changed_.notify_one();
    } else {
      const auto self = threads_.emplace(threads_.end());
      *self = std::thread([this, self] { serve(self); });
    }
  }
  for (std::thread& thread : to_join) thread.join();  // they have nothing left to do
}

void ThreadRunner::serve(std::list<std::thread>::iterator self) {
  std::unique_lock lock(mutex_);
  for (;;) {
    if (waiting_.empty()) {
      ++idle_;
      changed_.wait_for(lock, kIdleThreadLife, [this] { return closing_ || !waiting_.empty(); });
      --idle_;
    }
    if (waiting_.empty()) break;
    auto work = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    work();
    work = nullptr;  // what it holds is let go outside the lock
    lock.lock();
  }
  ended_.splice(ended_.end(), threads_, self);
  changed_.notify_all();
}

}  // namespace deft
