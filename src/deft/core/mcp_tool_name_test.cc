#include "deft/core/mcp_tool_name.h"

#include <gtest/gtest.h>

#include "deft/core/agent_type.h"
#include "deft/core/hook_choice.h"
#include "deft/core/permission.h"
#include "deft/core/rule_proposal.h"

// Rules, hooks and lists know tools of MCP servers by the stored names of server and tool, never by taking a name
// apart.

namespace deft {
namespace {

const std::string kLong = "find_" + std::string(70, 'x');

McpToolName of(std::string server, std::string tool, bool is_alone = true) {
  return {.server = std::move(server), .tool = std::move(tool), .is_alone = is_alone};
}

Verdict decide(RuleList list, const std::string& rule, const McpToolName& tool, const std::string& api_name = "") {
  PermissionRules rules;
  rules.of(list).push_back(read_rule(rule));
  // What nobody speaks of is asked; to see whether ask matches, all is allowed otherwise.
  if (list != RuleList::allow) rules.allow.push_back(read_rule("mcp__" + tool.server));
  const Json input = JsonObject{};
  const Permissions permissions(std::move(rules), Mode::normal, {"/"});
  return permissions.decide({.tool = api_name.empty() ? tool.plain() : api_name, .mcp = tool, .input = &input}).verdict;
}

bool allows(const std::string& rule, const McpToolName& tool, const std::string& api_name = "") {
  return decide(RuleList::allow, rule, tool, api_name) == Verdict::allow;
}
bool denies(const std::string& rule, const McpToolName& tool, const std::string& api_name = "") {
  const bool denied = decide(RuleList::deny, rule, tool, api_name) == Verdict::deny;
  EXPECT_EQ(denied, decide(RuleList::ask, rule, tool, api_name) == Verdict::ask) << rule;
  PermissionRules rules;
  rules.deny.push_back(read_rule(rule));
  const Permissions permissions(std::move(rules), Mode::normal, {"/"});
  EXPECT_EQ(denied, permissions.forbids_wholly(api_name.empty() ? tool.plain() : api_name, {}, tool)) << rule;
  return denied;
}

TEST(McpRules, ALongNameIsWrittenInFull) {
  const McpToolName tool = of("github", kLong);
  const std::string api_name = tool.plain().substr(0, 55) + "_0123abcd";
  EXPECT_TRUE(allows("mcp__github__" + kLong, tool, api_name));
  EXPECT_TRUE(denies("mcp__github__" + kLong, tool, api_name));
  EXPECT_TRUE(denies(api_name, tool, api_name)) << "by the name that models call it by, too";
  EXPECT_FALSE(allows(api_name, tool, api_name)) << "which may mean another tool tomorrow";
  EXPECT_TRUE(allows("mcp__github__find_*", tool, api_name));
  EXPECT_FALSE(allows("mcp__github__find_", tool, api_name));
}

TEST(McpRules, CharactersThatApisRefuseMayStandInARule) {
  const McpToolName tool = of("srv", "users/get.one");
  EXPECT_TRUE(allows("mcp__srv__users/get.one", tool));
  EXPECT_TRUE(allows("mcp__srv__users_get_one", tool));
  EXPECT_TRUE(denies("mcp__srv__users/get.one", tool));
  EXPECT_TRUE(denies("mcp__srv__users_get_one", tool));
  EXPECT_TRUE(allows("mcp__srv__users/*", tool));
  EXPECT_TRUE(allows("mcp__srv__créer", of("srv", "créer")));
}

TEST(McpRules, OfTwoToolsThatAreWrittenAlikeOnlyTheOneIsAllowedThatIsNamed) {
  const McpToolName dotted = of("srv", "get.user", /*is_alone=*/false);
  const McpToolName plain = of("srv", "get_user");
  EXPECT_TRUE(allows("mcp__srv__get.user", dotted, "mcp__srv__get_user_0123abcd"));
  EXPECT_FALSE(allows("mcp__srv__get_user", dotted, "mcp__srv__get_user_0123abcd"));
  EXPECT_FALSE(allows("mcp__srv__get.user", plain));
  EXPECT_FALSE(allows("mcp__srv__get.*", plain));
  EXPECT_TRUE(allows("mcp__srv__get_*", plain));
  EXPECT_TRUE(denies("mcp__srv__get_user", dotted, "mcp__srv__get_user_0123abcd")) << "in doubt both are denied";
  EXPECT_TRUE(denies("mcp__srv__get.user", plain));
}

TEST(McpRules, AServerIsNotTakenOutOfTheMiddleOfAName) {
  const McpToolName ours = of("a", "b__c");
  const McpToolName theirs = of("a__b", "c");
  ASSERT_EQ(ours.plain(), theirs.plain());
  EXPECT_TRUE(allows("mcp__a", ours));
  EXPECT_FALSE(allows("mcp__a", theirs));
  EXPECT_TRUE(allows("mcp__a__b", theirs));
  EXPECT_FALSE(allows("mcp__a__b", ours));
  EXPECT_TRUE(allows("mcp__a__*", ours));
  EXPECT_FALSE(allows("mcp__a__*", theirs));
  EXPECT_TRUE(allows("mcp__a__b__*", theirs));
  EXPECT_TRUE(denies("mcp__a__b", theirs));
  EXPECT_FALSE(denies("mcp__a__b", ours));
  EXPECT_FALSE(denies("mcp__a", theirs));
}

TEST(McpRules, ServersAndPatterns) {
  const McpToolName tool = of("github", "get_issue");
  for (const char* rule : {"mcp__github", "mcp__github__*", "mcp__github__get_*", "mcp__github__get_issue"}) {
    EXPECT_TRUE(allows(rule, tool)) << rule;
    EXPECT_TRUE(denies(rule, tool)) << rule;
  }
  for (const char* rule : {"mcp__*", "*", "mcp__git*", "MCP__GITHUB", "mcp__github__GET_ISSUE"}) {
    EXPECT_FALSE(allows(rule, tool)) << rule;
    EXPECT_TRUE(denies(rule, tool)) << rule;
  }
  for (const char* rule : {"mcp__git", "mcp__github__", "mcp__github__set_*", "mcp__gitlab", "github", "mcp"}) {
    EXPECT_FALSE(allows(rule, tool)) << rule;
    EXPECT_FALSE(denies(rule, tool)) << rule;
  }
}

TEST(McpRules, AListInOneTextIsNoNameAndAsks) {
  EXPECT_TRUE(read_rule("mcp__a__b, mcp__c__d").problem);
  EXPECT_TRUE(read_rule("mcp__a__b mcp__c").problem);
  EXPECT_TRUE(read_rule("mcp__a\n").problem);
  EXPECT_FALSE(read_rule("mcp__a__b.c/d@e").problem);
}

TEST(McpRules, AParameterOfAnyToolOfTheServer) {
  PermissionRules rules;
  rules.deny.push_back(read_rule("mcp__github(repo:secret)"));
  const Permissions permissions(std::move(rules), Mode::bypass, {"/"});
  const Json input = JsonObject{{"repo", "secret"}};
  const McpToolName tool = of("github", "get_issue");
  EXPECT_EQ(permissions.decide({.tool = tool.plain(), .mcp = tool, .input = &input}).verdict, Verdict::deny);
}

TEST(McpRules, WhatIsProposedIsTheFullName) {
  const Json input = JsonObject{};
  const PermissionSetup setup;
  const auto proposed = [&](const McpToolName& tool) {
    return propose_rules({.tool = "mcp__srv__short_0123abcd", .mcp = tool, .input = &input}, setup);
  };
  EXPECT_EQ(proposed(of("srv", kLong)), std::vector<std::string>{"mcp__srv__" + kLong});
  EXPECT_EQ(proposed(of("srv", "a.b")), std::vector<std::string>{"mcp__srv__a.b"});
  EXPECT_EQ(proposed(of("srv", "a b(c)")), std::vector<std::string>{"mcp__srv__a_b_c_"});
}

TEST(McpHooks, MatchersKnowAToolByEachOfItsNames) {
  const McpToolName tool = of("srv", "get." + kLong);
  const std::string full = tool.full();
  const ToolCall call{.id = "1", .name = full, .input = JsonObject{}};
  const auto runs = [&](std::string_view matcher, std::string_view condition = "") {
    HookConfig config;
    JsonObject hook{{"type", "command"}, {"command", "true"}};
    if (!condition.empty()) hook["if"] = condition;
    add_hooks(JsonObject{{"PreToolUse", {{{"matcher", matcher}, {"hooks", {hook}}}}}}, SettingSource::user, "", config);
    EXPECT_TRUE(config.problems.empty());
    return !choose_hooks(config, HookEvent::pre_tool_use,
                         {.name = full, .call = &call, .mcp = tool, .api_name = "mcp__srv__short_0123abcd"})
                .empty();
  };
  EXPECT_TRUE(runs("mcp__srv__get\\." + kLong));
  EXPECT_TRUE(runs("mcp__srv__get_" + kLong));
  EXPECT_TRUE(runs("mcp__srv__short_0123abcd"));
  EXPECT_TRUE(runs("mcp__srv__.*"));
  EXPECT_FALSE(runs("mcp__srv"));
  EXPECT_TRUE(runs("*", "mcp__srv"));
  EXPECT_TRUE(runs("*", full));
  EXPECT_FALSE(runs("*", "mcp__other"));
}

TEST(McpAgentTypes, ListsOfToolsGoByTheStoredNames) {
  const std::vector<std::string> none;
  const McpToolName theirs = of("a__b", "c");
  const ToolName tool{"mcp__a__b__c", none, &theirs};
  for (const char* entry : {"*", "mcp__*", "mcp__a__b", "mcp__a__b__*", "mcp__a__b__c"}) {
    EXPECT_TRUE(names_tool(entry, tool)) << entry;
  }
  for (const char* entry : {"mcp__a", "mcp__a__*", "mcp", "mcp__a__b__"})
    EXPECT_FALSE(names_tool(entry, tool)) << entry;
}

}  // namespace
}  // namespace deft
