#include "deft/model/anthropic_refusals.h"

#include <gtest/gtest.h>

namespace deft {
namespace {

ModelFailure refusal(std::string_view message) {
  return {.kind = ModelFailure::Kind::status, .status = 400, .message = std::string(message)};
}

ModelRequest request(std::string_view thinking, std::string effort) {
  ModelRequest request{.model = "m"};
  if (!thinking.empty()) request.thinking = *parse_json(thinking);
  request.effort = std::move(effort);
  return request;
}

constexpr std::string_view kBudget = R"({"type":"enabled","budget_tokens":5000})";
constexpr std::string_view kNoBudget =
    R"("thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and )"
    R"("output_config.effort" to control thinking behavior. (HTTP 400))";

TEST(AnthropicRefusals, ABudgetThatIsRefusedBecomesTheModelsOwnMeasure) {
  const ModelRequest asked = request(kBudget, "high");
  const auto taught = taught_by(refusal(kNoBudget), wishes_of(asked), {});
  ASSERT_TRUE(taught);
  const ModelRequest again = without_refused(asked, *taught);
  EXPECT_EQ(to_json(*again.thinking), R"({"type":"adaptive"})");
  EXPECT_EQ(again.effort, "high");

  const auto more = taught_by(refusal("adaptive thinking is not supported on this model"), wishes_of(again), *taught);
  ASSERT_TRUE(more);
  EXPECT_FALSE(without_refused(asked, *more).thinking);
  EXPECT_FALSE(taught_by(refusal(kNoBudget), wishes_of(without_refused(asked, *more)), *more));
}

TEST(AnthropicRefusals, ThoughtThatWouldBeginBetweenACallAndItsAnswerIsNotAskedFor) {
  const AnthropicWishes wishes = wishes_of(request(kBudget, ""));
  EXPECT_TRUE(taught_by(refusal("Expected `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` is "
                                "enabled, a final `assistant` message must start with a thinking block."),
                        wishes, {}));
}

TEST(AnthropicRefusals, AModelThatDoesNotStopThinkingIsLeftToIt) {
  const ModelRequest asked = request(R"({"type":"disabled"})", "");
  const auto taught =
      taught_by(refusal(R"("thinking.type.disabled" is not supported for this model.)"), wishes_of(asked), {});
  ASSERT_TRUE(taught);
  EXPECT_FALSE(without_refused(asked, *taught).thinking);
}

TEST(AnthropicRefusals, EffortThatAModelDoesNotKnowIsNotAskedFor) {
  const ModelRequest asked = request("", "xhigh");
  const auto taught = taught_by(refusal("This model does not support the effort parameter."), wishes_of(asked), {});
  ASSERT_TRUE(taught);
  EXPECT_EQ(without_refused(asked, *taught).effort, "");
  EXPECT_EQ(without_refused(request(kBudget, ""), *taught).thinking, parse_json(kBudget).value());
}

TEST(AnthropicRefusals, RefusalsOfOtherThingsTeachNothing) {
  const AnthropicWishes wishes = wishes_of(request(kBudget, "high"));
  EXPECT_FALSE(taught_by(refusal("`max_tokens` must be greater than `thinking.budget_tokens`"), wishes, {}));
  EXPECT_FALSE(taught_by(refusal("messages.1: unexpected role"), wishes, {}));
  EXPECT_FALSE(taught_by(refusal(kNoBudget), {}, {}));
  ModelFailure busy = refusal(kNoBudget);
  busy.status = 529;
  EXPECT_FALSE(taught_by(busy, wishes, {}));
}

}  // namespace
}  // namespace deft
