#include "deft/core/skill.h"

#include <gtest/gtest.h>

#include "deft/base/utf8.h"

namespace deft {
namespace {

Skill skill(std::string name, std::string description) {
  return {.name = std::move(name), .path = "/s/SKILL.md", .description = std::move(description)};
}

TEST(SkillListing, SaysInOneLineWhatEachIsFor) {
  Skill with_time = skill("deploy", "Deploys\nthe site.");
  with_time.when_to_use = "When asked to.";
  EXPECT_EQ(skill_listing({with_time, skill("plain", "")}), "- deploy: Deploys the site. When asked to.\n- plain\n");
}

TEST(SkillListing, DescriptionsAreCutUntilAllFitAndThenNamesAreLeftOut) {
  std::vector<Skill> skills;
  for (int i = 0; i < 20; ++i) skills.push_back(skill("s" + std::to_string(i), std::string(500, 'x')));
  const std::string cut = skill_listing(skills, 2'000);
  EXPECT_LE(count_characters(cut), 2'000U);
  EXPECT_GE(count_characters(cut), 1'900U);
  EXPECT_NE(cut.find("- s19: xxx"), std::string::npos);
  const std::string names = skill_listing(skills, 200);
  EXPECT_LE(count_characters(names), 200U);
  EXPECT_EQ(names.find("xxx"), std::string::npos);
  const std::string few = skill_listing(skills, 60);
  EXPECT_LE(count_characters(few), 60U);
  EXPECT_NE(few.find("more are not listed"), std::string::npos);
  EXPECT_EQ(skill_listing(skills, 2'000), cut);
}

TEST(SkillListing, ALongDescriptionIsCutEvenIfThereIsRoom) {
  EXPECT_LE(count_characters(skill_listing({skill("a", std::string(5'000, 'x'))})), 1'550U);
}

TEST(SkillGrant, IsWhatATrustedSkillAllowsAndForbids) {
  Skill given = skill("review", "");
  given.trusted = true;
  given.allowed_tools = {"Bash(git diff *)", "Read"};
  given.disallowed_tools = {"WebFetch"};
  given.model = "opus";
  const auto grant = grant_of(given);
  ASSERT_TRUE(grant.has_value());
  EXPECT_EQ(grant->origin, "the skill review");
  EXPECT_EQ(grant->rules.allow.size(), 2U);
  EXPECT_EQ(grant->rules.deny.size(), 1U);
  EXPECT_EQ(grant->model, "opus");
}

TEST(SkillGrant, OfAStrangerItIsOnlyWhatItForbids) {
  Skill given = skill("review", "");
  given.allowed_tools = {"Bash"};
  given.disallowed_tools = {"WebFetch"};
  given.model = "expensive";
  given.effort = "max";
  const auto grant = grant_of(given);
  ASSERT_TRUE(grant.has_value());
  EXPECT_TRUE(grant->rules.allow.empty());
  EXPECT_EQ(grant->rules.deny.size(), 1U);
  EXPECT_EQ(grant->model + grant->effort, "");
}

TEST(SkillGrant, ARuleThatCannotBeUsedIsAnErrorThatNamesTheFile) {
  Skill given = skill("review", "");
  given.disallowed_tools = {"Bash(("};
  const auto grant = grant_of(given);
  ASSERT_FALSE(grant.has_value());
  EXPECT_NE(grant.error().message.find("/s/SKILL.md"), std::string::npos);
}

}  // namespace
}  // namespace deft
