#include <gtest/gtest.h>

#include <csignal>
#include <string>

#include "deft_exec.h"

// Commands that run in the background: started so, moved there, looked at, stopped, and ended with the session.

namespace deft::testing {
namespace {

constexpr std::string_view kUntilGo = "echo started; until test -e go; do sleep 0.01; done; echo went";

std::string task_of(const Json& result) { return text_of(*find(result, "tool_use_result"), "backgroundTaskId"); }

const Json& task_in(const Json& result) { return *find(*find(result, "tool_use_result"), "task"); }

class ExecBackground : public ::testing::Test {
 protected:
  std::string start(std::string_view id, std::string_view command) {
    deft_.call(id, "Bash", {{"command", std::string(command)}, {"run_in_background", true}});
    const Json result = deft_.result(id);
    EXPECT_FALSE(is_error(result)) << content(result);
    return task_of(result);
  }
  Json look(std::string_view id, const std::string& task, JsonObject input = {}) {
    input["task_id"] = task;
    deft_.call(id, "TaskOutput", input);
    return deft_.result(id);
  }

  const TempFolder folder_;
  DeftExec deft_{folder_, kBypass};
};

TEST_F(ExecBackground, ATaskIsAnsweredAtOnceAndGoesOn) {
  const std::string task = start("a", kUntilGo);
  EXPECT_EQ(task, "bash_1");
  const Json meanwhile = look("l", task, {{"block", false}});
  EXPECT_EQ(text_of(*find(meanwhile, "tool_use_result"), "retrieval_status"), "not_ready");
  folder_.put("go", "");
  const Json result = look("w", task);
  EXPECT_EQ(text_of(*find(result, "tool_use_result"), "retrieval_status"), "success");
  EXPECT_EQ(text_of(task_in(result), "output"), "started\nwent\n");
  EXPECT_EQ(text_of(task_in(result), "status"), "completed");
  EXPECT_EQ(deft_.finish(), 0);
}

TEST_F(ExecBackground, AWaitThatTimesOutSaysThatItIsNotReady) {
  const std::string task = start("a", "echo first; sleep 1000");
  ASSERT_TRUE(eventually([&] { return deft_.commands().size() == 1; }));
  const Json result = look("w", task, {{"timeout", 1}});
  EXPECT_EQ(text_of(*find(result, "tool_use_result"), "retrieval_status"), "timeout");
  EXPECT_EQ(find_bool(task_in(result), "is_completed"), false);
  EXPECT_NE(content(result).find("not ready"), std::string::npos) << content(result);
  EXPECT_EQ(deft_.finish(), 0);
  EXPECT_TRUE(deft_.leaves_no_command());
}

TEST_F(ExecBackground, WhatIsNewSinceTheLastLookCanBeAskedFor) {
  const std::string task = start("a", "echo one; until test -e go; do sleep 0.01; done; echo two");
  ASSERT_TRUE(eventually([&] { return deft_.commands().size() >= 1; }));
  deft_.send_line(R"({"type":"end"})");
  Json first = look("l1", task, {{"timeout", 300}, {"since_last", true}});
  folder_.put("go", "");
  const Json rest = look("l2", task, {{"since_last", true}});
  EXPECT_EQ(text_of(task_in(first), "output") + text_of(task_in(rest), "output"), "one\ntwo\n");
  EXPECT_EQ(text_of(task_in(look("l3", task, {{"since_last", true}})), "output"), "");
  EXPECT_EQ(text_of(task_in(look("l4", task)), "output"), "one\ntwo\n");
  EXPECT_EQ(deft_.finish(), 0);
}

TEST_F(ExecBackground, AStoppedTaskEndsWithAllItsDescendants) {
  const std::string task = start("a", "setsid sleep 1000 & trap '' TERM; echo x; sleep 1000; sleep 1000");
  ASSERT_TRUE(eventually([&] { return deft_.commands().size() >= 3; }));
  deft_.call("stop", "KillShell", {{"shell_id", task}});
  const Json result = deft_.result("stop");
  EXPECT_FALSE(is_error(result)) << content(result);
  EXPECT_TRUE(deft_.commands().empty());
  EXPECT_EQ(text_of(task_in(look("l", task)), "status"), "stopped");
  deft_.call("again", "TaskStop", {{"task_id", task}});
  EXPECT_NE(content(deft_.result("again")).find("had ended before"), std::string::npos);
  EXPECT_EQ(deft_.finish(), 0);
}

TEST_F(ExecBackground, AnUnknownTaskIsAnErrorThatNamesTheKnownOnes) {
  start("a", "exit 3");
  const Json result = look("l", "bash_99");
  EXPECT_TRUE(is_error(result));
  EXPECT_NE(content(result).find("bash_1"), std::string::npos) << content(result);
  deft_.call("s", "TaskStop", JsonObject());
  EXPECT_TRUE(is_error(deft_.result("s")));
  EXPECT_EQ(deft_.finish(), 0);
}

TEST_F(ExecBackground, AllTasksCanBeListed) {
  start("a", "exit 3");
  start("b", "sleep 1000");
  look("w", "bash_1");
  deft_.call("l", "TaskOutput", JsonObject());
  const std::string text = content(deft_.result("l"));
  EXPECT_EQ(text, "bash_1  failed (exit code 3)  exit 3\nbash_2  running  sleep 1000");
  EXPECT_EQ(deft_.finish(), 0);
}

TEST_F(ExecBackground, ARunningCallCanBeMovedThere) {
  deft_.bash("a", kUntilGo);
  deft_.line_of_call("progress", "a");
  deft_.send_line(R"({"type":"background","tool_use_id":"a"})");
  const Json moved = deft_.result("a");
  EXPECT_FALSE(is_error(moved));
  EXPECT_NE(content(moved).find("Output so far:\nstarted"), std::string::npos) << content(moved);
  const std::string task = task_of(moved);
  folder_.put("go", "");
  EXPECT_EQ(text_of(task_in(look("w", task)), "output"), "started\nwent\n");
  deft_.send_line(R"({"type":"background","tool_use_id":"nobody"})");
  EXPECT_NE(text_of(deft_.line("notice"), "text").find("nobody"), std::string::npos);
  EXPECT_EQ(deft_.finish(), 0);
}

TEST_F(ExecBackground, TheSessionsEndEndsItsTasks) {
  start("a", "trap '' TERM HUP; sleep 1000 & setsid sleep 1000 & wait; wait");
  start("b", "sleep 1000");
  ASSERT_TRUE(eventually([&] { return deft_.commands().size() >= 4; }));
  EXPECT_EQ(deft_.finish(), 0);
  EXPECT_TRUE(deft_.leaves_no_command());
}

TEST_F(ExecBackground, AKilledDeftLeavesNoTask) {
  start("a", "setsid sleep 1000 & wait");
  ASSERT_TRUE(eventually([&] { return deft_.commands().size() >= 2; }));
  deft_.program.send_signal(SIGKILL);
  EXPECT_TRUE(deft_.leaves_no_command());
}

TEST_F(ExecBackground, AWaitingLookIsStoppedByAnAbort) {
  const std::string task = start("a", "sleep 1000");
  deft_.call("w", "TaskOutput", {{"task_id", task}, {"timeout", 600'000}});
  deft_.send_line(R"({"type":"abort"})");
  EXPECT_EQ(deft_.wait(), 130);
  EXPECT_EQ(text_of(deft_.result("w"), "code"), "cancelled");
  EXPECT_TRUE(deft_.leaves_no_command());
}

TEST_F(ExecBackground, ATasksTimeEndsIt) {
  deft_.call("a", "Bash", {{"command", "sleep 1000"}, {"run_in_background", true}, {"timeout", 100}});
  const Json result = look("w", task_of(deft_.result("a")));
  EXPECT_EQ(text_of(task_in(result), "status"), "timed_out");
  EXPECT_EQ(deft_.finish(), 0);
}

}  // namespace
}  // namespace deft::testing
