#include "deft/agent/call_runner.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>

#include <random>
#include <thread>
#include <vector>

namespace deft {
namespace {

// Counts down from many threads.
class Latch {
 public:
  explicit Latch(int count) : left_(count) {}
  void count_down() {
    const std::lock_guard lock(mutex_);
    if (--left_ == 0) done_.notify_all();
  }
  bool wait() {
    std::unique_lock lock(mutex_);
    return done_.wait_for(lock, std::chrono::seconds(60), [this] { return left_ == 0; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable done_;
  int left_;
};

// An idle thread that lived only for a while would take up by itself, late, what nobody was woken for.
TEST(ThreadRunner, NoWorkIsForgottenHoweverStartsAndEndsFallTogether) {
  ThreadRunner runner(std::chrono::hours(1));
  std::minstd_rand random(1);
  for (int round = 0; round < 5'000; ++round) {
    const int count = 1 + static_cast<int>(random() % 4);
    Latch latch(count);
    for (int i = 0; i < count; ++i) {
      runner.start([&latch, spins = random() % 2'000] {
        for (volatile unsigned k = 0; k < spins;) k = k + 1;
        latch.count_down();
      });
    }
    ASSERT_TRUE(latch.wait()) << "in round " << round;
  }
}

TEST(ThreadRunner, WorkThatBlocksHoldsNobodyBack) {
  constexpr int kCount = 20;
  Latch all_run(kCount);  // outlives the runner, whose threads wait on it
  ThreadRunner runner;
  for (int i = 0; i < kCount; ++i) {
    runner.start([&all_run] {
      all_run.count_down();
      EXPECT_TRUE(all_run.wait()) << "each waits for all others, so all must run at once";
    });
  }
  EXPECT_TRUE(all_run.wait());
}

TEST(ThreadRunner, WorkMayStartMoreAndTheEndWaitsForAll) {
  std::atomic<int> ran = 0;
  {
    ThreadRunner runner;
    runner.warm_up();
    for (int i = 0; i < 10; ++i) {
      runner.start([&] {
        ++ran;
        runner.start([&] { ++ran; });
      });
    }
  }
  EXPECT_EQ(ran, 20);
}

// Whoever waits for it, that is; no thread is sent for where there is little of it.
TEST(ThreadRunner, BriefWorkIsDoneByTheOneWhoHelps) {
  std::vector<std::thread::id> by;
  ThreadRunner runner;
  for (std::size_t i = 0; i < kBriefWorkAloneMax; ++i) {
    EXPECT_TRUE(runner.start_brief([&by] { by.push_back(std::this_thread::get_id()); }));
  }
  while (runner.help()) continue;
  EXPECT_EQ(by, std::vector(kBriefWorkAloneMax, std::this_thread::get_id()));
}

TEST(ThreadRunner, TheLastBriefWorkIsLeftToTheOneWhoHelps) {
  Latch others(2);
  std::thread::id last;
  ThreadRunner runner;
  for (int i = 0; i < 2; ++i) runner.start_brief([&others] { others.count_down(); });
  runner.start_brief([&last] { last = std::this_thread::get_id(); });
  runner.start([] {});  // brings a thread, which does what else there is for it
  EXPECT_TRUE(others.wait());
  EXPECT_TRUE(runner.help());
  EXPECT_EQ(last, std::this_thread::get_id());
  EXPECT_FALSE(runner.help());
}

// What it starts, a compiler perhaps, would inherit less.
TEST(ThreadRunner, WorkMayUseEveryProcessorWhereverItsThreadWasWoken) {
  const auto processors = [] {
    cpu_set_t set;
    return ::pthread_getaffinity_np(::pthread_self(), sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
  };
  constexpr int kCount = 200;
  const int all = processors();
  std::atomic<int> restricted = 0;
  ThreadRunner runner;
  for (int round = 0; round < 20; ++round) {
    Latch done(2 * kCount);
    const auto look = [&] {
      if (processors() != all) ++restricted;
      done.count_down();
    };
    for (int i = 0; i < kCount; ++i) {
      runner.start_brief(look);
      runner.start_quick(look);
    }
    while (runner.help()) continue;
    EXPECT_TRUE(done.wait());
  }
  EXPECT_EQ(restricted, 0);
}

TEST(ThreadRunner, BriefWorkThatNobodyHelpsWithIsDoneWhenItIsHurried) {
  Latch done(3);
  ThreadRunner runner;
  for (int i = 0; i < 3; ++i) runner.start_brief([&done] { done.count_down(); });
  runner.hurry();
  EXPECT_TRUE(done.wait());
}

TEST(ThreadRunner, EveryPieceOfBriefWorkIsDoneOnceHoweverManyHelp) {
  constexpr int kCount = 5'000;
  std::atomic<int> done = 0;
  Latch all(kCount);
  ThreadRunner runner;
  for (int i = 0; i < kCount; ++i) {
    runner.start_brief([&] {
      ++done;
      all.count_down();
    });
    if (i % 3 == 0) runner.help();
  }
  while (runner.help()) continue;
  EXPECT_TRUE(all.wait());
  EXPECT_EQ(done, kCount);
}

}  // namespace
}  // namespace deft
