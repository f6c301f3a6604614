#include "deft/core/agent_type.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace deft {
namespace {

const std::vector<std::string> kNoAliases;

bool may_have(const AgentType& type, std::string_view tool, SubagentPlace place = {}) {
  return may_have_tool(type, {tool, kNoAliases}, place);
}

const AgentType& builtin(std::string_view name) {
  return *std::ranges::find(builtin_agent_types(), name, &AgentType::name);
}

TEST(AgentType, ATypeThatNamesNoToolsHasThoseOfItsParent) {
  const AgentType type{.name = "x", .description = "x"};
  for (const char* tool : {"Read", "Edit", "Bash", "Agent", "mcp__db__query", "OwnTool"}) {
    EXPECT_TRUE(may_have(type, tool)) << tool;
  }
}

TEST(AgentType, WhatTakesTwoOrSpeaksToTheUserIsNeverASubagents) {
  const AgentType type{.name = "x", .description = "x", .tools = std::vector<std::string>{"*"}};
  for (const char* tool : {"AskUserQuestion", "EnterPlanMode", "ExitPlanMode", "TaskOutput", "ScheduleWakeup"}) {
    EXPECT_FALSE(may_have(type, tool)) << tool;
  }
}

TEST(AgentType, OneThatPlansMayHaveItsPlanApproved) {
  const AgentType type{.name = "x", .description = "x"};
  const std::vector<std::string> no_aliases;
  EXPECT_TRUE(may_have_tool(type, {"ExitPlanMode", no_aliases}, {.depth = 1, .plans = true}));
  EXPECT_FALSE(may_have_tool(type, {"EnterPlanMode", no_aliases}, {.depth = 1, .plans = true}));
  EXPECT_FALSE(may_have_tool(type, {"ExitPlanMode", no_aliases}, {.depth = 1, .background = true, .plans = true}));
}

TEST(AgentType, WhatIsDisallowedIsTakenAwayFirst) {
  const AgentType type{.name = "x",
                       .description = "x",
                       .tools = std::vector<std::string>{"Read", "Edit", "mcp__db"},
                       .disallowed_tools = {"Edit", "mcp__db__drop"}};
  EXPECT_TRUE(may_have(type, "Read"));
  EXPECT_FALSE(may_have(type, "Edit"));
  EXPECT_FALSE(may_have(type, "Write"));
  EXPECT_TRUE(may_have(type, "mcp__db__query"));
  EXPECT_FALSE(may_have(type, "mcp__db__drop"));
}

TEST(AgentType, AServerIsNamedAsAWholeAndNotByTheBeginningOfItsName) {
  const ToolName tool{"mcp__database__query", kNoAliases};
  EXPECT_TRUE(names_tool("mcp__database", tool));
  EXPECT_TRUE(names_tool("mcp__database__*", tool));
  EXPECT_TRUE(names_tool("mcp__database__query", tool));
  EXPECT_FALSE(names_tool("mcp__data", tool));
  EXPECT_FALSE(names_tool("mcp__data__*", tool));
  EXPECT_FALSE(names_tool("mcp__database__que", tool));
  EXPECT_FALSE(names_tool("mcp_", tool));
}

TEST(AgentType, AliasesAndOldNamesMeanTheSameTool) {
  const std::vector<std::string> aliases{"Task"};
  EXPECT_TRUE(names_tool("Task", {"Agent", aliases}));
  EXPECT_TRUE(names_tool("Task", {"Agent", kNoAliases}));
  EXPECT_FALSE(names_tool("Tas", {"Agent", aliases}));
}

TEST(AgentType, TheDeepestAgentStartsNoOthers) {
  const AgentType type{.name = "x", .description = "x"};
  EXPECT_TRUE(may_have(type, "Agent", {.depth = kAgentDepthMax - 1}));
  EXPECT_FALSE(may_have(type, "Agent", {.depth = kAgentDepthMax}));
}

TEST(AgentType, InTheBackgroundThereIsNothingThatNeedsSomebodyWaiting) {
  const AgentType type{.name = "x", .description = "x"};
  for (const char* tool : {"Read", "Bash", "Edit", "TodoWrite", "mcp__db__query"}) {
    EXPECT_TRUE(may_have(type, tool, {.background = true})) << tool;
  }
  for (const char* tool : {"Agent", "TaskCreate", "OwnTool"}) EXPECT_FALSE(may_have(type, tool, {.background = true}));
}

TEST(AgentType, ExploreAndPlanOnlyReadAndBashHasAShellAlone) {
  for (const char* name : {"Explore", "Plan"}) {
    EXPECT_TRUE(builtin(name).only_reads);
    EXPECT_TRUE(may_have(builtin(name), "Read"));
    EXPECT_FALSE(may_have(builtin(name), "Edit"));
    EXPECT_FALSE(may_have(builtin(name), "Agent"));
    EXPECT_FALSE(may_have(builtin(name), "mcp__db__query"));  // what a stranger calls reading is not enough
  }
  EXPECT_TRUE(may_have(builtin("Bash"), "Bash"));
  EXPECT_FALSE(may_have(builtin("Bash"), "Read"));
}

TEST(AgentType, EntriesThatMeanOnlyAPartOfAToolAreLeftOutAndTold) {
  const ToolEntries entries = tool_entries({"Read", "Bash(git *)", "Agent(Explore, Plan)", "Edit(src/**"});
  EXPECT_EQ(entries.names, (std::vector<std::string>{"Read", "Agent"}));
  EXPECT_EQ(entries.agents, (std::vector<std::string>{"Explore", "Plan"}));
  EXPECT_EQ(entries.left_out, (std::vector<std::string>{"Bash(git *)", "Edit(src/**"}));
}

TEST(AgentType, NobodyGetsMoreByBeingASubagent) {
  using enum Mode;
  for (const Mode parent : {normal, accept_edits, plan, auto_, dont_ask, bypass}) {
    EXPECT_EQ(subagent_mode(parent, std::nullopt), parent);
    EXPECT_EQ(subagent_mode(parent, bypass), parent);
  }
  for (const Mode parent : {accept_edits, plan, auto_, bypass}) {
    for (const Mode wanted : {normal, accept_edits, plan, auto_, dont_ask}) {
      EXPECT_EQ(subagent_mode(parent, wanted), parent);
    }
  }
  EXPECT_EQ(subagent_mode(normal, accept_edits), accept_edits);
  EXPECT_EQ(subagent_mode(normal, plan), plan);
  EXPECT_EQ(subagent_mode(dont_ask, accept_edits), dont_ask);
  EXPECT_EQ(subagent_mode(dont_ask, normal), dont_ask);
  EXPECT_EQ(subagent_mode(dont_ask, plan), plan);
}

}  // namespace
}  // namespace deft
