#include <gtest/gtest.h>

#include "deft/testing/hook_bench.h"

// Hooks that an agent has by its type's file.

namespace deft {
namespace {

Json hook_for(std::string_view event, std::string_view command) {
  return JsonObject{
      {event, JsonArray{JsonObject{{"hooks", JsonArray{JsonObject{{"type", "command"}, {"command", command}}}}}}}};
}

HookMoment end_of(std::string_view agent) {
  return {.event = HookEvent::subagent_stop, .subject = "reviewer", .directory = "/", .agent_id = std::string(agent)};
}

TEST(HooksOfAgents, HearOnlyOfTheirOwnAgentUntilItEnds) {
  HookBench bench;
  UserHooks& hooks = bench.hooks();
  ASSERT_TRUE(hooks.add_for_agent("a1", hook_for("SubagentStop", "true"), SettingSource::user, "/a.md").has_value());
  EXPECT_TRUE(hooks.listens(HookEvent::subagent_stop));
  EXPECT_EQ(hooks.run(end_of("a1"), {}).reports.size(), 1U);
  EXPECT_TRUE(hooks.run(end_of("a2"), {}).reports.empty());
  EXPECT_TRUE(hooks.run(end_of(""), {}).reports.empty());
  hooks.end_turn();
  EXPECT_TRUE(hooks.listens(HookEvent::subagent_stop)) << "they stay for as long as the agent works";
  hooks.end_agent("a1");
  EXPECT_FALSE(hooks.listens(HookEvent::subagent_stop));
}

TEST(HooksOfAgents, StandBesideThoseOfTheSettings) {
  HookBench bench(HookBench::one_command(HookEvent::subagent_stop, "true"));
  ASSERT_TRUE(
      bench.hooks().add_for_agent("a1", hook_for("SubagentStop", "exit 2"), SettingSource::user, "/a.md").has_value());
  const HookOutcome outcome = bench.hooks().run(end_of("a1"), {});
  EXPECT_EQ(outcome.reports.size(), 2U);
  EXPECT_TRUE(outcome.blocked);
}

TEST(HooksOfAgents, DoNotCountWhereOnlyManagedOnesDo) {
  HookBench bench;
  bench.config.takes_no_others = true;
  ASSERT_TRUE(
      bench.hooks().add_for_agent("a1", hook_for("SubagentStop", "true"), SettingSource::user, "/a.md").has_value());
  EXPECT_FALSE(bench.hooks().listens(HookEvent::subagent_stop));
  EXPECT_TRUE(bench.hooks().run(end_of("a1"), {}).reports.empty());
}

TEST(HooksOfAgents, ThatCannotBeUsedAreAnErrorThatSaysWhy) {
  HookBench bench;
  const auto wrong = bench.hooks().add_for_agent("a1", JsonObject{{"Stop", "x"}}, SettingSource::user, "/a.md");
  ASSERT_FALSE(wrong.has_value());
  EXPECT_NE(wrong.error().message.find("/a.md"), std::string::npos);
}

}  // namespace
}  // namespace deft
