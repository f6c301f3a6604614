#include "deft/core/result_limits.h"

#include <gtest/gtest.h>

namespace deft {
namespace {

TEST(ResultLimits, ASingleResultHasTheSmallerOfTheToolsOwnMaximumAndTheGeneralOne) {
  const ResultLimits limits;
  EXPECT_EQ(limits.of("Grep", {.characters_max = 20'000}).characters_max, 20'000U);
  EXPECT_EQ(limits.of("Wide", {.characters_max = 400'000}).characters_max, 50'000U);
  EXPECT_TRUE(limits.of("Read", {.characters_max = kUnlimited}).is_unlimited());
}

TEST(ResultLimits, AServersToolMayAskForMoreUpToABound) {
  const ResultLimits limits;
  EXPECT_EQ(limits.of("mcp__db__query", {.declared = 120'000}).characters_max, 120'000U);
  EXPECT_EQ(limits.of("mcp__db__query", {.declared = 9'000'000}).characters_max, 500'000U);
  const Json meta = JsonObject{{"anthropic/maxResultSizeChars", 800'000}};
  EXPECT_EQ(declared_result_maximum(&meta), 500'000U);
  const Json nonsense = JsonObject{{"anthropic/maxResultSizeChars", "much"}};
  EXPECT_EQ(declared_result_maximum(&nonsense), std::nullopt);
  const Json negative = JsonObject{{"anthropic/maxResultSizeChars", -5}};
  EXPECT_EQ(declared_result_maximum(&negative), std::nullopt);
  EXPECT_EQ(declared_result_maximum(nullptr), std::nullopt);
}

TEST(ResultLimits, SettingsOverrideEverythingButToolsThatBoundThemselves) {
  ResultLimits limits;
  limits.tools = {{"Grep", {.characters_max = 90'000}},
                  {"Read", {.characters_max = 1'000}},
                  {"mcp__*", {.characters_max = 70'000}},
                  {"mcp__db__*", {.characters_max = kUnlimited, .kept = KeptPart::end}}};
  EXPECT_EQ(limits.of("Grep", {.characters_max = 20'000}).characters_max, 90'000U);
  EXPECT_TRUE(limits.of("Read", {.characters_max = kUnlimited}).is_unlimited());
  EXPECT_EQ(limits.of("mcp__web__get", {.declared = 5'000}).characters_max, 70'000U);
  EXPECT_TRUE(limits.of("mcp__db__query", {}).is_unlimited()) << "the longest name that fits";
  EXPECT_EQ(limits.of("mcp__db__query", {}).kept, KeptPart::end);
}

TEST(ResultLimits, WhatStaysInSightIsTheToolsChoiceUnlessSettingsNameTheTool) {
  ResultLimits limits;
  EXPECT_EQ(limits.of("Glob", {}).kept, KeptPart::start);
  limits.kept = KeptPart::end;
  EXPECT_EQ(limits.of("Glob", {}).kept, KeptPart::end);
  EXPECT_EQ(limits.of("Bash", {.kept = KeptPart::both}).kept, KeptPart::both);
  limits.tools["Bash"].kept = KeptPart::start;
  EXPECT_EQ(limits.of("Bash", {.kept = KeptPart::both}).kept, KeptPart::start);
}

}  // namespace
}  // namespace deft
