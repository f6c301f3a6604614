#include "deft/core/message_head.h"

#include <gtest/gtest.h>

namespace deft {
namespace {

// What only that API tells.
const std::string kUnknown = R"(,"cache_creation":null,"fallback_credit":null,"inference_geo":null,"iterations":null,)"
                             R"("output_tokens_details":null,"server_tool_use":null,"service_tier":null,"speed":null})";

std::string told(const char* usage) { return to_json(messages_usage(*parse_json(usage))); }

TEST(MessagesUsage, IsInTheWordsOfOneApiWhicheverItCameFrom) {
  EXPECT_EQ(
      told(R"({"prompt_tokens":10,"completion_tokens":3,"prompt_tokens_details":{"cached_tokens":4}})"),
      R"({"input_tokens":6,"cache_creation_input_tokens":0,"cache_read_input_tokens":4,"output_tokens":3)" + kUnknown);
  EXPECT_EQ(
      told(R"({"input_tokens":10,"output_tokens":3,"input_tokens_details":{"cached_tokens":4},"total_tokens":13})"),
      R"({"input_tokens":6,"cache_creation_input_tokens":0,"cache_read_input_tokens":4,"output_tokens":3)" + kUnknown);
  EXPECT_EQ(
      told("null"),
      R"({"input_tokens":0,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":0)" + kUnknown);
}

TEST(MessagesUsage, OfItsOwnApiIsPassedOn) {
  const char* const kOwn =
      R"({"input_tokens":1,"cache_creation_input_tokens":2,"cache_read_input_tokens":3,"output_tokens":4,"service_tier":"batch","cache_creation":{"ephemeral_5m_input_tokens":2,"ephemeral_1h_input_tokens":0},"fallback_credit":null,"inference_geo":"us","iterations":null,"output_tokens_details":{"thinking_tokens":1},"server_tool_use":null,"speed":"standard"})";
  EXPECT_EQ(told(kOwn), kOwn);
  EXPECT_EQ(
      told(R"({"input_tokens":1,"output_tokens":4,"cache_read_input_tokens":null})"),
      R"({"input_tokens":1,"output_tokens":4,"cache_read_input_tokens":0,"cache_creation_input_tokens":0)" + kUnknown);
}

}  // namespace
}  // namespace deft
