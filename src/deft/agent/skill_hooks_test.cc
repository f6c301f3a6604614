#include <gtest/gtest.h>

#include "deft/testing/hook_bench.h"

// Hooks that a skill brings along.

namespace deft {
namespace {

Json stop_hook(std::string_view command) {
  return JsonObject{
      {"Stop", JsonArray{JsonObject{{"hooks", JsonArray{JsonObject{{"type", "command"}, {"command", command}}}}}}}};
}

TEST(HooksOfSkills, CountBesideThoseOfTheSettingsUntilTheTurnEnds) {
  HookBench bench;
  EXPECT_FALSE(bench.hooks().listens(HookEvent::stop));
  ASSERT_TRUE(bench.hooks().add_beside(stop_hook("true"), SettingSource::user, "/s/SKILL.md").has_value());
  ASSERT_TRUE(bench.hooks().add_beside(stop_hook("true"), SettingSource::user, "/s/SKILL.md").has_value());
  EXPECT_TRUE(bench.hooks().listens(HookEvent::stop));
  EXPECT_EQ(bench.hooks().config()->of(HookEvent::stop).size(), 1U) << "the same one counts once";
  bench.hooks().use(HookConfig{});
  EXPECT_TRUE(bench.hooks().listens(HookEvent::stop)) << "changed settings do not end it";
  bench.hooks().end_turn();
  EXPECT_FALSE(bench.hooks().listens(HookEvent::stop));
}

TEST(HooksOfSkills, DoNotCountWhereOnlyManagedOnesDo) {
  HookBench bench;
  bench.config.takes_no_others = true;
  ASSERT_TRUE(bench.hooks().add_beside(stop_hook("true"), SettingSource::user, "/s/SKILL.md").has_value());
  EXPECT_FALSE(bench.hooks().listens(HookEvent::stop));
}

TEST(HooksOfSkills, ThatCannotBeUsedAreAnErrorThatSaysWhy) {
  HookBench bench;
  const auto wrong = bench.hooks().add_beside(JsonObject{{"Stop", "x"}}, SettingSource::user, "/s/SKILL.md");
  ASSERT_FALSE(wrong.has_value());
  EXPECT_NE(wrong.error().message.find("/s/SKILL.md"), std::string::npos);
}

}  // namespace
}  // namespace deft
