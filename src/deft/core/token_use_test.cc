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

TEST(TokenUse, WhatMakesNoSenseCountsAsNothing) {
  EXPECT_EQ(use_of("null"), TokenUse{});
  EXPECT_EQ(use_of(R"({"input_tokens":-1,"output_tokens":"5"})"), TokenUse{});
  EXPECT_EQ(use_of(R"({"input_tokens":3,"input_tokens_details":{"cached_tokens":90}})").total(), 3U);
}

}  // namespace
}  // namespace deft
