#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "deft_exec.h"

// In which order calls run, and their answers leave. Overlap is proved by what deft says of itself and by what the
// disk shows, never by time.

namespace deft::testing {
namespace {

constexpr std::string_view kWaitingTool =
    R"({"type":"tools","tools":[{"name":"Wait","input_schema":{"type":"object"},"annotations":{"readOnlyHint":true}}]})";

std::int64_t most_in_progress(const DeftExec& deft) {
  std::int64_t most = 0;
  for (const Json& state : deft.lines("state")) most = std::max(most, number_of(state, "in_progress"));
  return most;
}

void until_in_progress(DeftExec& deft, std::int64_t count) {
  deft.line("state", [&](const Json& state) { return number_of(state, "in_progress") == count; });
}

std::vector<std::string> ids(std::string_view prefix, int count) {
  std::vector<std::string> all;
  for (int i = 0; i < count; ++i) all.push_back(std::string(prefix) + std::to_string(i));
  return all;
}

TEST(ExecOrder, ResultsLeaveInTheOrderOfTheCallsWhileProgressComesAtOnce) {
  const TempFolder folder;
  DeftExec deft(folder, kBypassWithEvents);
  deft.send_line(kWaitingTool);
  deft.call("first", "Wait", {});
  deft.bash("second", "echo hello");

  EXPECT_EQ(text_of(*find(deft.line_of_call("progress", "second"), "data"), "output"), "hello\n");
  deft.line("state", [](const Json& state) { return to_json(*find(state, "ended")) == R"(["second"])"; });
  EXPECT_TRUE(deft.lines("tool_result").empty());

  deft.send_line(R"({"type":"call_result","tool_use_id":"first","content":"here"})");
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_EQ(deft.answered_ids(), (std::vector<std::string>{"first", "second"}));
}

TEST(ExecOrder, TheLastLineCountsCallsAndErrors) {
  const TempFolder folder;
  DeftExec deft(folder);
  deft.bash("good", "echo a");
  deft.call("bad", "NoSuchTool", {});
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_EQ(to_json(deft.lines().back()), R"({"type":"done","calls":2,"errors":1,"reason":"completed"})");
}

TEST(ExecOrder, TenWaitsOverlapAndHoldNoSlot) {
  const TempFolder folder;
  Arguments arguments = kBypassWithEvents;
  arguments.insert(arguments.end(), {"--max-concurrency", "1"});
  DeftExec deft(folder, arguments);
  for (const std::string& id : ids("s", 10)) deft.call(id, "Sleep", {{"seconds", 3600}});
  until_in_progress(deft, 10);
  deft.send_line(R"({"type":"interrupt"})");
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_EQ(deft.answered_ids(), ids("s", 10));
}

TEST(ExecOrder, ReadOnlyCommandsOverlapUpToTheCap) {
  const TempFolder folder;
  DeftExec deft(folder, kBypassWithEvents);
  for (const std::string& id : ids("s", 13)) deft.bash(id, "sleep 3600");
  until_in_progress(deft, 10);
  deft.stage("s12", "schema");
  deft.send_line(R"({"type":"abort"})");
  deft.wait();
  EXPECT_EQ(most_in_progress(deft), 10);
  EXPECT_EQ(deft.answered_ids(), ids("s", 13));
}

TEST(ExecOrder, AConcurrencyOfOneInTheEnvironmentSerialises) {
  const TempFolder folder;
  DeftExec deft(folder, {.arguments = kBypassWithEvents, .environment = {"DEFT_MAX_TOOL_CONCURRENCY=1"}});
  for (const std::string& id : ids("s", 5)) deft.bash(id, "echo beside nobody");
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_EQ(most_in_progress(deft), 1);
}

TEST(ExecOrder, UnsafeCommandsNeverOverlap) {
  const TempFolder folder;
  DeftExec deft(folder, kBypassWithEvents);
  for (const std::string& id : ids("b", 10)) {
    deft.bash(id, "mkdir alone && echo " + id + " >> order && rmdir alone");
  }
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_EQ(number_of(deft.lines().back(), "errors"), 0);
  EXPECT_EQ(most_in_progress(deft), 1);
  EXPECT_EQ(folder.bytes("order"), "b0\nb1\nb2\nb3\nb4\nb5\nb6\nb7\nb8\nb9\n");
}

TEST(ExecOrder, ASafeCallNeverOvertakesAnUnsafeOneBeforeIt) {
  const TempFolder folder;
  DeftExec deft(folder, kBypassWithEvents);
  deft.bash("write", "until test -e go; do sleep 0.01; done; echo new > file");
  deft.bash("read", "cat file");
  deft.stage("read", "schema");
  folder.put("go", "");
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_EQ(content(deft.result("read")), "new");
}

}  // namespace
}  // namespace deft::testing
