#include <gtest/gtest.h>

#include "deft/core/schema.h"

// Schemas and values made to crash or to stall. That a test here ends at all is half of what it says.

namespace deft {
namespace {

Json json(std::string_view text) {
  auto value = parse_json(text);
  EXPECT_TRUE(value) << text.substr(0, 200) << ": " << value.error().message;
  return value ? *value : Json();
}

std::string verdict_of(const Json& schema, const Json& value) {
  const auto compiled = Schema::compile(schema);
  if (!compiled) return "unusable: " + compiled.error().message;
  const auto problems = compiled->validate(value);
  EXPECT_EQ(problems.empty(), compiled->accepts(value));
  return problems.empty() ? "fits"
                          : problems.front().path + ": " + problems.front().expected + ", " + problems.front().got;
}

std::string verdict(std::string_view schema, const Json& value) { return verdict_of(json(schema), value); }

constexpr std::string_view kEndless =
    ": a check that ends within its limits, the input is nested too deeply or the schema refers to itself without end";
constexpr std::string_view kTooComplex =
    ": a check that ends within its limits, one that is too complex for this schema or this input";

TEST(HostileSchema, ReferencesThatGoInCirclesEnd) {
  EXPECT_EQ(verdict(R"({"$ref":"#"})", 1), kEndless);
  EXPECT_EQ(verdict(R"({"allOf":[{"$ref":"#"},{"$ref":"#"}]})", 1), kEndless);
  EXPECT_EQ(verdict(R"({"not":{"$ref":"#"}})", 1), kEndless);
  EXPECT_EQ(verdict(R"({"if":{"$ref":"#"},"else":false})", 1), kEndless);
  EXPECT_EQ(verdict(R"({"$dynamicAnchor":"a","anyOf":[{"$dynamicRef":"#a"}]})", 1), kEndless);
  EXPECT_EQ(
      verdict(R"({"$defs":{"a":{"$ref":"#/$defs/b"},"b":{"oneOf":[{"$ref":"#/$defs/a"}]}},"$ref":"#/$defs/a"})", 1),
      kEndless);
}

TEST(HostileSchema, ARecursiveSchemaIsFineAsLongAsTheValueEnds) {
  Json value = 1;
  for (std::size_t i = 0; i < kJsonDepthMax; ++i) value = JsonArray{value};
  EXPECT_EQ(verdict(R"({"anyOf":[{"type":"integer"},{"type":"array","items":{"$ref":"#"}}]})", value), "fits");
}

TEST(HostileSchema, AProblemFarDownIsExplainedInBoundedTime) {
  Json value = "wrong";
  for (std::size_t i = 0; i < kJsonDepthMax; ++i) value = JsonArray{1, std::move(value)};
  const std::string found = verdict(R"({"anyOf":[{"type":"integer"},{"type":"array","items":{"$ref":"#"}}]})", value);
  EXPECT_TRUE(found.starts_with("[1][1][1][1]")) << found;
  EXPECT_TRUE(found.ends_with(R"(: integer or array, string "wrong")")) << found;
}

TEST(HostileSchema, AValueThatIsTooDeepIsRefused) {
  Json value = 1;
  for (int i = 0; i < 5000; ++i) value = JsonArray{std::move(value)};
  EXPECT_EQ(verdict(R"({"items":{"$ref":"#"}})", value), kEndless);
  EXPECT_EQ(verdict(R"({"uniqueItems":true})", JsonArray{value, value}), kTooComplex);
}

TEST(HostileSchema, ASchemaThatDoublesAtEveryLevelEnds) {
  std::string schema = R"({"$ref":"#/$defs/d60","$defs":{"d0":{"type":"string"})";
  for (int i = 1; i <= 60; ++i) {
    const std::string one = R"({"$ref":"#/$defs/d)" + std::to_string(i - 1) + "\"}";
    schema += ",\"d" + std::to_string(i) + "\":{\"anyOf\":[" + one + "," + one + "]}";
  }
  EXPECT_EQ(verdict(schema + "}}", 1), kTooComplex);
  EXPECT_EQ(verdict(schema + "}}", "a"), "fits");
}

TEST(HostileSchema, APatternThatExplodesFailsClosed) {
  const Json value(std::string(100'000, 'a') + "b");
  const std::string expected =
      ": a check that ends within its limits, the pattern \"^(a+)+$\" could not be decided within the limits";
  EXPECT_EQ(verdict(R"({"pattern":"^(a+)+$"})", value), expected);
  EXPECT_EQ(verdict(R"({"not":{"pattern":"^(a+)+$"}})", value), expected) << "giving up is not a \"no\"";
  EXPECT_EQ(verdict(R"({"anyOf":[{"pattern":"^(a+)+$"},true]})", value), expected);
  EXPECT_EQ(verdict(R"({"patternProperties":{"^(a+)+$":false}})", JsonObject{{value.get_string(), 1}}), expected);
}

TEST(HostileSchema, ManyPatternsOnManyNamesEnd) {
  JsonObject patterns;
  JsonObject value;
  for (int i = 0; i < 2000; ++i) {
    patterns["^a*a*a*b" + std::to_string(i)] = true;
    value[std::string(40, 'a') + std::to_string(i)] = i;
  }
  EXPECT_TRUE(verdict_of(JsonObject{{"patternProperties", patterns}}, value).starts_with(": a check that ends"));
}

TEST(HostileSchema, LongListsTimesLongListsEnd) {
  JsonArray names;
  JsonArray values;
  for (int i = 0; i < 20'000; ++i) {
    names.push_back(Json("name" + std::to_string(i)));
    values.push_back(JsonObject());
  }
  EXPECT_EQ(verdict_of(JsonObject{{"contains", {{"enum", names}}}}, values), kTooComplex);
  EXPECT_EQ(verdict_of(JsonObject{{"items", {{"not", {{"required", names}}}}}}, values), kTooComplex);
}

TEST(HostileSchema, EverythingThatAValueGetsWrongIsBounded) {
  JsonArray values;
  for (int i = 0; i < 10'000; ++i) values.push_back(Json(std::string(1000, 'x')));
  const auto schema = Schema::compile(json(R"({"items":{"type":"object"}})")).value();
  const auto problems = schema.validate(values);
  EXPECT_EQ(problems.size(), kSchemaProblemsMax);
  EXPECT_LT(input_validation_error(problems).size(), 10'000U);
}

TEST(HostileSchema, SizeAndDepthOfASchemaAreBounded) {
  const auto error = [](const Json& schema, const SchemaLimits& limits = {}) {
    const auto compiled = Schema::compile(schema, limits);
    return compiled ? std::string("compiles") : compiled.error().message;
  };
  Json deep = true;
  for (std::size_t i = 0; i < 20'000; ++i) deep = JsonObject{{"not", std::move(deep)}};
  EXPECT_NE(error(deep).find("nested deeper than 128 levels"), std::string::npos);
  EXPECT_NE(error(JsonObject{{"enum", JsonArray(kSchemaValuesMax, Json(1))}}).find("larger than 100000 values"),
            std::string::npos);
  EXPECT_NE(error(json(R"({"title":"abcdef","type":"string"})"), {.text_bytes_max = 4}).find("4 bytes of text"),
            std::string::npos);

  JsonObject with_ids;
  for (std::size_t i = 0; i <= kSchemaResourcesMax; ++i) {
    with_ids[std::to_string(i)] = JsonObject{{"$id", "http://x/" + std::to_string(i)}};
  }
  EXPECT_NE(error(JsonObject{{"$defs", with_ids}}).find("more than 1000 subschemas with an $id"), std::string::npos);

  JsonObject patterns;
  for (int i = 0; i < 1000; ++i) patterns["(abcd){400}" + std::to_string(i)] = true;
  EXPECT_NE(error(JsonObject{{"patternProperties", patterns}}).find("all patterns together"), std::string::npos);
  EXPECT_NE(error(json(R"({"$id":"http://)" + std::string(5000, 'a') + "\"}")).find("the $id is longer than"),
            std::string::npos);
}

}  // namespace
}  // namespace deft
