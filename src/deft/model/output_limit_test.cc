#include "deft/model/output_limit.h"

#include <gtest/gtest.h>

namespace deft {
namespace {

std::optional<std::size_t> fits(std::string message, std::size_t asked = 32'000, int status = 400) {
  return fitting_output_tokens({.kind = ModelFailure::Kind::status, .status = status, .message = std::move(message)},
                               asked);
}

TEST(OutputLimit, IsReadFromTheWordsOfEachServer) {
  EXPECT_EQ(fits("input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length"),
            200'000U - 188'240U - kFittingOutputTokensSpare);
  EXPECT_EQ(fits("max_tokens: 32000 > 8192, which is the maximum allowed number of output tokens for claude-x"),
            8'192U);
  EXPECT_EQ(fits("max_tokens is too large: 32000. This model supports at most 16384 completion tokens, whereas you "
                 "provided 32000."),
            16'384U);
  EXPECT_EQ(
      fits("This model's maximum context length is 16384 tokens. However, you requested 42000 tokens (10000 in the "
           "messages, 32000 in the completion)."),
      16'384U - 10'000U - kFittingOutputTokensSpare);
  EXPECT_EQ(
      fits("'max_tokens' or 'max_completion_tokens' is too large: 32000. This model's maximum context length is 8192 "
           "tokens and your request has 20 input tokens (32000 > 8192 - 20)."),
      8'192U - 20U - kFittingOutputTokensSpare);
}

TEST(OutputLimit, ALimitOfTheAnswerAloneIsReadFromTheWordsOfOtherServersToo) {
  EXPECT_EQ(
      fits("`max_tokens` must be less than or equal to `8192`, the maximum value for `max_tokens` is less than the "
           "`context_window` for this model"),
      8'192U);
  EXPECT_EQ(fits("Invalid max_tokens value, the valid range of max_tokens is [1, 8192]"), 8'192U);
  EXPECT_EQ(fits("<400> InternalError.Algo.InvalidParameter: Range of max_tokens should be [1, 16384]"), 16'384U);
  EXPECT_EQ(fits("Unable to submit request because it has a maxOutputTokens value of 32000 but the supported range is "
                 "from 1 (inclusive) to 8193 (exclusive). Update the value and try again."),
            8'192U);
  EXPECT_EQ(fits("Invalid 'max_output_tokens': integer above maximum value. Expected a value <= 16384, but got 32000 "
                 "instead."),
            16'384U);
  EXPECT_EQ(fits("The maximum tokens you requested exceeds the model limit of 4096. Try again with a maximum tokens "
                 "value that is lower than 4096."),
            4'096U);
  EXPECT_EQ(fits("max_tokens must be less than or equal to 4096", 32'000, 422), 4'096U);
  EXPECT_EQ(fits("the number of tools must be less than or equal to 8192"), std::nullopt);
}

TEST(OutputLimit, WhereNothingIsLeftOrNothingIsSaidThereIsNone) {
  EXPECT_EQ(fits("prompt is too long: 210000 tokens > 200000 maximum"), std::nullopt);
  EXPECT_EQ(fits("input length and `max_tokens` exceed context limit: 199900 + 21333 > 200000"), std::nullopt);
  EXPECT_EQ(fits("input length and `max_tokens` exceed context limit: 299900 + 1 > 200000"), std::nullopt);
  EXPECT_EQ(fits("supports at most 64000 tokens"), std::nullopt);
  EXPECT_EQ(fits("supports at most 16384 completion tokens", 32'000, 500), std::nullopt);
  EXPECT_EQ(fits("supports at most 99999999999999999999999999 tokens"), std::nullopt);
  EXPECT_EQ(fits("maximum context length is , in the messages"), std::nullopt);
  EXPECT_EQ(fits(""), std::nullopt);
}

}  // namespace
}  // namespace deft
