#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <string>

#include "deft_exec.h"

// However it ends, nothing that deft has started outlives it.

namespace deft::testing {
namespace {

// Hard to end: a child that ignores SIGTERM, in a session of its own.
constexpr std::string_view kStubborn =
    "trap '' TERM; setsid bash -c 'trap \"\" TERM; touch begun; sleep 3600; true' & sleep 3600; true";

bool appears(const TempFolder& folder, std::string_view name) {
  return eventually([&] { return folder.bytes(name).has_value(); });
}

struct Ending {
  std::string_view name;
  void (*end)(DeftExec& deft);
};

class ExecAbort : public ::testing::TestWithParam<Ending> {};

INSTANTIATE_TEST_SUITE_P(
    Ways, ExecAbort,
    ::testing::Values(Ending{"ByLine", [](DeftExec& deft) { deft.send_line(R"({"type":"abort"})"); }},
                      Ending{"BySigint", [](DeftExec& deft) { deft.program.send_signal(SIGINT); }},
                      Ending{"BySigterm", [](DeftExec& deft) { deft.program.send_signal(SIGTERM); }},
                      Ending{"BySighup", [](DeftExec& deft) { deft.program.send_signal(SIGHUP); }}),
    [](const auto& ending) { return std::string(ending.param.name); });

TEST_P(ExecAbort, AnswersEveryCallAndLeavesNoProcess) {
  const TempFolder folder;
  DeftExec deft(folder, kBypassWithEvents);
  deft.call("wait", "Sleep", {{"seconds", 3600}});
  deft.bash("running", kStubborn);
  deft.bash("queued", "touch queued");
  deft.call("unknown", "Teleport", {});
  ASSERT_TRUE(appears(folder, "begun"));
  deft.stage("unknown", "look_up");
  GetParam().end(deft);

  EXPECT_EQ(deft.wait(), 130);  // though the input is still open
  EXPECT_EQ(deft.answered_ids(), (std::vector<std::string>{"wait", "running", "queued", "unknown"}));
  EXPECT_EQ(content(deft.result("wait")),
            "<tool_use_error>Cancelled: the user aborted; it was stopped before it finished</tool_use_error>");
  EXPECT_EQ(content(deft.result("running")), content(deft.result("wait")));
  EXPECT_EQ(content(deft.result("queued")),
            "<tool_use_error>Cancelled: the user aborted; it was not started</tool_use_error>");
  EXPECT_EQ(deft.lines("notice").size(), 1U);
  EXPECT_EQ(to_json(deft.lines().back()), R"({"type":"done","calls":4,"errors":4,"reason":"aborted_tools"})");
  EXPECT_FALSE(folder.bytes("queued"));
  EXPECT_TRUE(deft.commands().empty());  // at once, not soon
}

TEST(ExecAbortState, WhatCameBeforeTheAbortIsKeptInTheAnswer) {
  const TempFolder folder;
  DeftExec deft(folder, kBypass);
  deft.bash("a", "echo half a line; sleep 3600; true");
  deft.line("progress");
  deft.send_line(R"({"type":"abort"})");
  EXPECT_EQ(deft.wait(), 130);
  EXPECT_NE(content(deft.result("a")).find("half a line"), std::string::npos);
}

TEST(ExecAbortState, CallsThatComeAfterAnAbortAreNotRun) {
  const TempFolder folder;
  DeftExec deft(folder, kBypass);
  deft.send(
      "{\"type\":\"abort\"}\n"
      R"({"type":"tool_use","id":"late","name":"Bash","input":{"command":"touch late"}})"
      "\n");
  EXPECT_EQ(deft.finish(), 130);
  EXPECT_TRUE(folder.names().empty());
}

// The output is full and nobody reads it, so the first signal cannot end the process by itself.
TEST(ExecAbortState, ASecondSigintEndsItAtOnce) {
  const TempFolder folder;
  folder.put("long", std::string(20'000, 'x'));
  DeftExec deft(folder, {.arguments = {"--permission-mode", "bypassPermissions", "--session", folder / "session"},
                         .small_output_pipe = true});
  deft.bash("long", "cat long");
  deft.bash("running", kStubborn);
  ASSERT_TRUE(appears(folder, "begun"));
  deft.program.send_signal(SIGINT);
  ASSERT_TRUE(
      eventually([&] { return folder.bytes("session/journal.jsonl")->find("the user aborted") != std::string::npos; }));
  deft.program.send_signal(SIGINT);
  EXPECT_EQ(deft.program.wait(), 130);
  EXPECT_TRUE(deft.leaves_no_command());
}

TEST(ExecAbortState, KilledItLeavesNoProcess) {
  const TempFolder folder;
  DeftExec deft(folder, kBypass);
  deft.bash("running", kStubborn);
  ASSERT_TRUE(appears(folder, "begun"));
  const std::vector<int> wardens = children_of(deft.program.pid());
  ASSERT_FALSE(wardens.empty());
  ASSERT_FALSE(deft.commands().empty());
  deft.program.send_signal(SIGKILL);
  EXPECT_EQ(deft.program.wait(), 128 + SIGKILL);
  EXPECT_TRUE(deft.leaves_no_command());
  EXPECT_TRUE(eventually([&] { return std::none_of(wardens.begin(), wardens.end(), is_alive); }));
}

TEST(ExecAbortState, WhenItsWorkIsDoneNothingOfItIsAlive) {
  const TempFolder folder;
  DeftExec deft(folder, kBypass);
  deft.bash("a", "true; true");
  deft.result("a");
  const std::vector<int> wardens = children_of(deft.program.pid());
  ASSERT_FALSE(wardens.empty());
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_TRUE(eventually([&] { return std::none_of(wardens.begin(), wardens.end(), is_alive); }));
}

TEST(ExecAbortState, WithNobodyToReadItsAnswersItEnds) {
  const TempFolder folder;
  DeftExec deft(folder, kBypass);
  deft.bash("running", "touch begun; while :; do echo still here; sleep 0.01; done");
  ASSERT_TRUE(appears(folder, "begun"));
  deft.program.close_output();
  EXPECT_EQ(deft.program.wait(), 130);
  EXPECT_TRUE(deft.leaves_no_command());
}

TEST(ExecAbortState, ACommandThatSaysNothingEndsTooWhenNobodyReads) {
  const TempFolder folder;
  DeftExec deft(folder, kBypass);
  deft.bash("running", "touch begun; sleep 3600; true");
  ASSERT_TRUE(appears(folder, "begun"));
  deft.program.close_output();
  EXPECT_EQ(deft.program.wait(), 130);
  EXPECT_TRUE(deft.leaves_no_command());
}

}  // namespace
}  // namespace deft::testing
