#include "deft/mcp/elicitation.h"

#include <gtest/gtest.h>

namespace deft {
namespace {

Json form(JsonObject properties) {
  return JsonObject{{"message", "Who are you?"},
                    {"requestedSchema", {{"type", "object"}, {"properties", std::move(properties)}}}};
}

TEST(Elicitation, AFormOfPlainValuesIsRead) {
  const auto read = read_elicitation("srv", form({{"name", {{"type", "string"}}}}));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->server, "srv");
  EXPECT_EQ(read->message, "Who are you?");
  EXPECT_FALSE(read->is_url);
}

TEST(Elicitation, FormsWithObjectsAndOddAddressesAreRefused) {
  EXPECT_FALSE(read_elicitation("srv", form({{"name", {{"type", "object"}}}})));
  EXPECT_FALSE(read_elicitation("srv", JsonObject{{"message", "m"}}));
  EXPECT_FALSE(read_elicitation("srv", JsonObject{{"requestedSchema", JsonObject{}}}));
  EXPECT_FALSE(read_elicitation("srv", JsonObject{{"message", "m"}, {"mode", "url"}, {"url", "javascript:alert(1)"}}));
  EXPECT_FALSE(read_elicitation("srv", JsonObject{{"message", "m"}, {"mode", "other"}}));
}

TEST(Elicitation, APageIsRead) {
  const auto read = read_elicitation(
      "srv", JsonObject{{"message", "m"}, {"mode", "url"}, {"url", "https://a.example/x"}, {"elicitationId", "7"}});
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->is_url);
  EXPECT_EQ(read->url, "https://a.example/x");
  EXPECT_EQ(read->id, "7");
}

TEST(Elicitation, WhatIsLeftOutHasItsDefault) {
  const auto read = read_elicitation("srv", form({{"name", {{"type", "string"}, {"default", "Ada"}}},
                                                  {"age", {{"type", "integer"}, {"default", 36}}},
                                                  {"note", {{"type", "string"}}}}));
  ASSERT_TRUE(read);
  const auto filled = filled_form(*read, JsonObject{{"age", 40}});
  ASSERT_TRUE(filled);
  EXPECT_EQ(*filled, Json(JsonObject{{"age", 40}, {"name", "Ada"}}));
}

TEST(Elicitation, AnAnswerThatDoesNotFitIsAnError) {
  const auto read = read_elicitation("srv", form({{"age", {{"type", "integer"}}}}));
  ASSERT_TRUE(read);
  EXPECT_FALSE(filled_form(*read, JsonObject{{"age", "old"}}));
}

TEST(Elicitation, WhatNobodyCouldReadOrSeeIsRefused) {
  const auto page = [](std::string url) {
    return read_elicitation("srv", JsonObject{{"message", "m"}, {"mode", "url"}, {"url", std::move(url)}});
  };
  EXPECT_FALSE(page("https://a.example/" + std::string(5000, 'x')));
  EXPECT_FALSE(page("https://a.example/\u202Emoc.elgoog"));
  EXPECT_FALSE(page("https://google.com@evil.example/"));
  EXPECT_FALSE(page("https://a.example/\x1b[2J"));
  EXPECT_FALSE(page("file:///etc/passwd"));
  JsonArray choices;
  for (int i = 0; i < 10'000; ++i) choices.emplace_back("choice " + std::to_string(i));
  EXPECT_FALSE(read_elicitation("srv", form({{"name", {{"type", "string"}, {"enum", std::move(choices)}}}})));
  const auto read = read_elicitation("srv", JsonObject{{"message", "a\x1b]0;b\x07\u202E" + std::string(9000, 'c')},
                                                       {"requestedSchema", {{"properties", JsonObject{}}}}});
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->message.starts_with("a]0;bccc"));
  EXPECT_LE(read->message.size(), kElicitationMessageBytesMax);
}

}  // namespace
}  // namespace deft
