#include "deft/tools/tool_search.h"

#include <gtest/gtest.h>

#include "deft/testing/fake_files.h"
#include "deft/testing/lambda_tool.h"
#include "deft/testing/tool_bench.h"
#include "deft/tools/registry.h"

namespace deft {
namespace {

const Permissions kNoRules({}, Mode::normal, {});

std::shared_ptr<const ToolPool> pool_with(std::vector<std::string> names, bool by_reference = false) {
  ToolRegistry registry;
  registry.set_deferral({.when = Deferral::When::always, .by_reference = by_reference});
  EXPECT_TRUE(registry.add(make_tool_search_tool()));
  EXPECT_TRUE(registry.add(std::make_shared<LambdaTool>(
      LambdaTool::Parts{.spec = {.name = "Read", .description = "Reads", .input_schema = any_object_schema()}})));
  std::vector<std::shared_ptr<Tool>> tools;
  for (std::string& name : names) {
    tools.push_back(std::make_shared<LambdaTool>(LambdaTool::Parts{
        .spec = {
            .name = std::move(name), .description = "d", .input_schema = any_object_schema(), .origin = Origin::mcp}}));
  }
  registry.set_group("s", std::move(tools));
  return registry.pool(kNoRules);
}

ToolResult search(std::shared_ptr<const ToolPool> pool, std::string query, std::optional<int> count = {}) {
  static const SessionState state{.working_directory = "/", .directories = {"/"}};
  const SessionView view(state, {});
  FakeFiles files;
  NoProcesses processes;
  SystemClock clock;
  ToolIo io{.os = {files, processes, clock},
            .session = view,
            .stop = {},
            .progress = [](const Json&) {},
            .pool = std::move(pool)};
  JsonObject input{{"query", query}};
  if (count) input["max_results"] = *count;
  auto result = make_tool_search_tool()->run(input, io);
  EXPECT_TRUE(result);
  return std::move(*result);
}

std::vector<std::string> loaded(const ToolResult& result) {
  for (const Modifier& modifier : result.modifiers) {
    if (const auto* more = std::get_if<ToolsLoaded>(&modifier)) return more->names;
  }
  return {};
}

using Names = std::vector<std::string>;

TEST(ToolSearch, LoadsWhatItIsToldToByName) {
  const ToolResult result = search(pool_with({"mcp__a__x", "mcp__a__y"}), "select:mcp__a__y,MCP__A__X,Read");
  EXPECT_EQ(loaded(result), (Names{"mcp__a__y", "mcp__a__x"}));
  EXPECT_NE(result.text.find("Loaded: mcp__a__y, mcp__a__x, Read"), std::string::npos) << result.text;
}

TEST(ToolSearch, SaysWhichNamesAreNone) {
  const ToolResult result = search(pool_with({"mcp__a__x"}), "select:mcp__a__x,nothing");
  EXPECT_EQ(loaded(result), Names{"mcp__a__x"});
  EXPECT_NE(result.text.find("No such tool: nothing"), std::string::npos) << result.text;
}

TEST(ToolSearch, FindsByWordsNoMoreThanAskedFor) {
  std::vector<std::string> names;
  for (int i = 0; i < 9; ++i) names.push_back("mcp__mail__send" + std::to_string(i));
  EXPECT_EQ(loaded(search(pool_with(names), "send")).size(), 5U);
  EXPECT_EQ(loaded(search(pool_with(names), "+mail", 2)).size(), 2U);
  EXPECT_EQ(search(pool_with(names), "xyzzy").text,
            "No tool matches, of 9 that are not loaded. Try fewer or other words.");
}

TEST(ToolSearch, RefersToWhatTheApiLoadsItself) {
  const ToolResult result = search(pool_with({"mcp__a__x"}, true), "select:mcp__a__x");
  EXPECT_TRUE(result.text.empty());
  ASSERT_EQ(result.blocks.size(), 1U);
  EXPECT_EQ(to_json(result.blocks[0]), R"({"type":"tool_reference","tool_name":"mcp__a__x"})");
  EXPECT_EQ(loaded(result), Names{"mcp__a__x"});
}

}  // namespace
}  // namespace deft
