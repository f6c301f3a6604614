#include "deft/config/result_settings.h"

#include <gtest/gtest.h>

namespace deft {
namespace {

Result<ResultSettings> parse(std::string_view json) { return parse_result_settings(parse_json(json).value()); }

TEST(ResultSettings, NothingMeansTheDefaults) {
  const auto settings = parse("{}");
  ASSERT_TRUE(settings);
  EXPECT_EQ(settings->limits.single_max, 50'000U);
  EXPECT_EQ(settings->limits.message_max, 200'000U);
  EXPECT_EQ(settings->limits.kept, KeptPart::start);
  EXPECT_TRUE(settings->refers_to_earlier);
  EXPECT_EQ(settings->cleanup_days, 30);
}

TEST(ResultSettings, EverythingCanBeSet) {
  const auto settings = parse(R"({"cleanupPeriodDays": 7, "results": {
      "maxChars": 20000, "messageMaxChars": 90000, "preview": "both", "dedupe": false,
      "fileMaxMb": 10, "sessionMaxMb": 100, "diskFreeMb": 500,
      "tools": {"Grep": 40000, "mcp__db__*": {"maxChars": "unlimited", "preview": "end"}, "Glob": {"preview": "both"}}}})");
  ASSERT_TRUE(settings) << settings.error().message;
  EXPECT_EQ(settings->limits.single_max, 20'000U);
  EXPECT_EQ(settings->limits.message_max, 90'000U);
  EXPECT_EQ(settings->limits.kept, KeptPart::both);
  EXPECT_FALSE(settings->refers_to_earlier);
  EXPECT_EQ(settings->file_mb, 10U);
  EXPECT_EQ(settings->session_mb, 100U);
  EXPECT_EQ(settings->disk_free_mb, 500U);
  EXPECT_EQ(settings->cleanup_days, 7);
  EXPECT_EQ(settings->limits.of("Grep", {.characters_max = 20'000}).characters_max, 40'000U);
  EXPECT_TRUE(settings->limits.of("mcp__db__query", {}).is_unlimited());
  EXPECT_EQ(settings->limits.of("Glob", {}).characters_max, 20'000U);
}

TEST(ResultSettings, AWrongValueIsNamed) {
  const auto error = [](std::string_view json) { return parse(json).error().message; };
  EXPECT_TRUE(error(R"({"results": []})").starts_with("results must be an object"));
  EXPECT_TRUE(
      error(R"({"results": {"maxChars": 5}})").starts_with("results.maxChars must be a whole number from 1000"));
  EXPECT_TRUE(error(R"({"results": {"preview": "middle"}})").starts_with("results.preview must be \"start\""));
  EXPECT_TRUE(error(R"({"results": {"tools": {"Grep": "much"}}})").starts_with("results.tools.Grep must be a whole"));
  EXPECT_TRUE(error(R"({"results": {"tools": {"Grep": {"preview": 1}}}})").starts_with("results.tools.Grep.preview"));
  EXPECT_TRUE(error(R"({"results": {"fileMaxMb": 65}})").starts_with("results.fileMaxMb must be"));
  EXPECT_TRUE(error(R"({"results": {"dedupe": "on"}})").starts_with("results.dedupe must be true or false"));
  EXPECT_TRUE(error(R"({"cleanupPeriodDays": -1})").starts_with("cleanupPeriodDays must be"));
}

}  // namespace
}  // namespace deft
