#include <gtest/gtest.h>

#include <array>
#include <map>

#include "deft/testing/hook_bench.h"

// Every event with every way in which a hook can end, as real programs: what comes of it. One row for each event; a
// cell is what describe() says.

namespace deft {
namespace {

using enum HookEvent;

enum Way { zero, two, other, too_long, crash, missing, bad_json, allow, deny, ask, updated_input, kWayCount };
constexpr std::array<std::string_view, kWayCount> kWays = {
    "0", "2", "other", "timeout", "crash", "missing", "bad JSON", "allow", "deny", "ask", "updatedInput"};

std::string specific(HookEvent event, std::string_view fields) {
  return R"({"hookSpecificOutput":{"hookEventName":")" + std::string(to_string(event)) + R"(",)" + std::string(fields) +
         "}}";
}

// What it prints to mean this, in the words that the event has for it; where it has none, in those of another.
std::string json_for(HookEvent event, Way way) {
  const auto behavior = [&](std::string_view word) { return specific(event, R"("decision":)" + std::string(word)); };
  if (way == allow) {
    if (event == pre_tool_use) return specific(event, R"("permissionDecision":"allow")");
    if (event == permission_request) return behavior(R"({"behavior":"allow"})");
    return R"({"decision":"approve"})";
  }
  if (way == deny) {
    if (event == pre_tool_use)
      return specific(event, R"("permissionDecision":"deny","permissionDecisionReason":"why")");
    if (event == permission_request) return behavior(R"({"behavior":"deny","message":"why"})");
    return R"({"decision":"block","reason":"why"})";
  }
  if (way == ask) return specific(event, R"("permissionDecision":"ask")");
  if (event == permission_request) return behavior(R"({"behavior":"allow","updatedInput":{"command":"pwd"}})");
  return specific(event, R"("updatedInput":{"command":"pwd"})");
}

std::string command_for(HookEvent event, Way way) {
  switch (way) {
    case zero: return "echo text";
    case two: return "echo text; echo why >&2; exit 2";
    case other: return "echo text; echo why >&2; exit 1";
    case too_long: return "echo text; sleep 1000";
    case crash: return "echo text; kill -KILL $$";
    case missing: return "/nowhere/hook";
    case bad_json: return R"(printf '{"half')";
    default: return "echo '" + json_for(event, way) + "'";
  }
}

std::string describe(const HookOutcome& outcome) {
  std::string text;
  const auto add = [&](bool holds, std::string_view word) {
    if (holds) text += (text.empty() ? "" : " ") + std::string(word);
  };
  if (outcome.verdict) add(true, to_string(*outcome.verdict));
  add(outcome.updated_input.has_value(), "input");
  add(outcome.blocked, "blocked");
  add(outcome.stops, "stops");
  if (outcome.permission) {
    add(true, outcome.permission->allow ? "granted" : "refused");
    add(outcome.permission->updated_input.has_value(), "input");
  }
  add(!outcome.context.empty(), "context");
  add(outcome.cancelled, "cancelled");
  add(outcome.retry || outcome.updated_output, "other");
  add(outcome.reports.at(0).end == HookReport::End::failed, "failed");
  return text.empty() ? "-" : text;
}

using Row = std::array<std::string_view, kWayCount>;
const std::map<HookEvent, Row>& rows() {
  // 0  2  other  timeout  crash  missing  bad JSON  allow  deny  ask  updatedInput
  static const std::map<HookEvent, Row> table = {
      {pre_tool_use, {"-", "deny", "failed", "failed", "failed", "failed", "failed", "allow", "deny", "ask", "input"}},
      {permission_request,
       {"-", "failed", "failed", "failed", "failed", "failed", "failed", "granted", "refused", "-", "granted input"}},
      {permission_denied, {"-", "failed", "failed", "failed", "failed", "failed", "failed", "-", "-", "-", "-"}},
      {post_tool_use, {"-", "blocked", "failed", "failed", "failed", "failed", "failed", "-", "blocked", "-", "-"}},
      {post_tool_use_failure,
       {"-", "blocked", "failed", "failed", "failed", "failed", "failed", "-", "blocked", "-", "-"}},
      {post_tool_batch,
       {"-", "blocked stops", "failed", "failed", "failed", "failed", "failed", "-", "blocked stops", "-", "-"}},
      {user_prompt_submit,
       {"context", "blocked", "failed", "failed", "failed", "failed", "context", "-", "blocked", "-", "-"}},
      {notification, {"-", "failed", "failed", "failed", "failed", "failed", "failed", "-", "-", "-", "-"}},
      {stop, {"-", "blocked", "failed", "failed", "failed", "failed", "failed", "-", "blocked", "-", "-"}},
      {subagent_start, {"-", "failed", "failed", "failed", "failed", "failed", "failed", "-", "-", "-", "-"}},
      {subagent_stop, {"-", "blocked", "failed", "failed", "failed", "failed", "failed", "-", "blocked", "-", "-"}},
      {pre_compact, {"-", "blocked", "failed", "failed", "failed", "failed", "failed", "-", "blocked", "-", "-"}},
      {post_compact, {"-", "failed", "failed", "failed", "failed", "failed", "failed", "-", "-", "-", "-"}},
      {session_start, {"context", "failed", "failed", "failed", "failed", "failed", "context", "-", "-", "-", "-"}},
      {session_end, {"-", "failed", "failed", "failed", "failed", "failed", "failed", "-", "-", "-", "-"}},
      {config_change, {"-", "blocked", "failed", "failed", "failed", "failed", "failed", "-", "blocked", "-", "-"}},
      {user_prompt_expansion,
       {"context", "blocked", "failed", "failed", "failed", "failed", "context", "-", "blocked", "-", "-"}},
      {worktree_create, {"-", "failed", "failed", "failed", "failed", "failed", "failed", "-", "-", "-", "-"}},
      {task_created, {"-", "blocked", "failed", "failed", "failed", "failed", "failed", "-", "blocked", "-", "-"}},
      {task_completed, {"-", "blocked", "failed", "failed", "failed", "failed", "failed", "-", "blocked", "-", "-"}},
      {worktree_remove, {"-", "failed", "failed", "failed", "failed", "failed", "failed", "-", "-", "-", "-"}},
      {directory_added, {"-", "failed", "failed", "failed", "failed", "failed", "failed", "-", "-", "-", "-"}},
  };
  return table;
}

class HookMatrix : public ::testing::TestWithParam<HookEvent> {};

TEST_P(HookMatrix, EveryWayToEndHasItsOutcome) {
  const HookEvent event = GetParam();
  for (int i = 0; i < kWayCount; ++i) {
    const Way way = static_cast<Way>(i);
    HookBench bench(
        HookBench::one_command(event, command_for(event, way), way == too_long ? R"(,"timeout":0.05)" : ""));
    EXPECT_EQ(describe(bench.run(event)), rows().at(event)[way]) << kWays[way];
  }
}

// The same hooks, but each must hold: what goes wrong counts as 2, except where 2 would mean to go on for ever.
TEST_P(HookMatrix, WhatGoesWrongWithAHookThatMustHoldCountsAsTwo) {
  const HookEvent event = GetParam();
  const bool means_to_go_on = event == stop || event == subagent_stop || event == task_completed;
  for (const Way way : {other, too_long, crash, missing, bad_json}) {
    HookBench bench(
        HookBench::one_command(event, command_for(event, way),
                               R"(,"onFailure":"block","timeout":)" + std::string(way == too_long ? "0.05" : "60")));
    const Row& row = rows().at(event);
    EXPECT_EQ(describe(bench.run(event)), means_to_go_on ? row[way] : row[two]) << kWays[way];
  }
}

INSTANTIATE_TEST_SUITE_P(Events, HookMatrix, ::testing::ValuesIn(all_hook_events()),
                         [](const auto& tested) { return std::string(to_string(tested.param)); });

}  // namespace
}  // namespace deft
