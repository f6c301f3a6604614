#include <gtest/gtest.h>

#include <string>

#include "deft_exec.h"

// end, interrupt and discard. What an abort does is in abort_test.cc.

namespace deft::testing {
namespace {

constexpr std::string_view kUntilGo = "until test -e go; do sleep 0.01; done";

bool appears(const TempFolder& folder, std::string_view name) {
  return eventually([&] { return folder.bytes(name).has_value(); });
}

TEST(ExecControl, AFailedCommandCancelsTheLaterOnesOfItsMessageAndNotTheNextMessage) {
  const TempFolder folder;
  DeftExec deft(folder, kBypass);
  deft.bash("fails", "exit 3");
  deft.bash("later", "touch later");
  deft.call("wait", "Sleep", {{"seconds", 0}});
  deft.send_line(R"({"type":"end"})");
  deft.bash("next message", "touch next");
  EXPECT_EQ(deft.finish(), 0);

  EXPECT_EQ(content(deft.result("fails")), "Exit code 3");
  EXPECT_EQ(content(deft.result("later")),
            "<tool_use_error>Cancelled: parallel tool call Bash(exit 3) errored</tool_use_error>");
  EXPECT_EQ(text_of(deft.result("later"), "code"), "cancelled");
  EXPECT_FALSE(is_error(deft.result("wait")));
  EXPECT_FALSE(is_error(deft.result("next message")));
  EXPECT_EQ(folder.names(), std::vector<std::string>{"next"});
}

TEST(ExecControl, SettingsMayKeepAFailureFromCancellingItsSiblings) {
  const TempFolder folder;
  DeftExec deft(folder,
                {"--permission-mode", "bypassPermissions", "--settings", R"({"cancelSiblingsOnFailure":"off"})"});
  deft.bash("fails", "exit 3");
  deft.bash("later", "touch later");
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_TRUE(folder.bytes("later"));
}

TEST(ExecControl, TheCallsOfAnAssistantMessageAreOneMessage) {
  const TempFolder folder;
  DeftExec deft(folder, kBypass);
  deft.send_line(R"({"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"Let me see."},)"
                 R"({"type":"tool_use","id":"a","name":"Bash","input":{"command":"exit 1"}},)"
                 R"({"type":"tool_use","id":"b","name":"Bash","input":{"command":"touch b"}}]}})");
  deft.send_line(
      R"({"role":"assistant","content":[{"type":"tool_use","id":"c","name":"Bash","input":{"command":"touch c"}}]})");
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_EQ(deft.answered_ids(), (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(text_of(deft.result("b"), "code"), "cancelled");
  EXPECT_EQ(folder.names(), std::vector<std::string>{"c"});
}

TEST(ExecControl, AnInterruptStopsWaitsAndLetsCommandsFinish) {
  const TempFolder folder;
  DeftExec deft(folder, kBypassWithEvents);
  deft.call("wait", "Sleep", {{"seconds", 3600}});
  deft.bash("work", "touch begun; " + std::string(kUntilGo) + "; echo finished");
  ASSERT_TRUE(appears(folder, "begun"));
  deft.line("state", [](const Json& state) { return number_of(state, "in_progress") == 2; });
  deft.send_line(R"({"type":"interrupt"})");

  EXPECT_EQ(content(deft.result("wait")),
            "<tool_use_error>Cancelled: the user sent a new message instead; it was stopped before it "
            "finished</tool_use_error>");
  folder.put("go", "");
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_EQ(content(deft.result("work")), "finished");
}

TEST(ExecControl, WhetherEverythingInProgressCanBeInterruptedIsTold) {
  const TempFolder folder;
  DeftExec deft(folder, kBypassWithEvents);
  const auto state_of = [&](std::int64_t in_progress) {
    const Json state = deft.line("state", [&](const Json& it) { return number_of(it, "in_progress") == in_progress; });
    return find_bool(state, "can_interrupt").value();
  };
  deft.call("wait", "Sleep", {{"seconds", 3600}});
  EXPECT_TRUE(state_of(1));
  deft.bash("work", kUntilGo);
  EXPECT_FALSE(state_of(2));
  folder.put("go", "");
  deft.send_line(R"({"type":"interrupt"})");
  EXPECT_EQ(deft.finish(), 0);
}

TEST(ExecControl, ADiscardedMessageIsNotAnsweredAndItsIdsMayComeAgain) {
  const TempFolder folder;
  folder.put("file", "content");
  DeftExec deft(folder, kBypassWithEvents);
  deft.bash("a", "sleep 3600");
  deft.bash("b", "touch b");  // behind it: never started
  deft.line("state");
  deft.stage("b", "schema");
  deft.send_line(R"({"type":"discard"})");
  EXPECT_EQ(to_json(deft.line("discarded")), R"({"type":"discarded","kept":false,"calls":2})");

  deft.bash("a", "cat file");
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_EQ(deft.answered_ids(), std::vector<std::string>{"a"});
  EXPECT_EQ(content(deft.result("a")), "content");
  EXPECT_EQ(folder.names(), std::vector<std::string>{"file"});
  EXPECT_TRUE(deft.leaves_no_command());
}

TEST(ExecControl, AMessageWhoseEffectHasBegunIsKeptThoughItIsDiscarded) {
  const TempFolder folder;
  DeftExec deft(folder, kBypass);
  deft.bash("effect", "touch begun; " + std::string(kUntilGo));
  ASSERT_TRUE(appears(folder, "begun"));
  deft.send_line(R"({"type":"discard"})");
  EXPECT_EQ(to_json(deft.line("discarded")), R"({"type":"discarded","kept":true,"calls":1})");
  folder.put("go", "");
  EXPECT_FALSE(is_error(deft.result("effect")));

  deft.bash("effect", "touch twice");  // asked for again: the id is taken
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_EQ(text_of(deft.lines("tool_result").back(), "code"), "duplicate_id");
  EXPECT_FALSE(folder.bytes("twice"));
}

}  // namespace
}  // namespace deft::testing
