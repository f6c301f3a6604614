#include <gtest/gtest.h>

#include "deft/core/schema.h"

namespace deft {
namespace {

// All problems in one string, one line each.
std::string problems(std::string_view schema, std::string_view value) {
  const auto compiled = Schema::compile(parse_json(schema).value());
  if (!compiled) return compiled.error().message;
  std::string text;
  for (const auto& [path, expected, got] : compiled->validate(parse_json(value).value())) {
    text += (text.empty() ? "" : "\n") + path + " | " + expected + " | " + got;
  }
  return text;
}

TEST(SchemaText, EachProblemNamesPathExpectationAndValue) {
  struct Case {
    const char* schema;
    const char* value;
    const char* problems;
  };
  for (const auto& [schema, value, expected] : {
           Case{R"({"type":"object"})", "5", " | object | number 5"},
           Case{R"({"type":["string","null","integer"]})", "1.5", " | string, integer or null | number 1.5"},
           Case{R"({"type":"array"})", R"("[1,2]")",
                R"( | array | string "[1,2]" (send the JSON itself, not a string with JSON in it))"},
           Case{"false", "true", " | no value here | boolean true"},
           Case{R"({"required":["a"],"properties":{"a":{"type":"string"}}})", "{}",
                "a | string (required) | nothing: it is missing"},
           Case{R"({"required":["a"]})", "{}", "a | a value (required) | nothing: it is missing"},
           Case{R"({"properties":{"file_path":true},"additionalProperties":false})", R"({"filePath":1})",
                R"(filePath | no property of this name (did you mean "file_path"?) | number 1)"},
           Case{R"({"properties":{"pattern":true,"path":true},"additionalProperties":false})", R"({"patern":"x"})",
                R"(patern | no property of this name (did you mean "pattern"?) | string "x")"},
           Case{R"({"properties":{"b":true,"a":true},"additionalProperties":false})", R"({"color":null})",
                R"(color | no property of this name (known: "a", "b") | null)"},
           Case{R"({"additionalProperties":false})", R"({"a b":1})",
                R"(["a b"] | no property of this name | number 1)"},
           Case{R"({"properties":{"a":true},"unevaluatedProperties":false})", R"({"A":1})",
                R"(A | no property of this name (did you mean "a"?) | number 1)"},
           Case{R"({"enum":["a","b"]})", "\"c\"", R"( | one of "a", "b" | string "c")"},
           Case{R"({"enum":[1,2,3,4,5,6,7,8,9,10,11,12,13,14]})", "0",
                " | one of 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 and 2 more | number 0"},
           Case{R"({"const":{"a":[]}})", "{}", R"( | {"a":[]} | object {})"},
           Case{R"({"minimum":1})", "0", " | a number of at least 1 | number 0"},
           Case{R"({"maximum":1.5})", "2", " | a number of at most 1.5 | number 2"},
           Case{R"({"exclusiveMinimum":0})", "0", " | a number greater than 0 | number 0"},
           Case{R"({"exclusiveMaximum":0})", "0", " | a number less than 0 | number 0"},
           Case{R"({"multipleOf":0.25})", "0.3", " | a number that is a multiple of 0.25 | number 0.3"},
           Case{R"({"minLength":3})", "\"\u00e9\"", " | at least 3 characters | string \"\u00e9\" with 1 character"},
           Case{R"({"maxLength":1})", "\"abc\"", R"( | at most 1 character | string "abc" with 3 characters)"},
           Case{R"({"pattern":"^a\\d$"})", "\"b\"", R"( | a string that matches the pattern "^a\\d$" | string "b")"},
           Case{R"({"minItems":1})", "[]", " | at least 1 item | array [] with 0 items"},
           Case{R"({"maxItems":1})", "[1,2]", " | at most 1 item | array [1,2] with 2 items"},
           Case{R"({"uniqueItems":true})", "[1,2,1.0]", " | items that all differ | items 0 and 2 which are both 1"},
           Case{R"({"contains":{"type":"string"}})", "[1]",
                " | at least 1 item like this: string | 0 such among 1 item"},
           Case{R"({"contains":true,"maxContains":1})", "[1,2]",
                " | at most 1 item like this: a value | 2 such among 2 items"},
           Case{R"({"minProperties":1})", "{}", " | at least 1 property | object {} with 0 properties"},
           Case{R"({"maxProperties":0})", R"({"a":1})", R"( | at most 0 properties | object {"a":1} with 1 property)"},
           Case{R"({"dependentRequired":{"a":["b"]}})", R"({"a":1})",
                R"(b | a value (required because "a" is given) | nothing: it is missing)"},
           Case{R"({"propertyNames":{"maxLength":2}})", R"({"abc":1})",
                R"(abc | a property name that is at most 2 characters | the name "abc")"},
           Case{R"({"not":{"type":"null"}})", "null", " | anything but this: null | null"},
           Case{R"({"items":{"properties":{"status":{"enum":["open"]}}}})", R"([{},{"status":"x"}])",
                R"([1].status | one of "open" | string "x")"},
           Case{R"({"if":{"required":["a"]},"then":{"required":["b"]}})", R"({"a":1})",
                "b | a value (required) | nothing: it is missing"},
       }) {
    EXPECT_EQ(problems(schema, value), expected) << schema;
  }
}

TEST(SchemaText, AllProblemsAreNamedNotOnlyTheFirst) {
  EXPECT_EQ(problems(R"({"properties":{"a":{"type":"string"},"todos":{"items":{"properties":{"status":{"const":1}}}}},
                         "required":["b"],"additionalProperties":false})",
                     R"({"a":1,"todos":[{"status":1},{"status":2}],"c":null})"),
            "b | a value (required) | nothing: it is missing\n"
            "a | string | number 1\n"
            "todos[1].status | 1 | number 2\n"
            "c | no property of this name (known: \"a\", \"todos\") | null");
}

