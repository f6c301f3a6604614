#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "deft/base/base64.h"
#include "deft/base/path.h"
#include "deft/base/sha1.h"
#include "deft/testing/http_peer.h"
#include "deft_headless.h"
#include "deft_print.h"

// The tools beside files and shells, used by a model in `deft -p`.

namespace deft::testing {
namespace {

namespace fs = std::filesystem;

// The model's next word comes only if it was told this.
std::string when(std::string_view told, std::string_view answer) {
  return to_json(JsonObject{{"when", told}, {"answer", answer}});
}
std::string call(std::string_view tool, JsonObject input) {
  return to_json(JsonObject{{"answer", JsonArray{JsonObject{{"call", tool}, {"input", std::move(input)}}}}});
}
std::string call_when(std::string_view told, std::string_view tool, JsonObject input) {
  return to_json(
      JsonObject{{"when", told}, {"answer", JsonArray{JsonObject{{"call", tool}, {"input", std::move(input)}}}}});
}

bool holds(const fs::path& folder, std::string_view text) {
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(file), {});
    if (bytes.find(text) != std::string::npos) return true;
  }
  return false;
}

TEST(Toolbox, APatchChangesSeveralFilesAndIsOfferedInThePlaceOfEdit) {
  const TempFolder folder;
  DeftHeadless deft(folder, {call("Read", {{"file_path", "a.txt"}}),
                             call("apply_patch", {{"input",
                                                   "*** Begin Patch\n*** Update File: a.txt\n*** Move to: b.txt\n-one\n"
                                                   "+1\n*** Add File: c.txt\n+new\n*** End Patch\n"}}),
                             when("Moved", "done")});
  folder.put("project/a.txt", "one\ntwo\n");
  const auto run = deft.run({"go", "--settings", R"({"editTool":"apply_patch"})", "--permission-mode", "acceptEdits"});
  EXPECT_EQ(run.text(), "done") << run.all();
  EXPECT_EQ(folder.bytes("project/b.txt"), "1\ntwo\n");
  EXPECT_EQ(folder.bytes("project/c.txt"), "new\n");
  EXPECT_FALSE(folder.bytes("project/a.txt").has_value());
  const std::string tools = to_json(*find(run.init(), "tools"));
  EXPECT_NE(tools.find(R"("apply_patch")"), std::string::npos) << tools;
  EXPECT_EQ(tools.find(R"("Edit")"), std::string::npos) << tools;
}

TEST(Toolbox, ADeniedPathDeniesTheWholePatch) {
  const TempFolder folder;
  DeftHeadless deft(folder, {call("apply_patch", {{"input",
                                                   "*** Begin Patch\n*** Add File: ok.txt\n+x\n*** Add File: "
                                                   "secret/key\n+x\n*** End Patch\n"}}),
                             when("denied", "as you wish")});
  const auto run = deft.run({"go", "--settings", R"({"editTool":"apply_patch"})", "--permission-mode", "acceptEdits",
                             "--disallowedTools", "Edit(secret/**)"});
  EXPECT_EQ(run.text(), "as you wish") << run.all();
  EXPECT_FALSE(folder.bytes("project/ok.txt").has_value());
}

TEST(Toolbox, APlaceToMoveToIsJudgedAsEveryPathAndAWrappingIsNone) {
  const TempFolder folder;
  DeftHeadless deft(folder, {call("Read", {{"file_path", "a.txt"}}),
                             call_when("one", "apply_patch",
                                       {{"input",
                                         "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: a.txt\n*** Move to: "
                                         "x/../secret/a.txt\n-one\n+1\n*** End Patch\nEOF\n"}}),
                             call_when("denied", "apply_patch",
                                       {{"input",
                                         "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: a.txt\n-one\n+1\n*** "
                                         "End Patch\nEOF\n"}}),
                             when("Edited", "done")});
  folder.put("project/a.txt", "one\n");
  const auto run = deft.run({"go", "--settings", R"({"editTool":"apply_patch"})", "--permission-mode", "acceptEdits",
                             "--disallowedTools", "Edit(secret/**)"});
  EXPECT_EQ(run.text(), "done") << run.all();
  EXPECT_EQ(folder.bytes("project/a.txt"), "1\n");
  EXPECT_FALSE(folder.bytes("project/secret/a.txt").has_value());
}

