#include "deft/core/message_content.h"

#include <gtest/gtest.h>

namespace deft {
namespace {

TEST(MessageContent, WhatSaysNothingIsNoBlockForTheApiRefusesIt) {
  EXPECT_EQ(text_block(""), "");
  EXPECT_EQ(text_block(" \t\r\n"), "");
  EXPECT_EQ(text_block(" a "), R"({"type":"text","text":" a "})");
  const JsonArray given{Json("  "), JsonObject{{"type", "text"}, {"text", "\n"}},
                        JsonObject{{"type", "text"}, {"text", "said"}}};
  EXPECT_EQ(new_message_blocks(given), std::vector<std::string>{R"({"type":"text","text":"said"})"});
}

}  // namespace
}  // namespace deft
