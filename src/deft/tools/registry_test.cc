#include "deft/tools/registry.h"

#include <gtest/gtest.h>

#include "deft/testing/any_session.h"
#include "deft/testing/lambda_tool.h"

namespace deft {
namespace {

std::shared_ptr<Tool> tool(std::string name, Origin origin = Origin::built_in, std::vector<std::string> aliases = {}) {
  return std::make_shared<LambdaTool>(
      LambdaTool::Parts{.spec = {.name = std::move(name),
                                 .aliases = std::move(aliases),
                                 .input_schema = any_object_schema(),
                                 .origin = origin},
                        .run = [](const Json&, ToolIo&) -> Result<ToolResult> { return ToolResult{}; }});
}

std::vector<std::string> names(const ToolPool& pool) {
  std::vector<std::string> found;
  for (const RegisteredTool& entry : pool.advertised()) found.push_back(entry.tool->spec().name);
  return found;
}

const Permissions kNoRules({}, Mode::normal, {});

TEST(ToolPool, AddingAServersToolsMovesNoBuiltIn) {
  ToolRegistry registry;
  for (const char* name : {"Write", "Read", "Bash"}) ASSERT_TRUE(registry.add(tool(name)));
  const std::string before = registry.pool(kNoRules)->definitions({});
  ASSERT_TRUE(registry.add(tool("Aaa", Origin::mcp)));
  ASSERT_TRUE(registry.add(tool("Read", Origin::mcp)));
  const auto pool = registry.pool(kNoRules);
  EXPECT_EQ(names(*pool), (std::vector<std::string>{"Bash", "Read", "Write", "Aaa"}));
  EXPECT_EQ(pool->find("Read")->tool->spec().origin, Origin::built_in);
  EXPECT_TRUE(pool->definitions({}).starts_with(before.substr(0, before.size() - 1)));
  EXPECT_EQ(pool->definitions({}), registry.pool(kNoRules)->definitions({}));
}

TEST(ToolPool, ForbiddenAndDisabledToolsAreNotShownButAreFound) {
  ToolRegistry registry;
  ASSERT_TRUE(registry.add(tool("Bash")));
  ASSERT_TRUE(registry.add(tool("Agent", Origin::built_in, {"Task"})));
  ASSERT_TRUE(registry.add(std::make_shared<LambdaTool>(
      LambdaTool::Parts{.spec = {.name = "Off", .input_schema = any_object_schema()},
                        .run = [](const Json&, ToolIo&) -> Result<ToolResult> { return ToolResult{}; },
                        .disabled = [] { return std::optional<std::string>("no pwsh here"); }})));
  const Permissions rules({.deny = {*parse_rule("Task"), *parse_rule("Bash(rm *)")}}, Mode::normal, {});
  const auto pool = registry.pool(rules);
  EXPECT_EQ(names(*pool), std::vector<std::string>{"Bash"});
  EXPECT_NE(pool->find("Task"), nullptr);
  EXPECT_NE(pool->find("Off"), nullptr);
  EXPECT_EQ(pool->find("task"), nullptr);
}

TEST(ToolPool, ASnapshotDoesNotChange) {
  ToolRegistry registry;
  ASSERT_TRUE(registry.add(tool("Read")));
  const auto pool = registry.pool(kNoRules);
  ASSERT_TRUE(registry.add(tool("Write")));
  EXPECT_EQ(pool->find("Write"), nullptr);
}

TEST(ToolRegistry, RefusesNamesAndSchemasThatNobodyCouldUse) {
  ToolRegistry registry;
  for (const std::string& name : {std::string(""), std::string("a b"), std::string("a/b"), std::string(129, 'x')}) {
    EXPECT_FALSE(registry.add(tool(name))) << name;
  }
  auto broken =
      std::make_shared<LambdaTool>(LambdaTool::Parts{.spec = {.name = "A", .input_schema = JsonObject{{"type", 5}}}});
  EXPECT_EQ(registry.add(broken).error().code, Errc::invalid_input);
}

TEST(ToolContract, WhatIsNotDeclaredIsTheSafeAnswer) {
  const auto plain = tool("Plain");
  const Json input = JsonObject();
  EXPECT_FALSE(plain->is_read_only(input, any_session()));
  EXPECT_FALSE(plain->is_concurrency_safe(input, any_session()));
  EXPECT_FALSE(plain->footprint(input, any_session()));
  EXPECT_FALSE(plain->is_session_only(input));
  EXPECT_FALSE(plain->makes_calls());
  EXPECT_EQ(plain->spec().on_interrupt, OnInterrupt::block);
  EXPECT_FALSE(plain->spec().failure_cancels_siblings);
  EXPECT_EQ(plain->spec().result_characters_max, 30'000U);
  EXPECT_EQ(plain->classifier_text(JsonObject{{"a", 1}}), "{\"a\":1}");
  EXPECT_TRUE(plain->matches_rule(JsonObject{{"a", 1}}, "{\"a\":1}"));
  EXPECT_FALSE(plain->matches_rule(JsonObject{{"a", 1}}, "*"));
}

}  // namespace
}  // namespace deft
