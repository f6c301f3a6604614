#include "deft/core/message_head.h"

#include <gtest/gtest.h>

namespace deft {
namespace {

std::string told(const char* usage) { return to_json(messages_usage(*parse_json(usage))); }

TEST(MessagesUsage, IsInTheWordsOfOneApiWhicheverItCameFrom) {
  EXPECT_EQ(told(R"({"prompt_tokens":10,"completion_tokens":3,"prompt_tokens_details":{"cached_tokens":4}})"),
            R"({"input_tokens":6,"cache_creation_input_tokens":0,"cache_read_input_tokens":4,"output_tokens":3})");
  EXPECT_EQ(
      told(R"({"input_tokens":10,"output_tokens":3,"input_tokens_details":{"cached_tokens":4},"total_tokens":13})"),
      R"({"input_tokens":6,"cache_creation_input_tokens":0,"cache_read_input_tokens":4,"output_tokens":3})");
  EXPECT_EQ(told("null"),
            R"({"input_tokens":0,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":0})");
}

TEST(MessagesUsage, OfItsOwnApiIsPassedOn) {
  const char* const kOwn =
      R"({"input_tokens":1,"cache_creation_input_tokens":2,"cache_read_input_tokens":3,"output_tokens":4,"service_tier":"batch"})";
  EXPECT_EQ(told(kOwn), kOwn);
  EXPECT_EQ(told(R"({"input_tokens":1,"output_tokens":4,"cache_read_input_tokens":null})"),
            R"({"input_tokens":1,"output_tokens":4,"cache_read_input_tokens":0,"cache_creation_input_tokens":0})");
}

}  // namespace
}  // namespace deft
