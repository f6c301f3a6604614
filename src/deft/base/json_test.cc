#include "deft/base/json.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

namespace deft {
namespace {

std::string round_trip(std::string_view text) {
  const auto value = parse_json(text);
  return value ? to_json(*value) : value.error().message;
}

TEST(Json, KeepsTheOrderOfKeys) { EXPECT_EQ(round_trip(R"({"z":1,"a":2,"m":3})"), R"({"z":1,"a":2,"m":3})"); }

TEST(Json, WritesNumbersAsJsonNumbers) {
  EXPECT_EQ(round_trip("[2.5,1.0,-0.1,1e21,18446744073709551615,-9223372036854775808]"),
            "[2.5,1.0,-0.1,1e+21,18446744073709551615,-9223372036854775808]");
}

TEST(Json, RandomDoublesComeBackBitForBit) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 20000; ++i) {
    const std::uint64_t bits = random();
    double number = 0;
    std::memcpy(&number, &bits, sizeof number);
    if (!std::isfinite(number)) continue;
    const auto value = parse_json(to_json(Json(number)));
    ASSERT_TRUE(value) << value.error().message;
    ASSERT_EQ(value->to_number<double>(), number);
  }
}

TEST(Json, RefusesWhatIsNotStrictJsonAndSaysWhere) {
  EXPECT_EQ(parse_json("{\"a\":1,\n \"a\":2}").error().message.substr(0, 16), "line 2, column 7");
  EXPECT_NE(parse_json("{\"a\":1,\n \"a\":2}").error().message.find("stands twice"), std::string::npos);
  for (const char* text :
       {"", "{", "[1,]", "{'a':1}", "// c\n1", "nan", "01", "1e400", "\"\\ud83d\"", "\"\xff\"", "1 2"}) {
    EXPECT_FALSE(parse_json(text)) << text;
  }
}

TEST(Json, DepthAndSizeAreBounded) {
  const std::string deep(kJsonDepthMax + 1, '[');
  EXPECT_EQ(parse_json(deep + std::string(kJsonDepthMax + 1, ']')).error().code, Errc::limit);
  EXPECT_TRUE(parse_json(std::string(kJsonDepthMax, '[') + std::string(kJsonDepthMax, ']')));
  EXPECT_EQ(parse_json("[1,2,3]", {.bytes_max = 3}).error().code, Errc::limit);
}

TEST(Json, HalfASurrogatePairIsReplacedOnRequestOnly) {
  const JsonLimits replace{.replace_lone_surrogates = true};
  EXPECT_EQ(to_json(*parse_json(R"("a\ud83d b\ude00\ud83d\ude00\\ud83d")", replace)),
            "\"a\xEF\xBF\xBD b\xEF\xBF\xBD\xF0\x9F\x98\x80\\\\ud83d\"");
  EXPECT_FALSE(parse_json(R"("a\ud83d b")"));
}

TEST(Json, InvalidUtf8NeverLeaves) { EXPECT_EQ(json_quote("a\xff\x01\"b"), "\"a\xEF\xBF\xBD\\u0001\\\"b\""); }

TEST(Json, AnIntegerIsFoundHoweverItIsStored) {
  const Json object = JsonObject{{"size", std::size_t{7}}, {"int", -7}, {"double", 7.0}, {"huge", ~std::uint64_t{0}}};
  EXPECT_EQ(find_int(object, "size"), 7);
  EXPECT_EQ(find_int(object, "int"), -7);
  EXPECT_EQ(find_int(object, "double"), 7);
  EXPECT_EQ(find_int(object, "huge"), std::nullopt);
}

TEST(Json, WhatIsFoundInAnObjectIsPartOfThatObject) {
  const JsonObject object{{"list", JsonArray{1}}, {"inner", JsonObject{{"name", "deft"}}}};
  EXPECT_EQ(find(object, "list"), &object.at("list"));
  EXPECT_EQ(find_array(object, "list"), &object.at("list").get_array());
  EXPECT_EQ(find_object(object, "inner"), &object.at("inner").get_object());
  EXPECT_EQ(find_string(*find_object(object, "inner"), "name"), "deft");
  EXPECT_EQ(find(object, "missing"), nullptr);
}

TEST(Json, RawSpansAreTheBytesAsTheyCame) {
  const std::string text = R"( {"a" : {"big":123456789012345678901234567890, "x":"}\"{"} , "b\n":[ 1.50 ,"]"]} )";
  ASSERT_TRUE(parse_json(text));
  const auto members = raw_members(text);
  ASSERT_EQ(members.size(), 2U);
  EXPECT_EQ(members[0].value, R"({"big":123456789012345678901234567890, "x":"}\"{"})");
  EXPECT_EQ(members[1].key, "b\n");
  EXPECT_EQ(raw_elements(members[1].value), (std::vector<std::string_view>{"1.50", "\"]\""}));
  EXPECT_TRUE(raw_members("[]").empty());
}

}  // namespace
}  // namespace deft
