#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "deft/base/path.h"
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
                             when("answered HTTP 202", "it runs")});
  deft.environment = {"DEFT_CI_TOKEN=very-secret-token"};
  const std::string settings =
      R"({"webFetch":{"privateHosts":["127.0.0.1"]},"remoteTriggers":{"127.0.0.1":{"tokenVariable":"DEFT_CI_TOKEN"}}})";
  const auto run = deft.run({"go", "--settings", settings, "--allowedTools", "RemoteTrigger(domain:127.0.0.1)"});
  EXPECT_EQ(run.text(), "it runs") << run.all();
  ASSERT_EQ(peer.requests().size(), 1U);
  EXPECT_EQ(peer.requests()[0].header("authorization"), "Bearer very-secret-token");
  EXPECT_EQ(peer.requests()[0].body, R"({"ref":"main"})");
  EXPECT_EQ(run.all().find("very-secret-token"), std::string::npos);
  EXPECT_FALSE(holds(folder.path(), "very-secret-token")) << "in no journal, no result";

  const auto asked = deft.run({"go", "--settings", settings});
  EXPECT_EQ(peer.requests().size(), 1U) << "without a rule nobody allowed it: " << asked.all();
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

}  // namespace
}  // namespace deft::testing
