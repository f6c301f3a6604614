#include "deft/mcp/http_headers.h"

#include <gtest/gtest.h>

namespace deft {
namespace {

Json schema_with(JsonObject properties) {
  return JsonObject{{"type", "object"}, {"properties", std::move(properties)}};
}

std::string problem(JsonObject properties) {
  const auto headers = param_headers(schema_with(std::move(properties)));
  return headers ? "" : headers.error().message;
}

TEST(McpHeaders, PlainTextStandsForItself) {
  EXPECT_EQ(header_value("us-west1"), "us-west1");
  EXPECT_EQ(header_value("us west 1"), "us west 1");
}

TEST(McpHeaders, WhatWouldBeChangedOnItsWayIsEncoded) {
  EXPECT_EQ(header_value(""),
            "=?base64?"
            "?=")
      << "an empty header is dropped by many";
  EXPECT_EQ(header_value(" padded "), "=?base64?IHBhZGRlZCA=?=");
  EXPECT_EQ(header_value("a\nb"), "=?base64?YQpi?=");
  EXPECT_EQ(header_value("\u00e9"), "=?base64?w6k=?=");
  EXPECT_EQ(header_value("=?base64?YQ==?="), "=?base64?PT9iYXNlNjQ/WVE9PT89?=") << "nor may it look encoded";
}

TEST(McpHeaders, ArgumentsThatAreAnnotatedHaveAHeader) {
  const auto headers = param_headers(schema_with({{"region", {{"type", "string"}, {"x-mcp-header", "Region"}}},
                                                  {"count", {{"type", "integer"}, {"x-mcp-header", "Count"}}},
                                                  {"on", {{"type", "boolean"}, {"x-mcp-header", "On"}}},
                                                  {"query", {{"type", "string"}}}}));
  ASSERT_TRUE(headers);
  const HttpHeaders values =
      param_header_values(*headers, JsonObject{{"region", "eu"}, {"count", 3}, {"on", nullptr}, {"query", "q"}});
  EXPECT_EQ(values, (HttpHeaders{{"Mcp-Param-Region", "eu"}, {"Mcp-Param-Count", "3"}}));
}

TEST(McpHeaders, AnAnnotationCountsHoweverDeepTheArgumentStands) {
  const auto headers =
      param_headers(schema_with({{"where", schema_with({{"items", {{"type", "string"}, {"x-mcp-header", "Place"}}},
                                                        {"more", {{"type", "string"}}}})}}));
  ASSERT_TRUE(headers);
  EXPECT_EQ(param_header_values(*headers, JsonObject{{"where", {{"items", "eu"}, {"more", "x"}}}}),
            (HttpHeaders{{"Mcp-Param-Place", "eu"}}));
  EXPECT_EQ(param_header_values(*headers, JsonObject{{"where", nullptr}}), HttpHeaders{});
  EXPECT_EQ(param_header_values(*headers, JsonObject{{"where", "eu"}}), HttpHeaders{});
}

TEST(McpHeaders, AnAnnotationThatMeansNoArgumentIsRefused) {
  const Json marked = JsonObject{{"type", "string"}, {"x-mcp-header", "A"}};
  EXPECT_EQ(problem({{"list", {{"type", "array"}, {"items", marked}}}}),
            "x-mcp-header of \"list\" stands where it means no argument");
  EXPECT_NE(problem({{"a", {{"anyOf", {marked, {{"type", "null"}}}}}}}), "");
  EXPECT_NE(problem({{"a", {{"additionalProperties", marked}}}}), "");
  EXPECT_FALSE(param_headers(JsonObject{{"type", "object"}, {"$defs", {{"region", marked}}}}));
  EXPECT_FALSE(param_headers(JsonObject{{"type", "object"}, {"x-mcp-header", "A"}}));
  EXPECT_EQ(problem({{"a", {{"type", "object"}, {"default", marked}}}}), "") << "a value is no schema";
}

TEST(McpHeaders, AnnotationsAgainstTheRulesAreRefused) {
  EXPECT_NE(problem({{"a", {{"type", "string"}, {"x-mcp-header", ""}}}}), "");
  EXPECT_NE(problem({{"a", {{"type", "string"}, {"x-mcp-header", "My Header"}}}}), "");
  EXPECT_NE(problem({{"a", {{"type", "string"}, {"x-mcp-header", "A:B"}}}}), "");
  EXPECT_NE(problem({{"a", {{"type", "string"}, {"x-mcp-header", 5}}}}), "");
  EXPECT_NE(problem({{"a", {{"type", "number"}, {"x-mcp-header", "A"}}}}), "");
  EXPECT_NE(problem({{"a", {{"type", "object"}, {"x-mcp-header", "A"}}}}), "");
  EXPECT_EQ(
      problem({{"a", {{"type", "string"}, {"x-mcp-header", "A"}}}, {"b", {{"type", "string"}, {"x-mcp-header", "a"}}}}),
      "x-mcp-header of \"b\" stands twice");
}

TEST(McpHeaders, RequestsNameTheirMethodAndWhatTheyAreAbout) {
  const Json tool = JsonObject{{"name", "echo"}};
  const Json resource = JsonObject{{"uri", "file:///a b"}};
  EXPECT_EQ(standard_headers("tools/call", &tool), (HttpHeaders{{"Mcp-Method", "tools/call"}, {"Mcp-Name", "echo"}}));
  EXPECT_EQ(standard_headers("resources/read", &resource),
            (HttpHeaders{{"Mcp-Method", "resources/read"}, {"Mcp-Name", "file:///a b"}}));
  EXPECT_EQ(standard_headers("tools/list", &tool), (HttpHeaders{{"Mcp-Method", "tools/list"}}));
  const Json task = JsonObject{{"taskId", "t"}};
  EXPECT_EQ(standard_headers("tasks/get", &task), (HttpHeaders{{"Mcp-Method", "tasks/get"}, {"Mcp-Name", "t"}}));
  EXPECT_EQ(standard_headers("tasks/result", &task), (HttpHeaders{{"Mcp-Method", "tasks/result"}}));
}

}  // namespace
}  // namespace deft
