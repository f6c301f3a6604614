#include "deft/model/plain_delta.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "deft/base/json.h"

namespace deft {
namespace {

std::string delta_with(std::string_view raw) {
  return R"({"type":"content_block_delta","index":3,"delta":{"type":"text_delta","text":")" + std::string(raw) +
         R"("}})";
}

TEST(PlainDelta, IsReadAsJsonWouldReadIt) {
  for (const char* raw :
       {"", "Hello", " wörld 🎉", "two\\nlines", R"(\"quoted\" \\ \/ \t\r\b\f)", "ends in a slash\\\\"}) {
    const std::string data = delta_with(raw);
    const auto plain = read_plain_delta(data);
    ASSERT_TRUE(plain) << data;
    EXPECT_EQ(plain->index, 3);
    const Json json = *parse_json(data);
    EXPECT_EQ(plain->text, *find_string(*find(json, "delta"), "text")) << data;
  }
  EXPECT_TRUE(
      read_plain_delta(R"({"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"x"}    })"));
}

TEST(PlainDelta, InputsThoughtsAndEndsOfBlocksAreReadToo) {
  const auto input = read_plain_delta(
      R"({"type":"content_block_delta","index":7,"delta":{"type":"input_json_delta","partial_json":"{\"a\":1"}})");
  ASSERT_TRUE(input);
  EXPECT_EQ(input->kind, PlainDelta::Kind::input);
  EXPECT_EQ(input->index, 7);
  EXPECT_EQ(input->text, R"({"a":1)");
  const auto thought =
      read_plain_delta(R"({"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"so"}})");
  ASSERT_TRUE(thought);
  EXPECT_EQ(thought->kind, PlainDelta::Kind::thinking);
  EXPECT_EQ(thought->text, "so");
  const auto stop = read_plain_delta(R"({"type":"content_block_stop","index":12  })");
  ASSERT_TRUE(stop);
  EXPECT_EQ(stop->kind, PlainDelta::Kind::stop);
  EXPECT_EQ(stop->index, 12);
}

std::string call_with(std::string_view id, std::string_view name, std::string_view rest = R"("input":{})") {
  return R"({"type":"content_block_start","index":5,"content_block":{"type":"tool_use","id":")" + std::string(id) +
         R"(","name":")" + std::string(name) + "\"," + std::string(rest) + "}}";
}

TEST(PlainDelta, TheBeginningOfACallIsReadToo) {
  const auto call = read_plain_delta(call_with("toolu_01", "Read \\\"it\\\""));
  ASSERT_TRUE(call);
  EXPECT_EQ(call->kind, PlainDelta::Kind::call);
  EXPECT_EQ(call->index, 5);
  EXPECT_EQ(call->text, "toolu_01");
  EXPECT_EQ(call->name, "Read \"it\"");
}

TEST(PlainDelta, ACallWithMoreThanItsNameIsLeftToJson) {
  for (const char* rest : {R"("input":{"a":1})", R"("input":null)", R"("input":{},"caller":{"type":"direct"})"}) {
    EXPECT_FALSE(read_plain_delta(call_with("a", "Read", rest))) << rest;
  }
  EXPECT_FALSE(read_plain_delta(call_with("a", "Read\xFF")));
  EXPECT_FALSE(read_plain_delta(call_with("a\xFF", "Read")));
}

TEST(PlainDelta, EverythingElseIsLeftToJson) {
  for (const std::string& good :
       {delta_with("text"), call_with("a", "Read"), std::string(R"({"type":"content_block_stop","index":1})")}) {
    for (std::size_t i = 0; i < good.size(); ++i) {
      EXPECT_FALSE(read_plain_delta(good.substr(0, i))) << "cut at " << i;
    }
  }
  const std::vector<std::string> others = {
      delta_with(R"(\u0041)"),
      delta_with(R"(\x)"),
      delta_with("\x01"),
      delta_with("\xFF"),
      delta_with("\n"),
      delta_with("text") + "x",
      delta_with("text") + "}",
      R"({"type":"content_block_delta","index":-1,"delta":{"type":"text_delta","text":"x"}})",
      R"({"type":"content_block_delta","index":01,"delta":{"type":"text_delta","text":"x"}})",
      R"({"type":"content_block_delta","index":0.5,"delta":{"type":"text_delta","text":"x"}})",
      R"({"type":"content_block_delta","index":,"delta":{"type":"text_delta","text":"x"}})",
      R"({"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"x","text":"y"}})",
      R"({"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"x"},"more":1})",
      R"({"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","text":"x"}})",
      R"({"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"x","signature":"y"}})",
      R"({"type":"content_block_stop","index":-1})",
      R"({"type":"content_block_stop","index":1.0})",
      R"({"type":"content_block_stop","index":1,"more":2})",
      R"({"type":"content_block_stop","index":1}})"};
  for (const std::string& data : others) {
    EXPECT_FALSE(read_plain_delta(data)) << data;
  }
}

TEST(PlainDelta, RandomTextsComeOutAsJsonReadsThem) {
  std::minstd_rand random(7);
  for (int round = 0; round < 2'000; ++round) {
    std::string text;
    for (std::size_t i = random() % 30; i > 0; --i) {
      constexpr std::string_view kPieces[] = {"a", "\"", "\\", "\n", "é", "日", "🎉", "\t", " ", "/", "}"};
      text += kPieces[random() % std::size(kPieces)];
    }
    const std::string quoted = json_quote(text);
    const auto plain = read_plain_delta(delta_with(quoted.substr(1, quoted.size() - 2)));
    ASSERT_TRUE(plain) << quoted;
    EXPECT_EQ(plain->text, text);
  }
}

}  // namespace
}  // namespace deft