TEST(Toolbox, TasksWaitForEachOtherButNeverInACircle) {
  const TempFolder folder;
  const auto task = [](std::string_view subject) {
    return JsonObject{{"subject", subject}, {"description", "All of it."}};
  };
  DeftHeadless deft(
      folder,
      {call("TaskCreate", task("Dig")), call_when("Created task 1", "TaskCreate", task("Build")),
       call_when("Created task 2", "TaskUpdate", {{"taskId", "2"}, {"addBlockedBy", JsonArray{"1"}}}),
       call_when("waits for 1", "TaskUpdate", {{"taskId", "1"}, {"addBlockedBy", JsonArray{"2"}}}),
       call_when("neither could begin", "TaskUpdate", {{"taskId", "2"}, {"status", "in_progress"}, {"owner", "me"}}),
       call_when("complete or delete that first", "TaskUpdate", {{"taskId", "1"}, {"status", "completed"}}),
       call_when("1  completed  Dig", "TaskUpdate", {{"taskId", "2"}, {"status", "in_progress"}, {"owner", "me"}}),
       call_when("2  in_progress  Build (me)", "TaskGet", {{"taskId", "2"}}),
       call_when("All of it.", "TaskUpdate", {{"taskId", "7"}, {"status", "completed"}}),
       when("There is no task", "done")});
  const auto run = deft.run({"go"});
  EXPECT_EQ(run.text(), "done") << run.all();
  EXPECT_NE(run.all().find(R"("statusChange":{"from":"pending","to":"completed"})"), std::string::npos) << run.all();
}

TEST(Toolbox, TasksAreStillThereWhenTheSessionIsGoneOnWith) {
  const TempFolder folder;
  DeftHeadless deft(folder, {call_when("first", "TaskCreate", {{"subject", "Ship it"}, {"description", "All of it."}}),
                             when("Created task 1", "made"), call_when("second", "TaskList", {}),
                             when("1  pending  Ship it", "it is still there")});
  EXPECT_EQ(deft.run({"first"}).text(), "made");
  const auto run = deft.run({"second", "--continue"});
  EXPECT_EQ(run.text(), "it is still there") << run.all();
}

TEST(Toolbox, AnAdvisorSeesTheConversationAndIsSwitchedOffByTheSettings) {
  const TempFolder folder;
  DeftHeadless deft(folder, {call_when("Fix the door", "Advisor", {{"question", "Is it right?"}}),
                             when("The agent asks: Is it right?", "Oil it first."), when("Oil it first", "I oil it.")});
  const auto run = deft.run({"Fix the door", "--settings", R"({"advisorModel":"big"})"});
  EXPECT_EQ(run.text(), "I oil it.") << run.all();
  const auto off = deft.run({"Fix the door", "--settings", R"({"advisorModel":"big","advisor":{"enabled":false}})"});
  EXPECT_EQ(to_json(*find(off.init(), "tools")).find("Advisor"), std::string::npos);
  const auto none = deft.run({"Fix the door"});
  EXPECT_EQ(to_json(*find(none.init(), "tools")).find("Advisor"), std::string::npos);
}

TEST(Toolbox, ARunElsewhereIsStartedWithATokenThatNobodySees) {
  HttpPeer peer([](const PeerRequest& request, PeerAnswer& answer) {
    answer.send(202, {}, "started, by " + request.header("authorization"));
  });
  const TempFolder folder;
  DeftHeadless deft(folder, {call("RemoteTrigger", {{"url", peer.url("/run")}, {"body", {{"ref", "main"}}}}),
                             call_when("answered HTTP 202", "Bash", {{"command", "env; echo \"<$CI_TOKEN>\""}}),
                             when("<>", "it runs")});
  deft.environment = {"CI_TOKEN=very-secret-token", "COPY=of very-secret-token"};
  const std::string settings =
      R"({"webFetch":{"privateHosts":["127.0.0.1"]},"remoteTriggers":{"127.0.0.1":{"tokenVariable":"CI_TOKEN"}}})";
  const auto run =
      deft.run({"go", "--settings", settings, "--allowedTools", "RemoteTrigger(domain:127.0.0.1)", "Bash(*)"});
  EXPECT_EQ(run.text(), "it runs") << run.all();
  ASSERT_EQ(peer.requests().size(), 1U);
  EXPECT_EQ(peer.requests()[0].header("authorization"), "Bearer very-secret-token");
  EXPECT_EQ(peer.requests()[0].body, R"({"ref":"main"})");
  EXPECT_EQ(run.all().find("very-secret-token"), std::string::npos);
  EXPECT_FALSE(holds(folder.path(), "very-secret-token")) << "in no journal, no result";

  const auto asked = deft.run({"go", "--settings", settings});
  EXPECT_EQ(peer.requests().size(), 1U) << "without a rule nobody allowed it: " << asked.all();
}