TEST(SchemaText, OfAlternativesTheClosestOneIsExplained) {
  constexpr const char* kShapes = R"({"oneOf":[
      {"type":"object","properties":{"kind":{"const":"circle"},"radius":{"type":"number"}},"required":["kind","radius"]},
      {"type":"object","properties":{"kind":{"const":"box"},"width":{"type":"number"},"height":{"type":"number"}},
       "required":["kind","width","height"]},
      {"type":"string"}]})";
  EXPECT_EQ(problems(kShapes, R"({"kind":"box","width":"1","height":2})"), R"(width | number | string "1")");
  EXPECT_EQ(problems(kShapes, R"({"kind":"circle"})"), "radius | number (required) | nothing: it is missing");
  EXPECT_EQ(problems(kShapes, R"({"kind":"line","radius":1,"width":1,"height":2})"),
            R"(kind | "circle" or "box" | string "line")");
  EXPECT_EQ(problems(kShapes, "7"), " | object or string | number 7");

  EXPECT_EQ(problems(R"({"anyOf":[{"type":"string"},{"type":"null"}]})", "[]"), " | string or null | array []");
  EXPECT_EQ(problems(R"({"anyOf":[{"type":"array","items":{"type":"string"}},{"type":"string"}]})", "[1]"),
            "[0] | string | number 1");
  EXPECT_EQ(problems(R"({"anyOf":[{"required":["a"]},{"required":["b"]}]})", "{}"),
            " | a: a value (required); or b: a value (required) | none of these");
  EXPECT_EQ(problems(R"({"oneOf":[{"minimum":1},false,{"minimum":2}]})", "3"),
            " | a value that fits exactly one of 3 alternatives | number 3, which fits alternatives 1 and 3");
}

TEST(SchemaText, LongValuesAreCut) {
  const std::string text = problems(R"({"type":"object"})", "\"" + std::string(5000, 'x') + "\"");
  EXPECT_LT(text.size(), 200U);
  EXPECT_TRUE(text.ends_with("xxx…")) << text;
  EXPECT_LT(problems(R"({"type":"string"})", "[" + std::string(100, '[') + std::string(100, ']') + "]").size(), 200U);
  EXPECT_LT(
      problems(R"({"additionalProperties":{"type":"string"}})", R"({")" + std::string(5000, 'k') + R"(":1})").size(),
      300U);
}

TEST(SchemaText, TheModelReadsOneLineForEachProblem) {
  EXPECT_EQ(input_validation_error(std::vector<SchemaProblem>{{"todos[2].status", "one of \"a\"", "string \"b\""},
                                                              {"", "object", "null"}}),
            "InputValidationError: the input does not fit the tool's input schema.\n"
            "- todos[2].status: expected one of \"a\", got string \"b\"\n"
            "- the input itself: expected object, got null");
}

TEST(SchemaText, TheTextForTheModelIsBoundedAndSaysThatThereIsMore) {
  const std::vector<SchemaProblem> many(kSchemaProblemsMax,
                                        {std::string(200, 'p'), std::string(600, 'e'), std::string(600, 'g')});
  const std::string text = input_validation_error(many);
  EXPECT_LT(text.size(), 9000U);
  EXPECT_NE(text.find("\nand 15 more"), std::string::npos) << text.substr(text.size() - 200);
}

}  // namespace
}  // namespace deft
