#include "deft/config/auto_settings.h"

#include <gtest/gtest.h>

#include "deft/config/settings.h"

namespace deft {
namespace {

TEST(AutoSettings, AreListsOfSentences) {
  const auto settings = parse_settings(
      R"({"autoMode": {"allow": ["$defaults", "pushing to github.com/me"], "hard_deny": ["touching production"],
          "classifyAllShell": true}})");
  ASSERT_TRUE(settings) << settings.error().message;
  const AutoModeSettings& parsed = settings->auto_mode;
  EXPECT_EQ(parsed.allow, (std::vector<std::string>{"$defaults", "pushing to github.com/me"}));
  EXPECT_EQ(parsed.hard_deny, std::vector<std::string>{"touching production"});
  EXPECT_FALSE(parsed.soft_deny);
  EXPECT_TRUE(parsed.classify_all_shell);
}

TEST(AutoSettings, NameWhatIsWrong) {
  for (const char* wrong : {R"({"autoMode": []})", R"({"autoMode": {"allow": "all"}})",
                            R"({"autoMode": {"allow": [1]}})", R"({"autoMode": {"classifyAllShell": "yes"}})"}) {
    const auto settings = parse_settings(wrong);
    ASSERT_FALSE(settings) << wrong;
    EXPECT_NE(settings.error().message.find("autoMode"), std::string::npos);
  }
}

}  // namespace
}  // namespace deft
