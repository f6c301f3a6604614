#include "deft/agent/attempts.h"

#include <gtest/gtest.h>

namespace deft {
namespace {

ModelFailure refusal(std::string message, int status = 400, std::string type = "invalid_request_error") {
  return {.kind = ModelFailure::Kind::status, .status = status, .type = std::move(type), .message = std::move(message)};
}

TEST(Attempts, AConversationThatIsTooLongIsKnownByTheWordsOfEveryServer) {
  for (const std::string_view words : {
           "prompt is too long: 207203 tokens > 200000 maximum",
           "Prompt is too long",
           "Input is too long for requested model.",
           "input length and `max_tokens` exceed context limit: 199900 + 21333 > 200000",
           "This model's maximum context length is 65536 tokens. However, you requested 70000 tokens",
           "Prompt contains 65673 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
           "Your input exceeds the context window of this model. Please adjust your input and try again.",
           "the request exceeds the available context size, try increasing it",
           "prompt too long; exceeded max context length by 500 tokens",
           "The input (5000 tokens) is longer than the model's context length (4096 tokens).",
           "The decoder prompt (length 5000) is longer than the maximum model length of 4096.",
           "The number of tokens to keep from the initial prompt is greater than the context length.",
           "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).",
           "prompt token count of 128500 exceeds the limit of 128000",
           "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
           "Invalid request: Your request exceeded model token limit: 262144",
           "Please reduce the length of the messages or completion. Current length is 9000 while limit is 8192",
           "<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 98304]",
           "too many tokens: total number of tokens in the prompt exceeds the limit of 128000",
           "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000",
       }) {
    EXPECT_TRUE(is_context_overflow(refusal(std::string(words)))) << words;
  }
  EXPECT_TRUE(is_context_overflow(refusal("too much", 400, "context_length_exceeded")));
  EXPECT_TRUE(is_context_overflow(refusal("too much", 413)));
}

TEST(Attempts, OtherRefusalsAreNoMatterOfLength) {
  EXPECT_FALSE(is_context_overflow(refusal("too many tokens per minute", 429, "rate_limit_error")));
  EXPECT_FALSE(is_context_overflow(refusal("messages.1: unexpected role")));
  EXPECT_FALSE(is_context_overflow(refusal("")));
  EXPECT_FALSE(is_context_overflow({.kind = ModelFailure::Kind::connection, .message = "prompt is too long"}));
}

}  // namespace
}  // namespace deft
