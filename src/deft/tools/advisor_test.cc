#include "deft/tools/advisor.h"

#include <gtest/gtest.h>

#include "deft/testing/any_session.h"
#include "deft/testing/fake_files.h"
#include "deft/testing/tool_bench.h"

namespace deft {
namespace {

class AdvisorToolTest : public testing::Test {
 protected:
  std::shared_ptr<Tool> advisor(std::size_t calls_max = 10, std::uint64_t tokens_max = 1'000) {
    return make_advisor_tool({.ask = [this](const std::string& question, std::stop_token) -> Result<Advice> {
                                questions.push_back(question);
                                if (problem) return std::unexpected(*problem);
                                return Advice{.text = "Test it first.", .tokens = 400};
                              },
                              .model = "big",
                              .calls_max = calls_max,
                              .tokens_max = tokens_max});
  }
  std::string ask(Tool& tool, const Json& input = JsonObject()) {
    const auto result = bench.call(tool, input);
    return result ? result->text : std::string(to_string(result.error().code)) + ": " + result.error().message;
  }

  std::vector<std::string> questions;
  std::optional<Error> problem;
  FakeFiles files;
  ToolBench bench{files};
};

TEST_F(AdvisorToolTest, GivesTheOpinionAndCountsItsTokensApart) {
  const auto tool = advisor();
  const auto result = bench.call(*tool, JsonObject{{"question", "Is it done?"}});
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->text, "Test it first.");
  EXPECT_EQ(to_json(result->details),
            R"({"model":"big","advice":"Test it first.","tokens":400,"tokensOfSession":400,"callsLeft":9})");
  EXPECT_EQ(questions, std::vector<std::string>{"Is it done?"});
  EXPECT_EQ(tool->render_use(JsonObject()), "Advisor(the work so far)");
}

TEST_F(AdvisorToolTest, HasABudget) {
  const auto few = advisor(2);
  ask(*few);
  ask(*few);
  EXPECT_EQ(ask(*few),
            "limit: The advisor was asked 2 times in this session, which is all that it may be: decide yourself.");
  const auto short_of_tokens = advisor(10, 800);
  ask(*short_of_tokens);
  ask(*short_of_tokens);
  EXPECT_EQ(ask(*short_of_tokens), "limit: The advisor has used up its 800 tokens of this session: decide yourself.");
  EXPECT_EQ(questions.size(), 4U);
}

TEST_F(AdvisorToolTest, SaysWhyItCannotBeAsked) {
  const auto tool = advisor();
  problem = Error{Errc::timeout, "the model did not answer in time"};
  EXPECT_EQ(ask(*tool), "timeout: The advisor cannot be asked now: the model did not answer in time");
  EXPECT_EQ(ask(*tool, JsonObject{{"question", std::string(20'001, 'x')}}).substr(0, 6), "limit:");
}

TEST_F(AdvisorToolTest, IsNotThereWithoutAModelAndTouchesNothing) {
  EXPECT_EQ(make_advisor_tool({}), nullptr);
  const auto tool = advisor();
  EXPECT_TRUE(tool->is_read_only(JsonObject(), any_session()));
  EXPECT_TRUE(tool->footprint(JsonObject(), any_session())->is_nothing());
}

}  // namespace
}  // namespace deft
