#include "deft/ui/mcp_answers.h"

#include <gtest/gtest.h>

#include "deft/testing/virtual_clock.h"

namespace deft {
namespace {

class Answers : public ::testing::Test {
 protected:
  static Json params(const std::string& state, std::string_view said = "allow", std::string_view action = "accept") {
    return JsonObject{{"requestState", state},
                      {"inputResponses", {{"permission", {{"action", action}, {"content", {{"decision", said}}}}}}}};
  }
  std::string ask(const Json& arguments = JsonObject{{"a", 1}}) {
    return *answers_.asked("Write", arguments, "May it?");
  }

  VirtualClock clock_;
  McpAnswers answers_{clock_};
  const Json input_ = JsonObject{{"a", 1}};
};

TEST_F(Answers, HoldForTheCallThatWasAskedAboutAndOnce) {
  const std::string state = ask();
  EXPECT_EQ(state.size(), 64U);
  auto taken = answers_.take("Write", input_, params(state));
  ASSERT_TRUE(taken);
  ASSERT_TRUE(*taken);
  EXPECT_TRUE((*taken)->allows);
  EXPECT_EQ((*taken)->question, "May it?");
  EXPECT_FALSE(answers_.take("Write", input_, params(state))) << "a second time";
}

TEST_F(Answers, AreNotForOtherCalls) {
  EXPECT_FALSE(answers_.take("Write", JsonObject{{"a", 2}}, params(ask())));
  EXPECT_FALSE(answers_.take("Bash", input_, params(ask())));
  const std::string burnt = ask();
  EXPECT_FALSE(answers_.take("Bash", input_, params(burnt)));
  EXPECT_FALSE(answers_.take("Write", input_, params(burnt))) << "it was used";
}

TEST_F(Answers, CannotBeMadeUpOrChanged) {
  std::string state = ask();
  EXPECT_FALSE(answers_.take("Write", input_, params(std::string(64, '0'))));
  EXPECT_FALSE(answers_.take("Write", input_, params("")));
  EXPECT_FALSE(answers_.take("Write", input_, JsonObject{{"requestState", 7}}));
  EXPECT_FALSE(answers_.take("Write", input_, JsonObject{{"inputResponses", JsonObject{}}}));
  state[5] = state[5] == 'a' ? 'b' : 'a';
  EXPECT_FALSE(answers_.take("Write", input_, params(state)));
}

TEST_F(Answers, AnythingButAnAllowanceIsNone) {
  for (const auto& [said, action] :
       {std::pair{"deny", "accept"}, std::pair{"allow", "decline"}, std::pair{"allow", "cancel"},
        std::pair{"allowed", "accept"}, std::pair{"allow for this session", "accept"}, std::pair{"", "accept"}}) {
    const auto taken = answers_.take("Write", input_, params(ask(), said, action));
    ASSERT_TRUE(taken && *taken);
    EXPECT_FALSE((*taken)->allows) << said << " " << action;
  }
  const auto silent = answers_.take("Write", input_, JsonObject{{"requestState", ask()}});
  ASSERT_TRUE(silent && *silent);
  EXPECT_FALSE((*silent)->allows);
}

TEST_F(Answers, GrowOldAndAreForgottenForNewerOnes) {
  const std::string old = ask();
  clock_.advance(kMcpQuestionTime);
  EXPECT_FALSE(answers_.take("Write", input_, params(old)));
  const std::string first = ask();
  clock_.advance(std::chrono::seconds(1));
  std::string last;
  for (std::size_t i = 0; i < kMcpQuestionsMax; ++i) last = ask();
  EXPECT_FALSE(answers_.take("Write", input_, params(first)));
  EXPECT_TRUE(answers_.take("Write", input_, params(last)));
}

TEST_F(Answers, ACallWithoutOneIsACallWithoutOne) {
  const auto taken = answers_.take("Write", input_, JsonObject{{"name", "Write"}});
  ASSERT_TRUE(taken);
  EXPECT_FALSE(*taken);
}

}  // namespace
}  // namespace deft
