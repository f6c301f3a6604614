#include "deft/model/event_json.h"

#include <gtest/gtest.h>

namespace deft {
namespace {

TEST(EventJson, RawTextIsFoundByKeysAndPositions) {
  const std::string_view text = R"({"a":[{"b": 1.50},{"b": {"c" :[ ] } }]})";
  EXPECT_EQ(raw_at(text, {"a", std::size_t{0}, "b"}), "1.50");
  EXPECT_EQ(raw_at(text, {"a", std::size_t{1}, "b", "c"}), "[ ]");
  EXPECT_EQ(raw_at(text, {}), text);
  EXPECT_FALSE(raw_at(text, {"x"}));
  EXPECT_FALSE(raw_at(text, {"a", std::size_t{2}}));
  EXPECT_FALSE(raw_at(text, {"a", "b"}));
}

TEST(EventJson, ErrorsAreFoundInEveryShapeAndNowhereElse) {
  const auto error = [](std::string_view text) {
    const auto found = find_provider_error(*parse_json(text));
    return found ? found->code + ": " + found->message : "none";
  };
  EXPECT_EQ(error(R"({"type":"error","error":{"type":"overloaded_error","message":"busy"}})"),
            "overloaded_error: busy");
  EXPECT_EQ(error(R"({"error":{"code":429,"message":"slow"}})"), "429: slow");
  EXPECT_EQ(error(R"({"error":{"code":"c","type":null}})"), R"(c: {"code":"c","type":null})");
  EXPECT_EQ(error(R"({"error":"text"})"), ": text");
  EXPECT_EQ(error(R"({"type":"error","code":"c","message":"m"})"), "c: m");
  EXPECT_EQ(error(R"({"object":"error","type":"BadRequestError","code":400,"message":"m"})"), "BadRequestError: m");
  EXPECT_EQ(error(R"({"object":"chat.completion.chunk","message":"m"})"), "none");
  EXPECT_EQ(error(R"({"error":null})"), "none");
  EXPECT_EQ(error(R"({"error":""})"), "none");
  EXPECT_EQ(error(R"({"error":false,"type":"x"})"), "none");
  EXPECT_EQ(error("[]"), "none");
}

}  // namespace
}  // namespace deft
