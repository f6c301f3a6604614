#include "deft/config/tool_settings.h"

#include <gtest/gtest.h>

namespace deft {
namespace {

std::string problem_of(std::string_view json) {
  const auto parsed = parse_tool_settings(parse_json(json).value());
  return parsed ? "none" : parsed.error().message;
}

TEST(ToolSettings, AreRead) {
  const auto parsed = parse_tool_settings(
      parse_json(R"({"editTool":"apply_patch","advisor":{"enabled":false,"maxCalls":3,"maxTokens":1000},
                     "remoteTriggers":{"CI.example.com":{"tokenVariable":"CI_TOKEN"},"other.example":{}}})")
          .value());
  ASSERT_TRUE(parsed.has_value()) << parsed.error().message;
  EXPECT_EQ(parsed->edit_tool, ToolSettings::EditTool::apply_patch);
  EXPECT_FALSE(parsed->advisor_enabled);
  EXPECT_EQ(parsed->advisor_calls_max, 3);
  EXPECT_EQ(parsed->advisor_tokens_max, 1000);
  ASSERT_EQ(parsed->remote_targets.size(), 2U);
  EXPECT_EQ(parsed->remote_targets[0].host, "ci.example.com");
  EXPECT_EQ(parsed->remote_targets[0].token_variable, "CI_TOKEN");
  EXPECT_EQ(parsed->remote_targets[1].token_variable, "");
}

TEST(ToolSettings, SayWhoMayUseWhichSkill) {
  using Use = ToolSettings::SkillUse;
  const auto parsed = parse_tool_settings(
      parse_json(R"({"skillOverrides":{"a":"off","b":"name-only","c":"user-invocable-only","d":"on"},)"
                 R"("disableSkillShellExecution":true})")
          .value());
  ASSERT_TRUE(parsed.has_value()) << parsed.error().message;
  EXPECT_EQ(parsed->skill_overrides.at("a"), Use::off);
  EXPECT_EQ(parsed->skill_overrides.at("b"), Use::name_only);
  EXPECT_EQ(parsed->skill_overrides.at("c"), Use::user_only);
  EXPECT_EQ(parsed->skill_overrides.at("d"), Use::on);
  EXPECT_FALSE(parsed->skill_commands);
  EXPECT_NE(problem_of(R"({"skillOverrides":{"a":"hidden"}})").find("skillOverrides.a"), std::string::npos);
  EXPECT_NE(problem_of(R"({"disableSkillShellExecution":1})").find("disableSkillShellExecution"), std::string::npos);
}

TEST(ToolSettings, NothingSaidMeansTheDefaults) {
  const auto parsed = parse_tool_settings(JsonObject());
  ASSERT_TRUE(parsed.has_value());
  EXPECT_EQ(parsed->edit_tool, ToolSettings::EditTool::by_model);
  EXPECT_TRUE(parsed->advisor_enabled);
  EXPECT_TRUE(parsed->remote_targets.empty());
}

TEST(ToolSettings, WrongValuesAreNamed) {
  EXPECT_EQ(problem_of(R"({"editTool":"sed"})"), R"(editTool must be "auto", "Edit" or "apply_patch", not "sed")");
  EXPECT_EQ(problem_of(R"({"advisor":true})"), "advisor must be an object, not true");
  EXPECT_EQ(problem_of(R"({"advisor":{"maxCalls":0}})"), "advisor.maxCalls must be a whole number above 0, not 0");
  EXPECT_EQ(problem_of(R"({"remoteTriggers":{"https://x/":{}}})"),
            "remoteTriggers.https://x/ must be named by a host alone, not {}");
  EXPECT_EQ(problem_of(R"({"remoteTriggers":{"x":{"tokenVariable":"A B"}}})"),
            R"(remoteTriggers.x.tokenVariable must be the name of an environment variable, not "A B")");
}

}  // namespace
}  // namespace deft
