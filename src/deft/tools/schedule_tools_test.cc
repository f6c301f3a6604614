#include "deft/tools/schedule_tools.h"

#include <gtest/gtest.h>

#include "deft/testing/fake_files.h"
#include "deft/testing/temp_folder.h"
#include "deft/testing/tool_bench.h"
#include "deft/testing/virtual_clock.h"

namespace deft {
namespace {

using namespace std::chrono_literals;

std::int64_t utc(std::int64_t) { return 0; }

// A session on a clock that the test moves; it begins at 1970-01-01 01:00.
class ScheduleToolsTest : public testing::Test {
 protected:
  std::shared_ptr<SharedSchedule> open() {
    return std::make_shared<SharedSchedule>(
        SharedSchedule::Parts{.clock = clock,
                              .offset = utc,
                              .durable_file = folder / "schedules/p.json",
                              .on_change = [this] { ++changes; },
                              .new_id = [this] { return "id-" + std::to_string(++ids); }});
  }
  ToolResult call(std::string_view name, const Json& input) {
    for (const auto& tool : tools) {
      if (tool->spec().name != name) continue;
      auto result = bench.call(*tool, input);
      return result ? std::move(*result) : ToolResult{.text = result.error().message, .error = result.error().code};
    }
    return {.text = "no such tool"};
  }
  static std::string due(SharedSchedule& schedule) {
    std::string text;
    for (const PromptDue& prompt : schedule.take_due()) text += prompt.prompt + "\n";
    return text;
  }
  const Tool& tool(std::size_t index) const { return *tools[index]; }

