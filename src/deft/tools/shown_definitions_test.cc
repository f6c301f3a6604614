#include "deft/tools/shown_definitions.h"

#include <gtest/gtest.h>

#include "deft/testing/any_session.h"
#include "deft/testing/lambda_tool.h"

namespace deft {
namespace {

const Permissions kNoRules({}, Mode::normal, {});

std::shared_ptr<Tool> tool(std::string name, bool should_defer = false) {
  return std::make_shared<LambdaTool>(LambdaTool::Parts{
      .spec = {.name = std::move(name), .input_schema = any_object_schema(), .should_defer = should_defer},
      .run = [](const Json&, ToolIo&) -> Result<ToolResult> { return ToolResult{}; }});
}

// Says something else whenever it is told to.
class Talker final : public Tool {
 public:
  const ToolSpec& spec() const override { return spec_; }
  std::optional<SharedText> description_now(const SessionState&) const override { return said; }
  Result<ToolResult> run(const Json&, ToolIo&) override { return ToolResult{}; }

  std::optional<SharedText> said;

 private:
  const ToolSpec spec_{.name = "Talker", .description = "as ever", .input_schema = any_object_schema()};
};

TEST(ShownDefinitions, AreTheSameTextAsLongAsNothingHasChanged) {
  ToolRegistry registry;
  ASSERT_TRUE(registry.add(tool("Read")));
  const auto pool = registry.pool(kNoRules);
  const SessionState session;
  ShownDefinitions shown;
  EXPECT_TRUE(shown.update(pool, session));
  const std::string* const text = &shown.text().str();
  EXPECT_EQ(*text, pool->definitions(session));
  EXPECT_FALSE(shown.update(pool, session));
  EXPECT_EQ(&shown.text().str(), text);

  ASSERT_TRUE(registry.add(tool("Write")));
  const auto larger = registry.pool(kNoRules);
  EXPECT_TRUE(shown.update(larger, session));
  EXPECT_EQ(shown.text().str(), larger->definitions(session));
}

TEST(ShownDefinitions, FollowWhatToolsSayOfThemselves) {
  ToolRegistry registry;
  const auto talker = std::make_shared<Talker>();
  ASSERT_TRUE(registry.add(talker));
  const auto pool = registry.pool(kNoRules);
  ShownDefinitions shown;
  ASSERT_TRUE(shown.update(pool, {}));
  EXPECT_EQ(description_of(*talker, {}), "as ever");

  talker->said = "something new";
  EXPECT_EQ(description_of(*talker, {}), "something new");
  EXPECT_TRUE(shown.update(pool, {}));
  EXPECT_NE(shown.text().str().find("something new"), std::string::npos);
  talker->said = "something new";
  EXPECT_FALSE(shown.update(pool, {})) << "the same words";
  talker->said.reset();
  EXPECT_TRUE(shown.update(pool, {}));
  EXPECT_NE(shown.text().str().find("as ever"), std::string::npos);
}

TEST(ShownDefinitions, FollowWhatTheModelHasLoaded) {
  ToolRegistry registry;
  ASSERT_TRUE(registry.add(std::make_shared<LambdaTool>(
      LambdaTool::Parts{.spec = {.name = "Search", .input_schema = any_object_schema(), .finds_tools = true},
                        .run = [](const Json&, ToolIo&) -> Result<ToolResult> { return ToolResult{}; }})));
  ASSERT_TRUE(registry.add(tool("Rare", /*should_defer=*/true)));
  registry.set_deferral({.when = Deferral::When::always});
  const auto pool = registry.pool(kNoRules);
  SessionState session;
  ShownDefinitions shown;
  ASSERT_TRUE(shown.update(pool, session));
  EXPECT_EQ(shown.text().str().find("Rare"), std::string::npos);
  session.tools.loaded = {"Rare"};
  EXPECT_TRUE(shown.update(pool, session));
  EXPECT_NE(shown.text().str().find("Rare"), std::string::npos);
}

}  // namespace
}  // namespace deft
