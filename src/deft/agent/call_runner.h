#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <list>
#include <mutex>
#include <thread>

namespace deft {

// Runs the blocking part of calls. The fake twin in testing/ runs them one after another, in virtual time.
class CallRunner {
 public:
  virtual ~CallRunner() = default;
  virtual void start(std::move_only_function<void()> work) = 0;
};

// Threads, made when work comes and ended when they have been idle for a while: an idle session holds none.
class ThreadRunner final : public CallRunner {
 public:
  ThreadRunner() = default;
  ~ThreadRunner() override;  // waits for the work under way
  void start(std::move_only_function<void()> work) override;

 private:
  void serve(std::list<std::thread>::iterator self);

  std::mutex mutex_;
  std::condition_variable changed_;
  // Under mutex_:
  std::deque<std::move_only_function<void()>> waiting_;
  std::list<std::thread> threads_;
  std::list<std::thread> ended_;  // to be joined
  std::size_t idle_ = 0;
  bool closing_ = false;
};

}  // namespace deft
