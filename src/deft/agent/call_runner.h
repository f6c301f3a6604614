#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <list>
#include <mutex>
#include <thread>

#include "deft/os/thread_place.h"

namespace deft {

inline constexpr std::size_t kBriefWorkAloneMax = 4;  // that waits; more of it is shared with threads
// The last of it is for whoever helps: it would otherwise go to sleep for the time that a thread takes for it.
inline constexpr std::size_t kBriefWorkLeftOver = 1;

// Runs the blocking part of calls. The fake twin in testing/ runs them one after another, in virtual time.
class CallRunner {
 public:
  virtual ~CallRunner() = default;
  virtual void start(std::move_only_function<void()> work) = 0;
  // For work of which a machine does no more at once than it has processors, such as reading files: it may wait until
  // a thread is free. True: it waits; hurry() should be called if that takes long, in case the work before it blocks.
  virtual bool start_quick(std::move_only_function<void()> work) {
    start(std::move(work));
    return false;
  }
  virtual void hurry() {}
  // The same for work that takes less time than waking a thread for it: whoever waits for it does it, by help(), and
  // threads only join in where there is much of it.
  virtual bool start_brief(std::move_only_function<void()> work) { return start_quick(std::move(work)); }
  // Does one such piece of work, on the caller's thread. False: there is none.
  virtual bool help() { return false; }
  // Work may come soon.
  virtual void warm_up() {}
};

// Threads, made when work comes and ended when they have been idle for a while: an idle session holds none. Making one
// takes longer than most calls, so only one at a time is on its way; whoever takes work and leaves some behind sends
// for the next. So as many run as are needed where calls block, and few where they don't.
class ThreadRunner final : public CallRunner {
 public:
  explicit ThreadRunner(std::chrono::milliseconds idle_life = std::chrono::seconds(2)) : idle_life_(idle_life) {}
  ~ThreadRunner() override;  // waits for the work under way
  void start(std::move_only_function<void()> work) override;
  bool start_quick(std::move_only_function<void()> work) override;
  bool start_brief(std::move_only_function<void()> work) override;
  bool help() override;
  void hurry() override;
  void warm_up() override;

 private:
  struct Work {
    std::move_only_function<void()> run;
    bool is_quick = false;
  };
  struct Worker {
    std::thread thread;
    bool is_idle = false;
    ThreadPlace place = {};
  };

  void serve(std::list<Worker>::iterator self);
  bool wait_for_work(Worker& self, std::unique_lock<std::mutex>& lock);
  void join_ended();
  // All under mutex_:
  // True: one is idle and has to be told, best when the mutex is free, or it would wait for that next.
  [[nodiscard]] bool send_for_a_thread();
  // The same, for a caller who goes on working.
  [[nodiscard]] bool send_for_another_processors_thread();
  bool needs_a_thread() const;
  bool has_work() const { return !waiting_.empty() || !brief_.empty(); }
  bool has_work_for_threads() const {
    return !waiting_.empty() || brief_.size() > (is_hurried_ || closing_ ? 0 : kBriefWorkLeftOver);
  }
  std::move_only_function<void()> take_work();

  const std::chrono::milliseconds idle_life_;
  const std::size_t processors_ = std::max(1U, std::thread::hardware_concurrency());
  std::mutex mutex_;
  std::condition_variable changed_;
  // Under mutex_:
  std::deque<Work> waiting_;
  std::size_t waiting_urgently_ = 0;  // of them; the others are quick
  std::deque<std::move_only_function<void()>> brief_;
  std::list<Worker> threads_;
  std::list<Worker> ended_;  // to be joined
  std::size_t idle_ = 0;
  bool one_is_coming_ = false;  // a thread was made or woken and has not looked at waiting_ yet
  bool is_hurried_ = false;     // until nothing waits
  bool closing_ = false;
};

}  // namespace deft