  TempFolder folder;
  VirtualClock clock;
  int changes = 0;
  int ids = 0;
  FakeFiles files;
  ToolBench bench{files};
  std::shared_ptr<SharedSchedule> schedule = open();
  std::vector<std::shared_ptr<Tool>> tools = make_schedule_tools(schedule);
};

TEST_F(ScheduleToolsTest, APromptIsGivenAtItsTime) {
  const ToolResult made = call("CronCreate", JsonObject{{"cron", "30 1 * * *"}, {"prompt", "Look at the build."}});
  EXPECT_EQ(
      made.text,
      "Scheduled id-1: every day at 01:30, next at 1970-01-01T01:30:00Z. It ends by itself after 7 days. It lasts "
      "as long as this session.");
  EXPECT_EQ(to_json(made.details),
            R"({"id":"id-1","humanSchedule":"every day at 01:30","recurring":true,"durable":false,)"
            R"("nextFireAt":"1970-01-01T01:30:00Z"})");
  EXPECT_EQ(changes, 1) << "whoever waits hears of it";
  EXPECT_EQ(schedule->next_due(), WallTime(90min));
  EXPECT_EQ(due(*schedule), "");
  clock.advance(30min);
  EXPECT_EQ(due(*schedule), "[Scheduled prompt id-1, due on 1970-01-01 01:30]\nLook at the build.\n");
  EXPECT_EQ(due(*schedule), "");
  EXPECT_EQ(schedule->next_due(), WallTime(24h + 90min));
}

TEST_F(ScheduleToolsTest, AreListedAndRemoved) {
  EXPECT_EQ(call("CronList", JsonObject()).text, "Nothing is scheduled.");
  call("CronCreate", JsonObject{{"cron", "*/10 * * * *"}, {"prompt", "a"}});
  call("CronCreate", JsonObject{{"cron", "0 2 * * *"}, {"prompt", "b"}, {"recurring", false}, {"durable", true}});
  EXPECT_EQ(call("CronList", JsonObject()).text,
            "id-1  every 10 minutes, next at 1970-01-01T01:10:00Z: a\n"
            "id-2  every day at 02:00, once, durable, next at 1970-01-01T02:00:00Z: b");
  EXPECT_EQ(call("CronDelete", JsonObject{{"id", "id-1"}}).text, "Removed id-1.");
  EXPECT_EQ(call("CronDelete", JsonObject{{"id", "id-2"}}).text, "Removed id-2.");
  EXPECT_EQ(call("CronDelete", JsonObject{{"id", "id-2"}}).text,
            R"(Nothing is scheduled as "id-2": see CronList for what is.)");
  EXPECT_EQ(schedule->next_due(), std::nullopt);
}

TEST_F(ScheduleToolsTest, DurableOnesSurviveARestartAndWhatWasMissedIsSaid) {
  call("CronCreate", JsonObject{{"cron", "0 * * * *"}, {"prompt", "hourly"}, {"durable", true}});
  call("CronCreate", JsonObject{{"cron", "0 2 * * *"}, {"prompt", "once"}, {"durable", true}, {"recurring", false}});
  call("CronCreate", JsonObject{{"cron", "0 2 * * *"}, {"prompt", "of the session"}});
  clock.advance(150min);  // 03:30
  const auto later = open();
  EXPECT_EQ(
      due(*later),
      "[Scheduled prompt id-2, due on 1970-01-01 02:00; it was due once while nobody was there to run it, last on "
      "1970-01-01 02:00; this was its last time]\nonce\n");
  EXPECT_EQ(later->take_notices(),
            (std::vector<std::string>{"The scheduled prompt id-1: it was due 2 times while nobody was there to run it, "
                                      "last on 1970-01-01 03:00. It runs again at its next time."}));
  EXPECT_TRUE(later->take_notices().empty());
  clock.advance(30min);
  EXPECT_EQ(due(*later), "[Scheduled prompt id-1, due on 1970-01-01 04:00]\nhourly\n");
}

TEST_F(ScheduleToolsTest, ATimeIsGivenToOneOfTheSessionsThatShareIt) {
  call("CronCreate", JsonObject{{"cron", "0 * * * *"}, {"prompt", "hourly"}, {"durable", true}});
  const auto other = open();
  EXPECT_EQ(other->next_due(), WallTime(2h));
  clock.advance(61min);
  EXPECT_NE(due(*other), "");
  EXPECT_EQ(due(*schedule), "");
  EXPECT_EQ(schedule->next_due(), WallTime(3h)) << "it knows now";
}

TEST_F(ScheduleToolsTest, AFileThatCannotBeReadIsSaidAndLeftAlone) {
  folder.put("schedules/p.json", "{broken");
  const auto later = open();
  EXPECT_EQ(later->next_due(), std::nullopt);
  EXPECT_EQ(later->take_notices(), (std::vector<std::string>{folder / "schedules/p.json" +
                                                             " holds the prompts that are scheduled, and cannot be "
                                                             "read: repair or remove it."}));
  EXPECT_FALSE(later->create("0 * * * *", "p", true, true).has_value());
  EXPECT_EQ(folder.bytes("schedules/p.json"), "{broken");
}

TEST_F(ScheduleToolsTest, NothingDurableMeansNoFile) {
  call("CronCreate", JsonObject{{"cron", "*/10 * * * *"}, {"prompt", "a"}});
  call("CronList", JsonObject());
  clock.advance(10min);
  due(*schedule);
  EXPECT_TRUE(folder.names().empty());
}

TEST_F(ScheduleToolsTest, OnlyWhatOutlivesTheSessionNeedsPermission) {
  EXPECT_TRUE(tool(0).is_session_only(JsonObject{{"cron", "0 * * * *"}, {"prompt", "p"}}));
  EXPECT_FALSE(tool(0).is_session_only(JsonObject{{"cron", "0 * * * *"}, {"prompt", "p"}, {"durable", true}}));
  call("CronCreate", JsonObject{{"cron", "0 * * * *"}, {"prompt", "p"}, {"durable", true}});
  EXPECT_FALSE(tool(1).is_session_only(JsonObject{{"id", "id-1"}}));
  EXPECT_TRUE(tool(1).is_session_only(JsonObject{{"id", "id-2"}}));
}

TEST_F(ScheduleToolsTest, AWakeUpComesOnce) {
  EXPECT_EQ(
      call("ScheduleWakeup", JsonObject{{"delaySeconds", 5}, {"reason", "the build"}, {"prompt", "Look again."}}).text,
      "You will be woken in 60 seconds (from 60 to 3600 are possible). End your turn now: nothing else needs to be "
      "done for it.");
  EXPECT_EQ(schedule->next_due(), WallTime(61min));
  call("ScheduleWakeup", JsonObject{{"delaySeconds", 1e300}, {"reason", "later"}, {"prompt", "Look."}});
  EXPECT_EQ(schedule->next_due(), WallTime(2h)) << "the later call counts";
  clock.advance(1h);
  EXPECT_EQ(due(*schedule), "[Wake-up: later]\nLook.\n");
  EXPECT_EQ(due(*schedule), "");
  call("ScheduleWakeup", JsonObject{{"delaySeconds", 100}, {"prompt", "x"}});
  EXPECT_EQ(call("ScheduleWakeup", JsonObject{{"stop", true}}).text, "The wake-up is cancelled.");
  EXPECT_EQ(call("ScheduleWakeup", JsonObject{{"stop", true}}).text, "No wake-up was set.");
  EXPECT_EQ(call("ScheduleWakeup", JsonObject{{"noop", true}}).text, "Nothing was changed.");
  EXPECT_EQ(call("ScheduleWakeup", JsonObject{{"reason", "x"}}).error, Errc::invalid_input);
  EXPECT_EQ(schedule->next_due(), std::nullopt);
}

}  // namespace
}  // namespace deft
