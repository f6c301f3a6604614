#include "deft/core/cron.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>

namespace deft {
namespace {

using namespace std::chrono_literals;

UtcSeconds utc(int year, unsigned month, unsigned day, int hour = 0, int minute = 0, int second = 0) {
  const std::chrono::sys_days date{std::chrono::year(year) / static_cast<int>(month) / static_cast<int>(day)};
  return date.time_since_epoch().count() * 86'400L + hour * 3'600L + minute * 60L + second;
}

std::int64_t no_offset(UtcSeconds) { return 0; }

// Middle Europe in 2026: summer time from 29 March to 25 October, each 01:00 UTC.
std::int64_t berlin(UtcSeconds at) { return at >= utc(2026, 3, 29, 1) && at < utc(2026, 10, 25, 1) ? 7'200 : 3'600; }
// New York in 2026: 8 March 07:00 UTC to 1 November 06:00 UTC.
std::int64_t new_york(UtcSeconds at) {
  return at >= utc(2026, 3, 8, 7) && at < utc(2026, 11, 1, 6) ? -14'400 : -18'000;
}
// Lord Howe moves its clocks by half an hour: 5 April 2026, 02:00 back to 01:30; 4 October, 02:00 to 02:30.
std::int64_t lord_howe(UtcSeconds at) {
  const bool winter = at >= utc(2026, 4, 4, 15) && at < utc(2026, 10, 3, 15, 30);
  return winter ? 10 * 3'600 + 1'800 : 11 * 3'600;
}

std::string shown(UtcSeconds at, const UtcOffset& offset) {
  const std::int64_t local = at + offset(at);
  const std::chrono::sys_seconds time{std::chrono::seconds(local)};
  const auto date = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day ymd(date);
  const auto minutes = std::chrono::duration_cast<std::chrono::minutes>(time - date).count();
  char text[64];
  std::snprintf(text, sizeof text, "%d-%02u-%02u %02d:%02d", static_cast<int>(ymd.year()),
                static_cast<unsigned>(ymd.month()), static_cast<unsigned>(ymd.day()), static_cast<int>(minutes / 60),
                static_cast<int>(minutes % 60));
  return text;
}

// The next few times, in local time.
std::vector<std::string> runs(std::string_view line, UtcSeconds after, const UtcOffset& offset, int count) {
  const auto cron = Cron::parse(line);
  if (!cron) return {cron.error().message};
  std::vector<std::string> times;
  for (int i = 0; i < count; ++i) {
    const auto next = cron->next(after, offset);
    if (!next) return times;
    times.push_back(shown(*next, offset));
    after = *next;
  }
  return times;
}

using Times = std::vector<std::string>;

TEST(Cron, FindsTheNextTimes) {
  const UtcSeconds from = utc(2026, 1, 30, 10, 7, 30);
  EXPECT_EQ(runs("*/15 * * * *", from, no_offset, 3),
            (Times{"2026-01-30 10:15", "2026-01-30 10:30", "2026-01-30 10:45"}));
  EXPECT_EQ(runs("7 10 * * *", from, no_offset, 2), (Times{"2026-01-31 10:07", "2026-02-01 10:07"}))
      << "the minute that has begun is over";
  EXPECT_EQ(runs("0 9 * * 1-5", from, no_offset, 3),
            (Times{"2026-02-02 09:00", "2026-02-03 09:00", "2026-02-04 09:00"}));
  EXPECT_EQ(runs("30 8,20 1 * *", from, no_offset, 3),
            (Times{"2026-02-01 08:30", "2026-02-01 20:30", "2026-03-01 08:30"}));
  EXPECT_EQ(runs("0 0 29 feb *", from, no_offset, 2), (Times{"2028-02-29 00:00", "2032-02-29 00:00"}));
  EXPECT_EQ(runs("0 12 13 * FRI", from, no_offset, 3),
            (Times{"2026-01-30 12:00", "2026-02-06 12:00", "2026-02-13 12:00"}))
      << "either of the two days";
  EXPECT_EQ(runs("5/20 0 * * 7", from, no_offset, 3),
            (Times{"2026-02-01 00:05", "2026-02-01 00:25", "2026-02-01 00:45"}));
  EXPECT_EQ(runs("0 0 31 2 *", from, no_offset, 1), Times{}) << "never";
}

TEST(Cron, AWeekMayEndOnSunday) {
  const UtcSeconds monday = utc(2026, 2, 2);
  const Times weekend = {"2026-02-06 09:00", "2026-02-07 09:00", "2026-02-08 09:00", "2026-02-13 09:00"};
  for (const char* line : {"0 9 * * fri-sun", "0 9 * * 5-7", "0 9 * * 5-0"}) {
    EXPECT_EQ(runs(line, monday, no_offset, 4), weekend) << line;
  }
}

TEST(Cron, IsInLocalTime) {
  EXPECT_EQ(Cron::parse("0 9 * * *")->next(utc(2026, 7, 1), berlin), utc(2026, 7, 1, 7));
  EXPECT_EQ(Cron::parse("0 9 * * *")->next(utc(2026, 1, 1), berlin), utc(2026, 1, 1, 8));
  EXPECT_EQ(Cron::parse("0 23 31 12 *")->next(utc(2026, 12, 31, 12), new_york), utc(2027, 1, 1, 4));
}

TEST(Cron, ATimeThatIsLeftOutComesRightAfterTheGap) {
  EXPECT_EQ(runs("30 2 * * *", utc(2026, 3, 27, 12), berlin, 3),
            (Times{"2026-03-28 02:30", "2026-03-29 03:00", "2026-03-30 02:30"}));
  EXPECT_EQ(runs("0,30 2 29 3 *", utc(2026, 3, 28), berlin, 2), (Times{"2026-03-29 03:00", "2027-03-29 02:00"}))
      << "once";
  EXPECT_EQ(runs("30 2 * * *", utc(2026, 3, 7, 12), new_york, 2), (Times{"2026-03-08 03:00", "2026-03-09 02:30"}));
  EXPECT_EQ(runs("15 2 * * *", utc(2026, 10, 3, 0), lord_howe, 2), (Times{"2026-10-04 02:30", "2026-10-05 02:15"}));
  EXPECT_EQ(runs("0 3 * * *", utc(2026, 3, 28, 12), berlin, 2), (Times{"2026-03-29 03:00", "2026-03-30 03:00"}));
  EXPECT_EQ(runs("30 1,2 29 3 *", utc(2026, 3, 28), berlin, 2), (Times{"2026-03-29 01:30", "2026-03-29 03:00"}));
}

TEST(Cron, ATimeThatComesTwiceCountsOnce) {
  const auto twice = Cron::parse("30 2 * * *");
  EXPECT_EQ(twice->next(utc(2026, 10, 24, 12), berlin), utc(2026, 10, 25, 0, 30));
  EXPECT_EQ(twice->next(utc(2026, 10, 25, 0, 30), berlin), utc(2026, 10, 26, 1, 30));
  const auto american = Cron::parse("15 1 * * *");
  EXPECT_EQ(american->next(utc(2026, 10, 31, 12), new_york), utc(2026, 11, 1, 5, 15));
  EXPECT_EQ(american->next(utc(2026, 11, 1, 5, 15), new_york), utc(2026, 11, 2, 6, 15));
}

TEST(Cron, RunsByTheMinuteOrTheHourFollowRealTime) {
  EXPECT_EQ(runs("*/30 * * * *", utc(2026, 3, 29, 0, 31), berlin, 2), (Times{"2026-03-29 03:00", "2026-03-29 03:30"}));
  EXPECT_EQ(runs("30 * * * *", utc(2026, 3, 29, 0, 0), berlin, 2), (Times{"2026-03-29 01:30", "2026-03-29 03:30"}))
      << "none is made up";
  EXPECT_EQ(runs("30 * * * *", utc(2026, 10, 25, 0, 0), berlin, 3),
            (Times{"2026-10-25 02:30", "2026-10-25 02:30", "2026-10-25 03:30"}));
}

// Against looking at every minute.
TEST(Cron, IsTheSameAsLookingAtEveryMinute) {
  const auto is_due = [](std::string_view hour, std::string_view minute, std::int64_t local) {
    const auto part = [](std::string_view field, std::int64_t value) {
      return field == "*" || std::to_string(value) == field;
    };
    return part(hour, local % 86'400 / 3'600) && part(minute, local % 3'600 / 60);
  };
  for (const char* hour : {"*", "1", "2", "3", "0", "23"}) {
    for (const char* minute : {"0", "17", "59"}) {
      const bool is_fixed = std::string_view(hour) != "*";
      const auto cron = Cron::parse(std::string(minute) + " " + hour + " * * *");
      for (const UtcSeconds day : {utc(2026, 3, 27), utc(2026, 10, 23), utc(2026, 7, 1)}) {
        UtcSeconds at = day;
        for (UtcSeconds slow = day + 60; slow < day + 4 * 86'400; slow += 60) {
          bool due = is_due(hour, minute, slow + berlin(slow));
          const bool is_second = slow >= utc(2026, 10, 25, 1) && slow < utc(2026, 10, 25, 2);
          if (due && is_fixed && is_second) due = false;
          if (is_fixed && slow == utc(2026, 3, 29, 1) && std::string_view(hour) == "2") due = true;
          if (!due) continue;
          const auto next = cron->next(at, berlin);
          ASSERT_EQ(next, slow) << hour << ":" << minute << " after " << shown(at, berlin);
          at = slow;
        }
      }
    }
  }
}

TEST(Cron, SaysWhatIsWrong) {
  const auto problem = [](std::string_view text) { return Cron::parse(text).error().message; };
  EXPECT_EQ(problem("* * * *"),
            "A cron line has five fields, minute, hour, day of the month, month and day of the week (\"0 9 * * 1-5\"), "
            "not \"* * * *\".");
  EXPECT_EQ(problem("60 * * * *"),
            "The minute of a cron line is a number from 0 to 59, a range (1-5), a step (*/5), a list of these (1,3) or "
            "*, not \"60\".");
  for (const char* text :
       {"* 24 * * *", "* * 0 * *", "* * * 13 *", "* * * * 8", "*/0 * * * *", "5-1 * * * *", "1,,2 * * * *",
        "-1 * * * *", "a * * * *", "* * L * *", "1-2-3 * * * *", "*/ * * * *", "99999999999 * * * *", "* * * mon *"}) {
    EXPECT_FALSE(Cron::parse(text).has_value()) << text;
  }
  EXPECT_FALSE(Cron::parse(std::string(300, '1') + " * * * *").has_value());
  for (const char* text : {"0 9 L * *", "0 9 15W * *", "0 9 * * FRI#2", "0 9 ? * *"}) {
    EXPECT_NE(problem(text).find("L, W, # and ? are not known here"), std::string::npos) << problem(text);
  }
  EXPECT_NE(problem("@daily").find("Words like @daily are not known"), std::string::npos);
}

TEST(Cron, TellsPeopleWhatItMeans) {
  const auto text = [](std::string_view line) { return Cron::parse(line)->describe(); };
  EXPECT_EQ(text("* * * * *"), "every minute");
  EXPECT_EQ(text("*/5 * * * *"), "every 5 minutes");
  EXPECT_EQ(text("7 * * * *"), "every hour at minute 7");
  EXPECT_EQ(text("0 9 * * *"), "every day at 09:00");
  EXPECT_EQ(text("0 9 * * mon-fri"), "Monday to Friday at 09:00");
  EXPECT_EQ(text("30 18 * * 0"), "every Sunday at 18:30");
  EXPECT_EQ(text("0  9 1 * *"), "cron 0 9 1 * *");
}

}  // namespace
}  // namespace deft
