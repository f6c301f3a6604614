#include <gtest/gtest.h>

#include <string>

#include "deft_print.h"

// What a host hears beside the messages: hooks, tasks in the background, and whether a turn is under way.

namespace deft::testing {
namespace {

const Arguments kBypassing = {"--permission-mode", "bypassPermissions"};
constexpr std::string_view kUntilGo = "echo started; until test -e go; do sleep 0.01; done";

StreamedCall bash(std::string id, std::string_view command) { return {std::move(id), "Bash", {{"command", command}}}; }

StreamedCall in_background(std::string id, std::string_view command, std::string_view description) {
  return {std::move(id), "Bash", {{"command", command}, {"description", description}, {"run_in_background", true}}};
}

// "--settings" with hooks that are commands.
Arguments hooks(const std::vector<std::pair<std::string_view, std::string_view>>& commands) {
  JsonObject events;
  for (const auto& [event, command] : commands) {
    JsonObject hook{{"type", "command"}, {"command", command}};
    if (event == "Stop") hook["async"] = true;
    events[event] = JsonArray{JsonObject{{"hooks", JsonArray{std::move(hook)}}}};
  }
  return {"--settings", to_json(JsonObject{{"hooks", std::move(events)}})};
}

Json line_of(const std::vector<Json>& lines, std::string_view subtype, std::string_view key, std::string_view value) {
  for (const Json& line : of_type(lines, "system", subtype)) {
    if (text_of(line, key) == value) return line;
  }
  ADD_FAILURE() << "no " << subtype << " of " << value;
  return JsonObject();
}

std::vector<std::string> subtypes(const std::vector<Json>& lines, std::string_view beginning) {
  std::vector<std::string> found;
  for (const Json& line : of_type(lines, "system")) {
    const std::string subtype = text_of(line, "subtype");
    if (subtype.starts_with(beginning)) found.push_back(subtype);
  }
  return found;
}

std::vector<std::string> states(const std::vector<Json>& lines) {
  std::vector<std::string> found;
  for (const Json& line : lines) {
    if (text_of(line, "type") == "result") found.push_back("result");
    if (text_of(line, "type") == "control_request") found.push_back("question");
    if (find_string(line, "subtype") == "session_state_changed") found.push_back(text_of(line, "state"));
  }
  return found;
}

using Words = std::vector<std::string>;

TEST(HeadlessHooks, EachIsToldAsItStartsAndAsItEnds) {
  const PrintPlace place;
  const ModelPeer model({anthropic_calls({bash("t1", "touch made")}), anthropic_text("done")});
  const auto lines = place.lines(
      model, Arguments{"-p", "go", "--include-hook-events"} + kStreamJson + kBypassing +
                 hooks({{"SessionStart", "echo hello"}, {"PreToolUse", "echo no >&2; exit 2"}, {"Stop", "echo late"}}));
  const Json started = line_of(lines, "hook_started", "hook_name", "PreToolUse:Bash");
  EXPECT_EQ(text_of(started, "hook_event"), "PreToolUse");
  EXPECT_FALSE(text_of(started, "hook_id").empty());
  const Json ended = line_of(lines, "hook_response", "hook_name", "PreToolUse:Bash");
  EXPECT_EQ(text_of(ended, "hook_id"), text_of(started, "hook_id"));
  EXPECT_EQ(text_of(ended, "hook_event"), "PreToolUse");
  EXPECT_EQ(text_of(ended, "stdout"), "");
  EXPECT_EQ(text_of(ended, "stderr"), "no\n");
  EXPECT_EQ(text_of(ended, "output"), "no\n");
  EXPECT_EQ(number_of(ended, "exit_code"), 2);
  EXPECT_EQ(text_of(ended, "outcome"), "error");
  const Json begun = line_of(lines, "hook_response", "hook_name", "SessionStart:startup");
  EXPECT_EQ(text_of(begun, "stdout"), "hello\n");
  EXPECT_EQ(text_of(begun, "outcome"), "success");
  EXPECT_NE(text_of(begun, "hook_id"), text_of(ended, "hook_id"));
  EXPECT_EQ(of_type(lines, "system", "hook_started").size(), 3U);
}

TEST(HeadlessHooks, WithoutTheFlagOnlyThoseOfTheSessionsStartAreTold) {
  const PrintPlace place;
  const ModelPeer model({anthropic_calls({bash("t1", "true")}), anthropic_text("done")});
  const auto lines = place.lines(model, Arguments{"-p", "go"} + kStreamJson + kBypassing +
                                            hooks({{"SessionStart", "echo hello"}, {"PreToolUse", "true"}}));
  EXPECT_EQ(subtypes(lines, "hook_"), (Words{"hook_started", "hook_response"}));
  EXPECT_EQ(text_of(line_of(lines, "hook_started", "hook_event", "SessionStart"), "hook_name"), "SessionStart:startup");
}

TEST(HeadlessHooks, OneInTheBackgroundIsToldWhenItHasEnded) {
  const PrintPlace place;
  const ModelPeer model({anthropic_text("done")});
  HostedDeft deft(place, model.url(),
                  Arguments{"--include-hook-events"} + hooks({{"Stop", "until test -e go; do sleep 0.01; done"}}));
  deft.say("go");
  const std::string id = text_of(deft.next("system", "hook_started"), "hook_id");
  deft.next("result");
  EXPECT_TRUE(of_type(deft.lines(), "system", "hook_response").empty());
  place.project.put("go", "");
  const Json ended = deft.next("system", "hook_response");
  EXPECT_EQ(text_of(ended, "hook_id"), id);
  EXPECT_EQ(text_of(ended, "outcome"), "success");
  EXPECT_EQ(deft.finish(), 0);
}

TEST(HeadlessHooks, ThoseOfSubagentsAreToldToo) {
  const PrintPlace place;
  const StreamedCall agent{"a1", "Agent", {{"description", "look"}, {"prompt", "look"}, {"subagent_type", "Bash"}}};
  const ModelPeer model({anthropic_calls({agent}), anthropic_calls({bash("t1", "true")}), anthropic_text("seen"),
                         anthropic_text("done")});
  const auto lines = place.lines(model, Arguments{"-p", "go", "--include-hook-events"} + kStreamJson + kBypassing +
                                            hooks({{"PreToolUse", "true"}}));
  line_of(lines, "hook_response", "hook_name", "PreToolUse:Agent");
  line_of(lines, "hook_response", "hook_name", "PreToolUse:Bash");
}

TEST(HeadlessTasks, ACommandInTheBackgroundIsToldFromItsBeginToItsEnd) {
  const PrintPlace place;
  const ModelPeer model({anthropic_calls({in_background("t1", kUntilGo, "wait for go")}), anthropic_text("done")});
  HostedDeft deft(place, model.url(), kBypassing);
  deft.say("go");
  const Json set = deft.next("system", "background_tasks_changed");
  ASSERT_EQ(find_array(set, "tasks")->size(), 1U);
  const Json task = find_array(set, "tasks")->front();
  const Json started = deft.next("system", "task_started");
  EXPECT_EQ(text_of(started, "task_type"), "local_bash");
  EXPECT_EQ(text_of(started, "tool_use_id"), "t1");
  EXPECT_EQ(text_of(started, "description"), "wait for go");
  EXPECT_EQ(find_bool(started, "is_backgrounded"), true);
  EXPECT_EQ(text_of(task, "task_id"), text_of(started, "task_id"));
  EXPECT_EQ(text_of(task, "task_type"), "local_bash");
  EXPECT_EQ(text_of(task, "description"), "wait for go");
  deft.next("result");
  place.project.put("go", "");
  const Json updated = deft.next("system", "task_updated");
  EXPECT_EQ(text_of(updated, "task_id"), text_of(started, "task_id"));
  EXPECT_EQ(text_of(*find(updated, "patch"), "status"), "completed");
  EXPECT_GT(number_of(*find(updated, "patch"), "end_time"), 0);
  const Json ended = deft.next("system", "task_notification");
  EXPECT_EQ(text_of(ended, "status"), "completed");
  EXPECT_EQ(text_of(ended, "tool_use_id"), "t1");
  EXPECT_FALSE(text_of(ended, "output_file").empty());
  EXPECT_EQ(text_of(ended, "summary"), "wait for go completed");
  EXPECT_TRUE(find_array(deft.next("system", "background_tasks_changed"), "tasks")->empty());
  EXPECT_EQ(deft.finish(), 0);
}

TEST(HeadlessTasks, OneThatIsStoppedIsToldBeforeTheAnswer) {
  const PrintPlace place;
  const ModelPeer model({anthropic_calls({in_background("t1", "sleep 1000", "sleep")}), anthropic_text("done")});
  HostedDeft deft(place, model.url(), kBypassing);
  deft.say("go");
  const std::string id = text_of(deft.next("system", "task_started"), "task_id");
  deft.next("result");
  const std::string request = deft.send_request({{"subtype", "stop_task"}, {"task_id", id}});
  EXPECT_EQ(text_of(*find(deft.next("system", "task_updated"), "patch"), "status"), "killed");
  EXPECT_EQ(text_of(deft.next("system", "task_notification"), "status"), "stopped");
  EXPECT_EQ(text_of(deft.response(request), "subtype"), "success");
  EXPECT_EQ(deft.finish(), 0);
}

TEST(HeadlessTasks, OneThatFailsSaysHow) {
  const PrintPlace place;
  const ModelPeer model({anthropic_calls({in_background("t1", "exit 3", "fail")}), anthropic_text("done")});
  HostedDeft deft(place, model.url(), kBypassing);
  deft.say("go");
  const Json ended = deft.next("system", "task_notification");
  EXPECT_EQ(text_of(ended, "status"), "failed");
  EXPECT_EQ(text_of(ended, "summary"), "fail failed (exit code 3)");
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_EQ(subtypes(deft.lines(), "task_"), (Words{"task_started", "task_updated", "task_notification"}));
}

TEST(HeadlessTasks, AHostThatComesBackHearsWhatRuns) {
  const PrintPlace place;
  const ModelPeer model({anthropic_calls({in_background("t1", kUntilGo, "wait")}), anthropic_text("done")});
  HostedDeft deft(place, model.url(), kBypassing);
  deft.request({{"subtype", "initialize"}});
  deft.say("go");
  deft.next("result");
  EXPECT_EQ(of_type(deft.lines(), "system", "background_tasks_changed").size(), 1U);
  deft.request({{"subtype", "initialize"}});
  EXPECT_EQ(find_array(deft.next("system", "background_tasks_changed"), "tasks")->size(), 1U);
  EXPECT_EQ(deft.finish(), 0);
}

TEST(HeadlessTasks, WhoeverDoesNotReadOfThemStallsNobody) {
  constexpr int kCalls = 40;
  PrintPlace place;
  place.small_output_pipe = true;
  place.environment = {"CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS=1"};
  std::vector<StreamedCall> calls;
  for (int i = 0; i < kCalls; ++i) {
    const std::string name = std::to_string(i);
    calls.push_back(in_background("t" + name, "touch effect." + name, std::string(150, 'x')));
  }
  const ModelPeer model(
      {anthropic_calls(calls), anthropic_calls({bash("last", "touch last")}), anthropic_text("done")});
  HostedDeft deft(place, model.url(),
                  Arguments{"--include-hook-events"} + kBypassing + hooks({{"PreToolUse", "seq 1000"}}));
  deft.say("go");
  // Nobody has read a byte, and the pipe holds less than the lines of one call.
  ASSERT_TRUE(eventually([&] { return place.project.bytes("last").has_value(); }));
  for (int i = 0; i < kCalls; ++i) {
    ASSERT_TRUE(eventually([&] { return place.project.bytes("effect." + std::to_string(i)).has_value(); }));
  }
  deft.next("result");
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_EQ(of_type(deft.lines(), "system", "hook_response").size(), kCalls + 1U);
  EXPECT_EQ(of_type(deft.lines(), "system", "task_started").size(), static_cast<std::size_t>(kCalls));
}

TEST(HeadlessState, IsToldWhereTheEnvironmentAsksForIt) {
  PrintPlace place;
  place.environment = {"CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS=1"};
  const ModelPeer model({anthropic_calls({bash("t1", "touch made")}), anthropic_text("one"), anthropic_text("two")});
  HostedDeft deft(place, model.url(), {"--permission-prompt-tool", "stdio"});
  deft.say("go");
  deft.respond(deft.next_request("can_use_tool"), JsonObject{{"behavior", "allow"}});
  deft.next("result");
  deft.next("system", "session_state_changed");
  deft.say("again");
  deft.next("result");
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_EQ(states(deft.lines()), (Words{"running", "requires_action", "question", "running", "result", "idle",
                                         "running", "result", "idle"}));
}

TEST(HeadlessState, MessagesThatWaitKeepTheSessionRunning) {
  PrintPlace place;
  place.environment = {"CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS=1"};
  const ModelPeer model({anthropic_calls({bash("t1", "touch begun; until test -e go; do sleep 0.01; done")}),
                         anthropic_text("one"), anthropic_text("two")});
  HostedDeft deft(place, model.url(), kBypassing);
  deft.say("first");
  ASSERT_TRUE(eventually([&] { return place.project.bytes("begun").has_value(); }));
  deft.say("second", {{"priority", "later"}});
  deft.request({{"subtype", "get_binary_version"}});
  place.project.put("go", "");
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_EQ(states(deft.lines()), (Words{"running", "result", "result", "idle"}));
}

TEST(HeadlessState, IsNotToldUnasked) {
  const PrintPlace place;
  const ModelPeer model({anthropic_text("one")});
  const auto lines = place.lines(model, Arguments{"-p", "go"} + kStreamJson);
  EXPECT_TRUE(of_type(lines, "system", "session_state_changed").empty());
}

TEST(HeadlessState, ARunOfOnePromptEndsIdle) {
  PrintPlace place;
  place.environment = {"CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS=1"};
  const ModelPeer model({anthropic_text("one")});
  EXPECT_EQ(states(place.lines(model, Arguments{"-p", "go"} + kStreamJson)), (Words{"running", "result", "idle"}));
}

}  // namespace
}  // namespace deft::testing
