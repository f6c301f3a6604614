#include "deft/core/schedule.h"

#include <gtest/gtest.h>

namespace deft {
namespace {

constexpr std::int64_t kDay = 86'400;
constexpr UtcSeconds kMidnight = 20'000 * kDay;
constexpr UtcSeconds at(std::int64_t hour, std::int64_t minute = 0) { return kMidnight + hour * 3'600 + minute * 60; }
std::int64_t utc(UtcSeconds) { return 0; }

class ScheduleTest : public testing::Test {
 protected:
  std::string add(std::string id, std::string_view cron, bool recurring = true, UtcSeconds now = kMidnight) {
    const auto made = schedule.create(std::move(id), cron, "do it", recurring, now, utc);
    return made ? "" : std::string(to_string(made.error().code)) + ": " + made.error().message;
  }
  // "a:1+2" is missed once, due twice since; "!" runs now; "." for the last time
  std::string due(UtcSeconds now, UtcSeconds since = 0) {
    std::string text;
    for (const DuePrompt& prompt : schedule.take_due(now, since, utc)) {
      text += (text.empty() ? "" : " ") + prompt.id + ":" + std::to_string(prompt.missed) + "+" +
              std::to_string(prompt.times) + (prompt.runs_now ? "!" : "") + (prompt.is_last ? "." : "");
    }
    return text;
  }

  Schedule schedule;
};

TEST_F(ScheduleTest, GivesAPromptWhenItsTimeComes) {
  EXPECT_EQ(add("a", "*/10 * * * *"), "");
  EXPECT_EQ(add("b", "30 1 * * *", false), "");
  EXPECT_EQ(schedule.next_due(utc), at(0, 10));
  EXPECT_EQ(due(at(0, 9)), "");
  EXPECT_EQ(due(at(0, 10)), "a:0+1!");
  EXPECT_EQ(due(at(0, 10)), "") << "once";
  EXPECT_EQ(due(at(1, 35)), "a:0+8! b:0+1!.") << "many times that passed are one";
  EXPECT_EQ(schedule.find("b"), nullptr) << "what was to happen once is done";
  EXPECT_EQ(schedule.next_due(utc), at(1, 40));
}

TEST_F(ScheduleTest, SaysWhatWasMissed) {
  add("a", "0 * * * *");
  add("b", "30 1 * * *", false);
  EXPECT_EQ(due(at(5, 30), at(5, 15)), "a:5+0 b:1+0!.") << "what repeats waits for its next time";
  EXPECT_EQ(due(at(6, 30), at(5, 15)), "a:0+1!");
  EXPECT_EQ(due(at(9, 30), at(8, 15)), "a:2+1!");
}

TEST_F(ScheduleTest, WhatRepeatsEndsAfterAWeek) {
  add("a", "0 12 * * *");
  EXPECT_EQ(due(kMidnight + 6 * kDay + 43'200), "a:0+7!.");
  EXPECT_EQ(schedule.all().size(), 0U);
  EXPECT_EQ(add("b", "0 0 1 1 *"),
            "invalid_input: A prompt that repeats ends after 7 days, and this one would not come before that: set "
            "recurring to false to have it once.");
  EXPECT_EQ(add("c", "0 0 1 1 *", false), "");
}

TEST_F(ScheduleTest, RefusesWhatMakesNoSense) {
  EXPECT_EQ(add("a", "0 0 30 2 *", false), "invalid_input: The time 0 0 30 2 * never comes.");
  EXPECT_EQ(add("a", "hourly").substr(0, 14), "invalid_input:");
  EXPECT_EQ(schedule.create("a", "* * * * *", " \n", true, 0, utc).error().code, Errc::invalid_input);
  EXPECT_EQ(schedule.create("a", "* * * * *", std::string(20'001, 'x'), true, 0, utc).error().code, Errc::limit);
  for (std::size_t i = 0; i < kSchedulesMax; ++i) add(std::to_string(i), "* * * * *");
  EXPECT_EQ(add("more", "* * * * *"), "limit: There are 50 scheduled prompts already: remove one with CronDelete.");
  EXPECT_TRUE(schedule.remove("7"));
  EXPECT_FALSE(schedule.remove("7"));
}

TEST_F(ScheduleTest, AClockThatIsSetDoesNotStopIt) {
  add("a", "*/10 * * * *");
  EXPECT_EQ(due(at(20)), "a:0+120!");
  EXPECT_EQ(due(at(19, 50)), "") << "a small correction gives nothing twice";
  EXPECT_EQ(due(at(3)), "") << "it had been wrong by much";
  EXPECT_EQ(due(at(3, 10)), "a:0+1!");
}

TEST_F(ScheduleTest, IsTheSameAfterItWasKept) {
  add("a", "*/10  * * * *");
  add("b", "30 1 * * *", false);
  due(at(0, 15));
  Schedule back = Schedule::from_json(schedule.to_json_value());
  EXPECT_EQ(to_json(back.to_json_value()), to_json(schedule.to_json_value()));
  EXPECT_EQ(back.next_due(utc), at(0, 20));
}

TEST_F(ScheduleTest, LeavesOutWhatCannotBeRead) {
  const auto json = parse_json(
      R"({"prompts":[{"id":"a","cron":"x","prompt":"p","created":1,"doneUntil":1},7,
          {"id":"b","cron":"* * * * *","prompt":"p","created":1,"doneUntil":99999999999999999},
          {"id":"c","cron":"* * * * *","prompt":"p","created":1,"doneUntil":-5},
          {"id":"d","cron":"* * * * *","prompt":"p","created":1,"doneUntil":60},
          {"id":"d","cron":"* * * * *","prompt":"again","created":1,"doneUntil":60}]})");
  const Schedule back = Schedule::from_json(*json);
  ASSERT_EQ(back.all().size(), 1U);
  EXPECT_EQ(back.all()[0].prompt, "p");
}

}  // namespace
}  // namespace deft
