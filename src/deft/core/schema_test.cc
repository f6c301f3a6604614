#include "deft/core/schema.h"

#include <gtest/gtest.h>

#include <thread>

namespace deft {
namespace {

Json json(std::string_view text) {
  auto value = parse_json(text);
  EXPECT_TRUE(value) << text << ": " << value.error().message;
  return value ? *value : Json();
}

Schema compile(std::string_view text) { return Schema::compile(json(text)).value(); }

std::string compile_error(std::string_view text) {
  const auto schema = Schema::compile(json(text));
  return schema ? "" : schema.error().message;
}

TEST(Schema, AFaultIsNamedWithThePlaceWhereItStands) {
  struct Case {
    const char* schema;
    const char* error;
  };
  for (const auto& [schema, error] : {
           Case{"5", "at its root: expected a schema (an object or a boolean), got number 5"},
           Case{R"({"required":5})", "at /required: expected an array of property names, got number 5"},
           Case{R"({"required":["a",1]})", "at /required/1: expected a property name, got number 1"},
           Case{R"({"properties":{"a/b":{"type":"strin"}}})",
                R"(at /properties/a~1b/type: expected the name of a JSON type, got string "strin")"},
           Case{R"({"type":[]})", "at /type: expected at least one type"},
           Case{R"({"properties":[]})", "at /properties: expected an object, got array []"},
           Case{R"({"properties":{"a":null}})",
                "at /properties/a: expected a schema (an object or a boolean), got null"},
           Case{R"({"items":[{}]})", "at /items: expected a schema (an object or a boolean), got array [{}]"},
           Case{R"({"allOf":[]})", "at /allOf: expected an array of at least one schema"},
           Case{R"({"anyOf":{"a":1}})", "at /anyOf: expected an array of at least one schema"},
           Case{R"({"not":[]})", "at /not: expected a schema"},
           Case{R"({"enum":"a"})", "at /enum: expected an array"},
           Case{R"({"minLength":-1})", "at /minLength: expected an integer of at least 0, got number -1"},
           Case{R"({"maxItems":1.5})", "at /maxItems: expected an integer of at least 0, got number 1.5"},
           Case{R"({"minimum":"1"})", "at /minimum: expected a number"},
           Case{R"({"multipleOf":0})", "at /multipleOf: expected a number greater than 0, got 0"},
           Case{R"({"exclusiveMinimum":true})", "at /exclusiveMinimum: expected a number, got boolean true"},
           Case{R"({"uniqueItems":"yes"})", "at /uniqueItems: expected true or false"},
           Case{R"({"pattern":"a("})", "at /pattern: the pattern is not valid at byte 2"},
           Case{R"({"patternProperties":{"[":{}}})", "at /patternProperties/[: the pattern is not valid"},
           Case{R"({"dependentRequired":{"a":{}}})", "at /dependentRequired/a: expected an array of property names"},
           Case{R"({"dependentSchemas":{"a":[]}})", "at /dependentSchemas/a: expected a schema"},
           Case{R"({"$ref":1})", "at /$ref: expected a string"},
           Case{R"({"$ref":"#/a"})", R"(at /$ref: refers to "#/a", but there is no schema)"},
           Case{R"({"$ref":"#/a","a":[]})", "but there is no schema"},
           Case{R"({"$ref":"#a"})", R"(at /$ref: refers to "#a", but there is no such anchor)"},
           Case{R"({"$ref":"#/%"})", "is not well formed"},
           Case{R"({"$id":5})", "at /$id: expected a URI, got 5"},
           Case{R"({"$id":"http://a/b#c"})", "at /$id: expected a URI without a fragment"},
           Case{R"({"$anchor":""})", "at /$anchor: expected a name"},
           Case{R"({"$defs":{"a":{"$id":"http://x/"},"b":{"$id":"http://x/"}}})", "is given to two schemas"},
           Case{R"({"$defs":{"a":{"$anchor":"x"},"b":{"$anchor":"x"}}})", R"(the anchor "x" is given to two schemas)"},
           Case{R"({"$schema":"http://example.com/mine"})", "at /$schema: expected"},
       }) {
    const std::string message = compile_error(schema);
    EXPECT_TRUE(message.starts_with("the schema cannot be used: at ")) << schema << "\n  " << message;
    EXPECT_NE(message.find(error), std::string::npos) << schema << "\n  " << message;
  }
}

TEST(Schema, WhatIsNotInReachIsNeverFetchedAndMakesTheSchemaUnusable) {
  for (const char* schema :
       {R"({"$ref":"http://example.com/s.json"})", R"({"properties":{"a":{"$ref":"other.json#/x"}}})",
        R"({"$ref":"file:///etc/passwd"})", R"({"$dynamicRef":"https://example.com/s#x"})"}) {
    EXPECT_NE(compile_error(schema).find("never fetched"), std::string::npos) << schema;
  }
}

TEST(Schema, DefinitionsThatNobodyUsesAreNotLookedInto) {
  EXPECT_EQ(compile_error(R"({"$defs":{"a":{"$ref":"http://example.com/s.json"}},"type":"string"})"), "");
}

TEST(Schema, APlaceThatIsNoKeywordMayBeReferredToFromSeveralSides) {
  const auto schema =
      compile(R"({"properties":{"p":{"$ref":"#/shapes/box/properties/side"},"q":{"$ref":"#/shapes/box"}},
      "shapes":{"box":{"properties":{"side":{"$id":"http://x/side","type":"number"}}}}})");
  EXPECT_TRUE(schema.accepts(json(R"({"p":1,"q":{"side":2}})")));
  EXPECT_FALSE(schema.accepts(json(R"({"q":{"side":"2"}})")));
}

TEST(Schema, WithoutASchemaKeywordItIsDraft2020) {
  EXPECT_FALSE(compile(R"({"prefixItems":[{"type":"string"}]})").accepts(json("[1]")));
  EXPECT_TRUE(compile(R"({"$schema":"http://json-schema.org/draft-07/schema#","prefixItems":[{"type":"string"}]})")
                  .accepts(json("[1]")));
}

TEST(Schema, OtherDraftsKeepTheirMeaning) {
  // Before 2019 a $ref hides what stands beside it.
  const char* kSiblings =
      R"({"$schema":"%","definitions":{"a":{}},"properties":{"x":{"$ref":"#/definitions/a","type":"string"}}})";
  const auto with = [&](std::string_view uri) { return std::string(kSiblings).replace(12, 1, uri); };
  for (const char* old : {"http://json-schema.org/draft-07/schema", "https://json-schema.org/draft-07/schema#",
                          "http://json-schema.org/draft-06/schema#", "http://json-schema.org/draft-04/schema#"}) {
    EXPECT_TRUE(compile(with(old)).accepts(json(R"({"x":1})"))) << old;
  }
  for (const char* modern :
       {"https://json-schema.org/draft/2019-09/schema", "https://json-schema.org/draft/2020-12/schema#"}) {
    EXPECT_FALSE(compile(with(modern)).accepts(json(R"({"x":1})"))) << modern;
  }
  const auto tuple = compile(
      R"({"$schema":"https://json-schema.org/draft/2019-09/schema","items":[{"type":"string"}],"additionalItems":false})");
  EXPECT_TRUE(tuple.accepts(json(R"(["a"])")));
  EXPECT_FALSE(tuple.accepts(json(R"(["a","b"])")));
}

TEST(Schema, TheMetaSchemasAreCarriedAlong) {
  for (const char* uri : {"https://json-schema.org/draft/2020-12/schema", "http://json-schema.org/draft-07/schema#"}) {
    const auto meta = compile(R"({"$ref":")" + std::string(uri) + "\"}");
    EXPECT_TRUE(meta.accepts(json(R"({"type":"object","properties":{"a":{"minLength":1}}})"))) << uri;
    EXPECT_FALSE(meta.accepts(json(R"({"properties":{"a":{"minLength":-1}}})"))) << uri;
    EXPECT_FALSE(meta.accepts(json(R"({"not":{"not":{"required":"a"}}})"))) << uri;
  }
}

TEST(Schema, FormatsAreAnnotations) { EXPECT_TRUE(compile(R"({"format":"email"})").accepts(json("\"nobody\""))); }

TEST(Schema, ManyThreadsUseOneSchema) {
  const Schema schema = compile(R"({"type":"object","properties":{"name":{"pattern":"^[a-z]+$"},
      "next":{"$ref":"#"}},"required":["name"],"unevaluatedProperties":false})");
  const Json good = json(R"({"name":"a","next":{"name":"b","next":{"name":"c"}}})");
  const Json bad = json(R"({"name":"a","next":{"name":"B","x":1}})");
  std::vector<int> right(4);
  {
    std::vector<std::jthread> threads;
    for (int& count : right) {
      threads.emplace_back([schema, &good, &bad, &count] {
        for (int i = 0; i < 200; ++i) count += schema.accepts(good) && schema.validate(bad).size() == 1 ? 1 : 0;
      });
    }
  }
  EXPECT_EQ(right, std::vector<int>(4, 200));
}

}  // namespace
}  // namespace deft
