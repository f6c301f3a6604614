#include "deft/tools/monitor.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>

#include "deft/os/disk_files.h"
#include "deft/os/warden_processes.h"
#include "deft/testing/any_session.h"
#include "deft/testing/temp_folder.h"
#include "deft/testing/tool_bench.h"
#include "deft/tools/monitor_feed.h"

namespace deft {
namespace {

// Keeps events, and lets a test wait for one.
class Events {
 public:
  MonitorSink sink() {
    return [this](const MonitorEvent& event) {
      const std::lock_guard lock(mutex_);
      events_.push_back(event);
      changed_.notify_all();
    };
  }
  MonitorEvent wait_for(const std::function<bool(const MonitorEvent&)>& is_meant) {
    std::unique_lock lock(mutex_);
    for (;;) {
      for (const MonitorEvent& event : events_) {
        if (is_meant(event)) return event;
      }
      changed_.wait(lock);
    }
  }
  std::vector<std::string> lines() {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> all;
    for (const MonitorEvent& event : events_) all.insert(all.end(), event.lines.begin(), event.lines.end());
    return all;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<MonitorEvent> events_;
};

bool has_ended(const MonitorEvent& event) { return event.ended.has_value(); }

class MonitorToolTest : public testing::Test {
 protected:
  MonitorToolTest() { bench.use(processes); }
  Result<ToolResult> monitor(std::string_view command, JsonObject more = {}) {
    JsonObject input{{"command", command}, {"description", "what is watched"}};
    for (const auto& [key, value] : more) input[key] = value;
    return bench.call(*tool, input);
  }

  Events events;
  TempFolder folder;
  SystemClock clock;
  WardenProcesses processes{clock};
  DiskFiles files{Survives::killed, folder.path()};
  ToolBench bench{files, folder.path()};
  std::shared_ptr<BackgroundTasks> tasks = std::make_shared<BackgroundTasks>();
  std::shared_ptr<Tool> tool =
      make_monitor_tool(std::make_shared<BashCommands>(BashOptions{.profile = UseProfile::never}), tasks,
                        MonitorOptions{.sink = events.sink()});
};

TEST_F(MonitorToolTest, TellsOfEachLineAndOfTheEnd) {
  const auto started = monitor("printf 'one\\ntwo\\n'; echo quiet >&2; printf three; exit 4");
  ASSERT_TRUE(started.has_value()) << started.error().message;
  const std::string id(find_string(started->details, "taskId").value_or(""));
  EXPECT_EQ(find_int(started->details, "timeoutMs"), kMonitorTimeoutMsDefault);
  const MonitorEvent end = events.wait_for(has_ended);
  EXPECT_EQ(events.lines(), (std::vector<std::string>{"one", "two", "three"}));
  EXPECT_EQ(end.task_id, id);
  EXPECT_EQ(end.ended, "failed (exit code 4)");
  const auto task = tasks->look(id, BackgroundTasks::Part::all);
  ASSERT_TRUE(task.has_value());
  EXPECT_NE(task->output.find("quiet"), std::string::npos) << "all of the output is there to be looked at";
}

TEST_F(MonitorToolTest, EndsWhenItsTimeIsOverAndWhenItIsStopped) {
  ASSERT_TRUE(monitor("echo begun; sleep 1000", {{"timeout_ms", 50}}).has_value());
  EXPECT_EQ(events.wait_for(has_ended).ended, "timed_out");
  const auto started = monitor("echo other; sleep 1000", {{"persistent", true}});
  const std::string id(find_string(started->details, "taskId").value_or(""));
  EXPECT_EQ(find_bool(started->details, "persistent"), true);
  EXPECT_EQ(tasks->stop(id), true);
  EXPECT_EQ(events.wait_for([&](const MonitorEvent& event) { return event.task_id == id && event.ended; }).ended,
            "stopped");
}

TEST_F(MonitorToolTest, EndsWithTheSession) {
  ASSERT_TRUE(monitor("echo begun; sleep 1000").has_value());
  events.wait_for([](const MonitorEvent& event) { return !event.lines.empty(); });
  tool.reset();
  tasks.reset();  // comes back when all of it has ended
}

TEST_F(MonitorToolTest, IsJudgedAsACommandOfBash) {
  const Json reads = JsonObject{{"command", "tail -f /var/log/syslog"}, {"description", "d"}};
  const Json writes = JsonObject{{"command", "make; rm x"}, {"description", "d"}};
  EXPECT_TRUE(tool->is_read_only(reads, any_session()));
  EXPECT_FALSE(tool->is_read_only(writes, any_session()));
  EXPECT_TRUE(tool->footprint(writes, any_session())->is_everything());
  EXPECT_EQ(tool->classifier_text(writes), "make; rm x");
}

TEST(MonitorEvent, IsToldInAFewLines) {
  const MonitorEvent event{.task_id = "b3",
                           .description = "the build",
                           .lines = {"error: x", "error: y"},
                           .left_out = 7,
                           .ended = "completed"};
  EXPECT_EQ(event.text(),
            "[Monitor b3: the build]\n(7 earlier lines left out; TaskOutput shows them)\nerror: x\nerror: y\n"
            "(it has ended: completed)");
}

TEST(MonitorFeed, SaysNothingWhenNobodyListensAnyMore) {
  SystemClock clock;
  int told = 0;
  {
    MonitorFeed feed("b1", "d", clock, [&](const MonitorEvent&) { ++told; });
    feed.add("a line that is still gathered\n");
  }
  EXPECT_EQ(told, 0);
}

}  // namespace
}  // namespace deft