TEST(Toolbox, TheWebIsSearchedWhereAServerIsConfigured) {
  HttpPeer peer([](const PeerRequest& request, PeerAnswer& answer) {
    const bool brave = request.header("x-subscription-token") == "very-secret-key";
    const std::string list =
        R"({"results":[{"title":"A\u001b page","url":"https://a.example/1","content":"said","description":"told"},)"
        R"({"title":"Bad","url":"https://b.example/2"}]})";
    answer.send(200, {{"Content-Type", "application/json"}}, brave ? R"({"web":)" + list + "}" : list);
  });
  const TempFolder folder;
  DeftHeadless deft(folder, {call("WebSearch", {{"query", "the news"}, {"blocked_domains", JsonArray{"b.example"}}}),
                             when("https://a.example/1", "found")});
  const auto settings = [&](std::string_view provider) {
    return to_json(JsonObject{{"webSearch", {{"provider", provider}, {"url", peer.url("/")}}}});
  };
  const auto run = deft.run({"go", "--settings", settings("searxng"), "--allowedTools", "WebSearch"});
  EXPECT_EQ(run.text(), "found") << run.all();
  EXPECT_NE(run.all().find(R"("content":[{"title":"A page","url":"https://a.example/1","snippet":"said"}])"),
            std::string::npos)
      << run.all();
  EXPECT_EQ(run.all().find("https://b.example/2"), std::string::npos);

  deft.environment = {"BRAVE_API_KEY=very-secret-key"};
  const auto brave = deft.run({"go", "--settings", settings("brave"), "--allowedTools", "WebSearch"});
  EXPECT_EQ(brave.text(), "found") << brave.all();
  EXPECT_NE(brave.all().find("told"), std::string::npos);
  EXPECT_EQ(brave.all().find("very-secret-key"), std::string::npos);
  EXPECT_FALSE(holds(folder.path(), "very-secret-key"));

  const std::size_t asked = peer.requests().size();
  deft.run({"go", "--settings", settings("searxng")});
  EXPECT_EQ(peer.requests().size(), asked) << "nobody allowed it";
  deft.environment.clear();
  const std::vector<std::vector<std::string>> without = {{"go"}, {"go", "--settings", settings("brave")}};
  for (const auto& arguments : without) {
    EXPECT_EQ(to_json(*find(deft.run(arguments).init(), "tools")).find("WebSearch"), std::string::npos);
  }
}

TEST(Toolbox, TheModelsOwnSearchIsAskedBesideTheConversation) {
  const PrintPlace place;
  const JsonObject found{
      {"type", "web_search_tool_result"},
      {"tool_use_id", "s1"},
      {"content",
       JsonArray{JsonObject{{"type", "web_search_result"}, {"title", "A page"}, {"url", "https://a.example/1"}}}}};
  const ModelPeer model({anthropic_calls({{"w1", "WebSearch", {{"query", "the news"}}}}),
                         anthropic_blocks({found}, "It says so."), anthropic_text("found")});
  const auto lines = place.lines(model, Arguments{"-p", "go", "--settings", R"({"webSearch":{"provider":"model"}})",
                                                  "--allowedTools", "WebSearch"} +
                                            kStreamJson);
  EXPECT_EQ(text_of(of_type(lines, "result").at(0), "result"), "found");
  const std::string asked = to_json(model.bodies().at(1));
  EXPECT_NE(asked.find("web_search_20260318"), std::string::npos) << asked;
  EXPECT_NE(asked.find("the news"), std::string::npos) << asked;
  const std::string told = to_json(model.bodies().at(2));
  EXPECT_NE(told.find("https://a.example/1"), std::string::npos) << told;
  EXPECT_NE(told.find("It says so."), std::string::npos) << told;
}

TEST(Toolbox, PowerShellIsThereWherePwshIs) {
  const TempFolder folder;
  DeftHeadless deft(folder,
                    {call("PowerShell", {{"command", "Get-Thing a"}}), when("<-Command><Get-Thing a>", "it ran")});
  EXPECT_EQ(to_json(*find(deft.run({"go"}).init(), "tools")).find("PowerShell"), std::string::npos);
  folder.put("bin/pwsh", "#!/bin/sh\nfor word in \"$@\"; do printf '<%s>' \"$word\"; done\n", 0755);
  deft.environment = {"PATH=" + (folder / "bin") + ":/usr/bin:/bin"};
  const auto run = deft.run({"go", "--allowedTools", "PowerShell(get-thing *)"});
  EXPECT_EQ(run.text(), "it ran") << run.all();
}

TEST(Toolbox, WhatMayNotBeReadIsNotReadByPowerShell) {
  const TempFolder folder;
  DeftHeadless deft(folder,
                    {call("PowerShell", {{"command", "Get-Content .\\secret\\key"}}),
                     call_when("denies", "PowerShell", {{"command", "Get-Content 'secret/key'"}}),
                     call_when("denies", "PowerShell", {{"command", "Get-Content other"}}), when("it ran", "done")});
  folder.put("bin/pwsh", "#!/bin/sh\necho it ran\n", 0755);
  folder.put("project/secret/key", "x");
  deft.environment = {"PATH=" + (folder / "bin") + ":/usr/bin:/bin"};
  const auto run = deft.run({"go", "--allowedTools", "PowerShell", "--disallowedTools", "Read(secret/**)"});
  EXPECT_EQ(run.text(), "done") << run.all();
}

TEST(Toolbox, WhatAMonitoredCommandPrintsBecomesATurn) {
  const PrintPlace place;
  const ModelPeer model(
      {anthropic_calls({{"m1", "Monitor", {{"command", "echo hello"}, {"description", "the greeting"}}}}),
       anthropic_text("watching"), anthropic_text("seen")});
  HostedDeft deft(place, model.url());
  deft.say("watch it");
  EXPECT_EQ(text_of(deft.next("result"), "result"), "watching");
  EXPECT_EQ(text_of(deft.next("result"), "result"), "seen");
  const std::string told = to_json(model.bodies().at(2));
  EXPECT_NE(told.find("[Monitor "), std::string::npos) << told;
  EXPECT_NE(told.find("the greeting]\\nhello"), std::string::npos) << told;
  EXPECT_EQ(deft.finish(), 0);
}

TEST(Toolbox, ADurablePromptThatWasMissedIsMadeUpFor) {
  PrintPlace place;
  place.environment = {"XDG_STATE_HOME=" + (place.home / "state")};
  const std::string file = "state/deft/schedules/" + safe_file_name(place.project.path()) + ".json";
  place.home.put(file, R"({"version":1,"prompts":[{"id":"once","cron":"0 9 * * *","prompt":"Water the plants.",)"
                       R"("recurring":false,"created":1000000000,"doneUntil":1000000000}]})");
  const ModelPeer model({anthropic_text("watered")});
  HostedDeft deft(place, model.url());
  EXPECT_EQ(text_of(deft.next("result"), "result"), "watered");
  const std::string told = to_json(model.bodies().at(0));
  EXPECT_NE(told.find("Scheduled prompt once, due on"), std::string::npos) << told;
  EXPECT_NE(told.find("Water the plants."), std::string::npos);
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_EQ(place.home.bytes(file), "{\"version\":1,\"prompts\":[]}\n") << "once";
}

// --- one turn only: `deft -p "…"` ---

TEST(PlainRun, HearsWhatAMonitoredCommandPrintsWhileItWorks) {
  const TempFolder folder;
  // It sleeps until it was told.
  DeftHeadless deft(folder, {call("Monitor", {{"command", "echo hello; touch seen"}, {"description", "the greeting"}}),
                             when("the greeting]", "I heard it."),
                             R"({"times":0,"answer":[{"call":"Sleep","input":{"seconds":0.05}}]})"});
  const auto run = deft.run({"go", "--allowedTools", "Bash(*)", "Monitor"});
  EXPECT_EQ(run.text(), "I heard it.") << run.all();
}

TEST(PlainRun, HearsWhatAWebSocketSaysWhereItsHostIsAllowed) {
  const TempFolder folder;
  HttpPeer peer([](const PeerRequest& request, PeerAnswer& answer) {
    const std::string key = request.header("Sec-WebSocket-Key") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
    answer.raw(
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Accept: " +
        to_base64(sha1(key)) + "\r\n\r\n\x81\x05hello");
    answer.wait_until_gone();
  });
  const std::string url = "ws://127.0.0.1:" + std::to_string(peer.port()) + "/";
  const std::string settings = R"({"webFetch":{"privateHosts":["127.0.0.1"]}})";
  const std::vector<std::string> script = {call("Monitor", {{"ws", {{"url", url}}}, {"description", "the feed"}}),
                                           when("the feed]", "I heard it."), when("nobody can be asked", "not allowed"),
                                           R"({"times":0,"answer":[{"call":"Sleep","input":{"seconds":0.05}}]})"};
  DeftHeadless refused(folder, script);
  EXPECT_EQ(refused.run({"go", "--settings", settings}).text(), "not allowed");
  EXPECT_TRUE(peer.requests().empty());
  DeftHeadless deft(folder, script);
  const auto run = deft.run({"go", "--settings", settings, "--allowedTools", "WebFetch(domain:127.0.0.1)"});
  EXPECT_EQ(run.text(), "I heard it.") << run.all();
}

TEST(PlainRun, DoesNotWaitForAMonitoredCommandAndSaysThatItEnds) {
  const TempFolder folder;
  DeftHeadless deft(folder, {call("Monitor", {{"command", "sleep 1000"}, {"description", "the door"}}),
                             when("Monitoring as task", "I am watching.")});
  const auto run = deft.run({"go", "--allowedTools", "Bash(*)", "Monitor"});
  EXPECT_EQ(run.text(), "I am watching.") << run.all();
  EXPECT_NE(run.all().find("Ended with this run: the background task"), std::string::npos) << run.all();
}

TEST(PlainRun, SchedulesOnlyWhatOutlivesItAndWakesNobody) {
  const TempFolder folder;
  DeftHeadless deft(folder, {call("CronCreate", {{"cron", "0 9 * * *"}, {"prompt", "water"}}),
                             call_when("This run ends with your last answer", "ScheduleWakeup",
                                       {{"delaySeconds", 60}, {"prompt", "wake"}}),
                             call_when("nobody would wake you", "CronCreate",
                                       {{"cron", "0 9 * * *"}, {"prompt", "water"}, {"durable", true}}),
                             when("It is kept, and given in a session", "kept")});
  const auto run = deft.run({"go", "--allowedTools", "CronCreate"});
  EXPECT_EQ(run.text(), "kept") << run.all();
  EXPECT_EQ(to_json(*find(run.init(), "tools")).find("ScheduleWakeup"), std::string::npos);
}

TEST(PlainRun, ListsAndRemovesWhatIsScheduled) {
  const TempFolder folder;
  DeftHeadless deft(
      folder, {call_when("first", "CronCreate", {{"cron", "0 9 * * fri-sun"}, {"prompt", "water"}, {"durable", true}}),
               when("Scheduled", "kept"), call_when("second", "CronDelete", {{"id", "nonsense"}}),
               call_when("see CronList", "CronList", {}), when("0 9 * * fri-sun", "listed")});
  EXPECT_EQ(deft.run({"first", "--allowedTools", "CronCreate"}).text(), "kept");
  const auto listed = deft.run({"second"});
  EXPECT_EQ(listed.text(), "listed") << listed.all();
  const std::string all = listed.all();
  const std::size_t at = all.find(R"("jobs":[{"id":")");
  ASSERT_NE(at, std::string::npos) << all;
  const std::string id = all.substr(at + 15, all.find('"', at + 15) - at - 15);
  DeftHeadless again(folder, {call("CronDelete", {{"id", id}}), call_when("Removed", "CronList", {}),
                              when("Nothing is scheduled", "gone"), when("no rule allows it", "as you wish")});
  EXPECT_EQ(again.run({"third", "--allowedTools", "CronDelete"}).text(), "gone");
}

TEST(PlainRun, TellsOfADurablePromptThatNobodyRanAndLeavesItForOthers) {
  PrintPlace place;
  place.environment = {"XDG_STATE_HOME=" + (place.home / "state")};
  const std::string file = "state/deft/schedules/" + safe_file_name(place.project.path()) + ".json";
  const std::string kept = R"({"version":1,"prompts":[{"id":"once","cron":"0 9 * * *","prompt":"Water the plants.",)"
                           R"("recurring":false,"created":1000000000,"doneUntil":1000000000}]})";
  place.home.put(file, kept);
  const ModelPeer model({anthropic_text("hello")});
  const auto run = place.run(model, {"-p", "hi"});
  EXPECT_EQ(run.output, "hello\n");
  EXPECT_NE(run.errors.find("The scheduled prompt once was due on"), std::string::npos) << run.errors;
  EXPECT_EQ(place.home.bytes(file), kept);
}

}  // namespace
}  // namespace deft::testing
