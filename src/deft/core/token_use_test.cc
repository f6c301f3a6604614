#include "deft/core/token_use.h"

#include <gtest/gtest.h>

namespace deft {
namespace {

TokenUse use_of(std::string_view text) { return token_use(*parse_json(text)); }

TEST(TokenUse, IsTheSameInTheWordsOfEveryApi) {
  const TokenUse use{.input = 10, .output = 5, .cache_read = 90};
  EXPECT_EQ(
      use_of(R"({"input_tokens":10,"output_tokens":5,"cache_read_input_tokens":90,"cache_creation_input_tokens":0})"),
      use);
  EXPECT_EQ(use_of(R"({"prompt_tokens":100,"completion_tokens":5,"prompt_tokens_details":{"cached_tokens":90}})"), use);
  EXPECT_EQ(use_of(R"({"input_tokens":100,"output_tokens":5,"input_tokens_details":{"cached_tokens":90}})"), use);
  EXPECT_EQ(use.total(), 105U);
  EXPECT_EQ(use.prompt(), 100U);
}

TEST(TokenUse, KnowsWhatOfTheCacheIsKeptForAnHour) {
  TokenUse use = use_of(R"({"input_tokens":1,"cache_creation_input_tokens":50,
                            "cache_creation":{"ephemeral_5m_input_tokens":20,"ephemeral_1h_input_tokens":30}})");
  EXPECT_EQ(use, (TokenUse{.input = 1, .cache_write = 50, .cache_write_hour = 30}));
  EXPECT_EQ(use.total(), 51U) << "they are a part of what was written";
  use += use;
  EXPECT_EQ(use, (TokenUse{.input = 2, .cache_write = 100, .cache_write_hour = 60}));
  EXPECT_EQ(
      use_of(R"({"cache_creation_input_tokens":5,"cache_creation":{"ephemeral_1h_input_tokens":30}})").cache_write_hour,
      5U);
}

TEST(TokenUse, WhatMakesNoSenseCountsAsNothing) {
  EXPECT_EQ(use_of("null"), TokenUse{});
  EXPECT_EQ(use_of(R"({"input_tokens":-1,"output_tokens":"5"})"), TokenUse{});
  EXPECT_EQ(use_of(R"({"input_tokens":3,"input_tokens_details":{"cached_tokens":90}})").total(), 3U);
}

}  // namespace
}  // namespace deft
