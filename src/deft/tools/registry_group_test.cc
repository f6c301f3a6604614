#include <gtest/gtest.h>

#include "deft/testing/any_session.h"
#include "deft/testing/lambda_tool.h"
#include "deft/tools/registry.h"

namespace deft {
namespace {

using Tools = std::vector<std::shared_ptr<Tool>>;
using Names = std::vector<std::string>;

struct Made {
  Origin origin = Origin::mcp;
  bool should_defer = false;
  bool always_load = false;
  bool finds_tools = false;
  std::string description = "d";
  std::vector<std::string> aliases = {};
};

std::shared_ptr<Tool> tool(std::string name, Made made = {}) {
  return std::make_shared<LambdaTool>(
      LambdaTool::Parts{.spec = {.name = std::move(name),
                                 .aliases = made.aliases,
                                 .description = made.description,
                                 .input_schema = any_object_schema(),
                                 .should_defer = made.should_defer,
                                 .always_load = made.always_load,
                                 .finds_tools = made.finds_tools,
                                 .origin = made.origin},
                        .run = [](const Json&, ToolIo&) -> Result<ToolResult> { return ToolResult{}; }});
}
std::shared_ptr<Tool> built_in(std::string name) { return tool(std::move(name), {.origin = Origin::built_in}); }

Names names(const ToolPool& pool) {
  Names found;
  for (const RegisteredTool& entry : pool.advertised()) found.push_back(entry.tool->spec().name);
  return found;
}

Names defined(const ToolPool& pool, const SessionState& session = {}) {
  Names found;
  const Json list = *parse_json(pool.definitions(session));
  for (const Json& one : list.get_array()) {
    const bool is_deferred = find_bool(one, "defer_loading").value_or(false);
    found.push_back(std::string(*find_string(one, "name")) + (is_deferred ? "?" : ""));
  }
  return found;
}

const Permissions kNoRules({}, Mode::normal, {});

// --- groups ---

TEST(ToolGroups, AGroupIsReplacedAsAWhole) {
  ToolRegistry registry;
  ASSERT_TRUE(registry.add(built_in("Read")));
  EXPECT_TRUE(registry.set_group("s", {tool("b"), tool("a")}).empty());
  EXPECT_EQ(names(*registry.pool(kNoRules)), (Names{"Read", "a", "b"}));
  EXPECT_TRUE(registry.set_group("s", {tool("c")}).empty());
  EXPECT_EQ(names(*registry.pool(kNoRules)), (Names{"Read", "c"}));
  EXPECT_TRUE(registry.set_group("s", {}).empty());
  EXPECT_EQ(names(*registry.pool(kNoRules)), Names{"Read"});
}

TEST(ToolGroups, ASnapshotKeepsItsTools) {
  ToolRegistry registry;
  registry.set_group("s", {tool("a")});
  const auto before = registry.pool(kNoRules);
  registry.set_group("s", {});
  EXPECT_NE(before->find("a"), nullptr);
  EXPECT_EQ(registry.pool(kNoRules)->find("a"), nullptr);
}

TEST(ToolGroups, ComeAndGoWithoutMovingABuiltIn) {
  ToolRegistry registry;
  for (const char* name : {"Write", "Bash", "Read"}) ASSERT_TRUE(registry.add(built_in(name)));
  const std::string before = registry.pool(kNoRules)->definitions({});
  registry.set_group("s", {tool("Aaa"), tool("Zzz")});
  const std::string with = registry.pool(kNoRules)->definitions({});
  EXPECT_TRUE(with.starts_with(before.substr(0, before.size() - 1)));
  registry.set_group("s", {});
  EXPECT_EQ(registry.pool(kNoRules)->definitions({}), before);
}

TEST(ToolGroups, NeitherNameNorAliasOfABuiltInCanBeTaken) {
  ToolRegistry registry;
  ASSERT_TRUE(registry.add(tool("Agent", {.origin = Origin::built_in, .aliases = {"Task"}})));
  const auto notices = registry.set_group("s", {tool("Agent"), tool("Task"), built_in("Mine")});
  EXPECT_EQ(notices.size(), 3U);
  const auto pool = registry.pool(kNoRules);
  EXPECT_EQ(names(*pool), Names{"Agent"});
  EXPECT_EQ(pool->find("Task")->tool->spec().name, "Agent");
}

TEST(ToolGroups, ABuiltInThatComesLaterStillWins) {
  ToolRegistry registry;
  registry.set_group("s", {tool("Agent"), tool("Task")});
  ASSERT_TRUE(registry.add(tool("Agent", {.origin = Origin::built_in, .aliases = {"Task"}})));
  const auto pool = registry.pool(kNoRules);
  EXPECT_EQ(pool->find("Agent")->tool->spec().origin, Origin::built_in);
  EXPECT_EQ(pool->find("Task")->tool->spec().name, "Agent");
}

TEST(ToolGroups, OfANameThatTwoHaveTheFirstConfiguredKeepsItAndThatIsSaid) {
  ToolRegistry registry;
  registry.set_group("first", {});
  const auto mine = tool("x");
  registry.set_group("second", {tool("x")});
  const auto notices = registry.set_group("first", {mine});
  ASSERT_EQ(notices.size(), 1U);
  EXPECT_NE(notices[0].find("x of second is not used"), std::string::npos) << notices[0];
  EXPECT_EQ(registry.pool(kNoRules)->find("x")->tool, mine);
  const auto again = registry.set_group("second", {tool("x")});
  ASSERT_EQ(again.size(), 1U);
  EXPECT_NE(again[0].find("x of second is not used"), std::string::npos) << again[0];
  EXPECT_EQ(registry.pool(kNoRules)->find("x")->tool, mine);
}

TEST(ToolGroups, WhatCannotBeUsedIsSaidAndTheRestIsUsed) {
  ToolRegistry registry;
  const auto broken = std::make_shared<LambdaTool>(
      LambdaTool::Parts{.spec = {.name = "broken", .input_schema = JsonObject{{"type", 5}}, .origin = Origin::mcp}});
  const auto notices = registry.set_group("s", {tool("a b"), broken, tool("same"), tool("same"), tool("good")});
  EXPECT_EQ(notices.size(), 3U);
  EXPECT_EQ(names(*registry.pool(kNoRules)), (Names{"good", "same"}));
}

TEST(ToolGroups, AreBounded) {
  ToolRegistry registry;
  Tools many;
  const auto one = tool("t");
  for (std::size_t i = 0; i <= kToolsPerGroupMax; ++i) many.push_back(one);
  EXPECT_NE(registry.set_group("s", many).front().find("only the first"), std::string::npos);
}

// --- what is left out of the prompt ---

ToolRegistry registry_with_search(const Deferral& deferral) {
  ToolRegistry registry;
  registry.set_deferral(deferral);
  EXPECT_TRUE(registry.add(tool("ToolSearch", {.origin = Origin::built_in, .always_load = true, .finds_tools = true})));
  EXPECT_TRUE(registry.add(built_in("Read")));
  EXPECT_TRUE(registry.add(tool("Cron", {.origin = Origin::built_in, .should_defer = true})));
  return registry;
}

TEST(DeferredTools, AreThoseOfServersAndRarelyUsedOnesOnceThereAreTooMany) {
  auto registry = registry_with_search({.when = Deferral::When::when_many, .tools_max = 5});
  registry.set_group("s", {tool("a"), tool("b", {.always_load = true})});
  EXPECT_TRUE(registry.pool(kNoRules)->deferred().empty());
  registry.set_group("t", {tool("c")});
  const auto pool = registry.pool(kNoRules);
  EXPECT_EQ(Names(pool->deferred().begin(), pool->deferred().end()), (Names{"Cron", "a", "c"}));
  EXPECT_EQ(defined(*pool), (Names{"Read", "ToolSearch", "b"}));
  EXPECT_EQ(pool->advertised().size(), 6U);
  EXPECT_NE(pool->find("a"), nullptr);
}

TEST(DeferredTools, AreLeftOutAlsoWhenTheirDefinitionsAreTooLong) {
  auto registry = registry_with_search({.when = Deferral::When::when_many, .characters_max = 5'000});
  registry.set_group("s", {tool("a", {.description = std::string(6'000, 'x')})});
  EXPECT_EQ(defined(*registry.pool(kNoRules)), (Names{"Read", "ToolSearch"}));
}

TEST(DeferredTools, WithoutAToolThatFindsThemNoneIsLeftOut) {
  ToolRegistry registry;
  registry.set_deferral({.when = Deferral::When::always});
  registry.set_group("s", {tool("a")});
  EXPECT_EQ(defined(*registry.pool(kNoRules)), Names{"a"});
  auto denied = registry_with_search({.when = Deferral::When::always});
  denied.set_group("s", {tool("a")});
  const Permissions rules({.deny = {*parse_rule("ToolSearch")}}, Mode::normal, {});
  EXPECT_EQ(defined(*denied.pool(rules)), (Names{"Cron", "Read", "a"}));
}

TEST(DeferredTools, WhereNoneEverIsTheToolThatFindsThemIsNotShown) {
  auto registry = registry_with_search({});
  EXPECT_EQ(names(*registry.pool(kNoRules)), (Names{"Cron", "Read"}));
}

TEST(DeferredTools, WhatIsLoadedFollowsAllOthersInTheOrderOfLoading) {
  auto registry = registry_with_search({.when = Deferral::When::always});
  registry.set_group("s", {tool("a"), tool("b"), tool("c")});
  SessionState session;
  const auto pool = registry.pool(kNoRules);
  const std::string before = pool->definitions(session);
  session.apply(ToolsLoaded{{"c", "gone", "a", "Read"}});
  EXPECT_EQ(defined(*pool, session), (Names{"Read", "ToolSearch", "c", "a"}));
  EXPECT_TRUE(pool->definitions(session).starts_with(before.substr(0, before.size() - 1)));
}

TEST(DeferredTools, WhatTheApiLoadsItselfIsMarkedUntilWhatReferredToItHasLeftTheContext) {
  auto registry = registry_with_search({.when = Deferral::When::always, .by_reference = true});
  registry.set_group("s", {tool("a"), tool("b")});
  SessionState session;
  const auto pool = registry.pool(kNoRules);
  const std::string before = pool->definitions(session);
  EXPECT_EQ(defined(*pool, session), (Names{"Read", "ToolSearch", "Cron?", "a?", "b?"}));
  session.apply(ToolsLoaded{{"b"}});
  EXPECT_EQ(pool->definitions(session), before);
  session.tools.forget_context();
  EXPECT_EQ(defined(*pool, session), (Names{"Read", "ToolSearch", "b", "Cron?", "a?"}));
}

TEST(DeferredTools, WhatTheModelHasSeenIsNotLeftOutLater) {
  auto registry = registry_with_search({.when = Deferral::When::when_many, .tools_max = 4});
  registry.set_group("s", {tool("a")});
  registry.keep_listed(*registry.pool(kNoRules));
  registry.set_group("t", {tool("b"), tool("c")});
  EXPECT_EQ(defined(*registry.pool(kNoRules)), (Names{"Cron", "Read", "ToolSearch", "a"}));
  registry.set_group("t", {});
  registry.set_group("u", {tool("d")});
  EXPECT_EQ(defined(*registry.pool(kNoRules)), (Names{"Cron", "Read", "ToolSearch", "a"})) << "it stays so";
}

}  // namespace
}  // namespace deft
