#include "deft/tools/monitor.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>

#include "deft/base/base64.h"
#include "deft/base/sha1.h"
#include "deft/os/disk_files.h"
#include "deft/os/warden_processes.h"
#include "deft/testing/any_session.h"
#include "deft/testing/http_peer.h"
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

class MonitorToolTest : public ::testing::Test {
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

using deft::testing::HttpPeer;
using deft::testing::PeerAnswer;
using deft::testing::PeerGate;
using deft::testing::PeerRequest;

void agree(const PeerRequest& request, PeerAnswer& answer) {
  const std::string key = request.header("Sec-WebSocket-Key") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
  answer.raw("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: " +
             to_base64(sha1(key)) + "\r\n\r\n");
}

class MonitorSocketTest : public MonitorToolTest {
 protected:
  MonitorSocketTest() {
    web.open_socket = [](const WebSocketPlace& place, std::stop_token stop) {
      return open_web_socket(place, {}, std::move(stop));
    };
    web.private_hosts = {"127.0.0.1"};
    tool = make_monitor_tool(std::make_shared<BashCommands>(BashOptions{.profile = UseProfile::never}), tasks,
                             MonitorOptions{.sink = events.sink()}, web);
  }
  Result<ToolResult> listen(const std::string& url, JsonObject more = {}) {
    JsonObject input{{"ws", {{"url", url}}}, {"description", "what is watched"}};
    for (const auto& [key, value] : more) input[key] = value;
    return bench.call(*tool, input);
  }
  static std::string address(const HttpPeer& peer) { return "ws://127.0.0.1:" + std::to_string(peer.port()) + "/feed"; }

  WebOptions web;
};

TEST_F(MonitorSocketTest, TellsOfEachTextAndHowTheServerEndedIt) {
  HttpPeer peer([](const PeerRequest& request, PeerAnswer& answer) {
    agree(request, answer);
    answer.raw(
        "\x81\x03one\x01\x02tw\x89\x01!\x80\x01o\x82\x02\x01\x02\x88\x06\x03\xE9"
        "away");
    answer.wait_until_gone();
  });
  const auto started = listen(address(peer), {{"ws", {{"url", address(peer)}, {"protocols", JsonArray{"a", "b"}}}}});
  ASSERT_TRUE(started.has_value()) << started.error().message;
  EXPECT_EQ(find_int(started->details, "timeoutMs"), kMonitorTimeoutMsDefault);
  const MonitorEvent end = events.wait_for(has_ended);
  EXPECT_EQ(events.lines(), (std::vector<std::string>{"one", "two", "(2 B that are no text)"}));
  EXPECT_EQ(end.ended, "the server closed it with code 1001 (away)");
  const auto task = tasks->look(end.task_id, BackgroundTasks::Part::all);
  EXPECT_EQ(task->status, TaskView::Status::completed);
  EXPECT_EQ(task->type, "monitor");
  EXPECT_EQ(peer.requests()[0].path, "/feed");
  EXPECT_EQ(peer.requests()[0].header("Sec-WebSocket-Protocol"), "a, b");
  EXPECT_EQ(peer.requests()[0].header("Host"), "127.0.0.1:" + std::to_string(peer.port()));
}

TEST_F(MonitorSocketTest, EndsWhenItsTimeIsOverWhenItIsStoppedAndWithTheSession) {
  HttpPeer peer([](const PeerRequest& request, PeerAnswer& answer) {
    agree(request, answer);
    answer.raw("\x81\x01x");
    answer.wait_until_gone();
  });
  ASSERT_TRUE(listen(address(peer), {{"timeout_ms", 50}}).has_value());
  EXPECT_EQ(events.wait_for(has_ended).ended, "timed_out");
  const auto started = listen(address(peer), {{"persistent", true}});
  const std::string id(find_string(started->details, "taskId").value_or(""));
  EXPECT_EQ(tasks->stop(id), true);
  EXPECT_EQ(events.wait_for([&](const MonitorEvent& event) { return event.task_id == id && event.ended; }).ended,
            "stopped");
  ASSERT_TRUE(listen(address(peer)).has_value());
  tool.reset();  // comes back when it has ended
}

TEST_F(MonitorSocketTest, SaysAtOnceWhatKeepsItFromListening) {
  HttpPeer peer([](const PeerRequest&, PeerAnswer& answer) { answer.send(404, {}, "no"); });
  EXPECT_EQ(listen(address(peer)).error().message, "The server answered HTTP 404 and opened no WebSocket there.");
  EXPECT_EQ(listen("https://127.0.0.1/").error().code, Errc::invalid_input);
  EXPECT_EQ(listen("wss://user@127.0.0.1/").error().code, Errc::invalid_input);
  EXPECT_EQ(listen(address(peer), {{"command", "ls"}}).error().code, Errc::invalid_input);
  EXPECT_EQ(bench.call(*tool, JsonObject{{"description", "nothing"}}).error().code, Errc::invalid_input);
  EXPECT_EQ(listen("", {{"ws", {{"url", "wss://127.0.0.1/"}, {"protocols", JsonArray{"a b"}}}}}).error().code,
            Errc::invalid_input);
  EXPECT_TRUE(tasks->list().empty());
}

TEST_F(MonitorSocketTest, DialsNothingOfAPrivateNetworkInWhicheverNotation) {
  web.private_hosts.clear();
  tool = make_monitor_tool(std::make_shared<BashCommands>(BashOptions{.profile = UseProfile::never}), tasks,
                           MonitorOptions{.sink = events.sink()}, web);
  for (const char* url : {"wss://127.0.0.1/", "wss://2130706433/", "wss://0177.1/", "wss://[::ffff:7f00:1]/",
                          "wss://localhost:9/", "wss://169.254.169.254/"}) {
    const auto refused = listen(url);
    ASSERT_FALSE(refused.has_value()) << url;
    EXPECT_EQ(refused.error().code, Errc::denied) << url << refused.error().message;
  }
}

TEST_F(MonitorSocketTest, IsJudgedAsAPageOfTheWeb) {
  const Json input = JsonObject{{"ws", {{"url", "wss://feed.example.com/x"}}}, {"description", "d"}};
  EXPECT_TRUE(tool->is_read_only(input, any_session()));
  EXPECT_EQ(tool->classifier_text(input), "listen to wss://feed.example.com/x");
  EXPECT_EQ(tool->render_use(input), "Monitor(wss://feed.example.com/x)");
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
