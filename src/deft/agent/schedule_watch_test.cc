#include "deft/agent/schedule_watch.h"

#include <gtest/gtest.h>

#include <atomic>

#include "deft/base/mailbox.h"

namespace deft {
namespace {

using namespace std::chrono_literals;

// Wall time is the test's, waiting is real.
class SetClock final : public Clock {
 public:
  TimePoint now() const override { return std::chrono::steady_clock::now(); }
  WallTime wall_time() const override { return WallTime(std::chrono::seconds(seconds_)); }
  void set(std::int64_t seconds) { seconds_ = seconds; }

 private:
  std::atomic<std::int64_t> seconds_ = 0;
};

struct Bench {
  SetClock clock;
  Mailbox<std::string> prompts;
  ScheduleWatch watch{{.schedule = {.clock = clock,
                                    .offset = [](std::int64_t) { return std::int64_t{0}; },
                                    .new_id = [] { return std::string("job"); }},
                       .give = [this](std::string prompt) { prompts.push(std::move(prompt)); }}};
};

TEST(ScheduleWatch, GivesAPromptWhenItIsDue) {
  Bench bench;
  ASSERT_TRUE(bench.watch.schedule()->create("10 0 * * *", "look", true, false).has_value());
  bench.clock.set(600);
  bench.watch.look_again();
  EXPECT_EQ(bench.prompts.pop(), "[Scheduled prompt job, due on 1970-01-01 00:10]\nlook");
}

TEST(ScheduleWatch, SeesByItselfThatTimeHasPassed) {
  Bench bench;
  bench.clock.set(59);
  // Due in a second of the clock that the test sets; the wait of a second is real.
  ASSERT_TRUE(bench.watch.schedule()->create("1 0 * * *", "look", false, false).has_value());
  bench.clock.set(60);
  EXPECT_NE(bench.prompts.pop(), std::nullopt);
}

TEST(ScheduleWatch, EndsAtOnceWhateverItWaitsFor) {
  Bench bench;
  bench.watch.schedule()->set_wakeup(3'600, "r", "p");
}

}  // namespace
}  // namespace deft
