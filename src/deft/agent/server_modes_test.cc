#include "deft/agent/server_modes.h"

#include <gtest/gtest.h>

namespace deft {
namespace {

class ServerModesTest : public ::testing::Test {
 protected:
  std::shared_ptr<const Permissions> applied(const std::optional<McpToolName>& its_tool) const {
    return modes.apply(std::make_shared<const Permissions>(setup), its_tool);
  }
  Decision decide(std::optional<RiskOpinion> opinion = std::nullopt) const {
    const Json input = JsonObject{};
    PermissionQuestion question{.tool = "mcp__db__drop", .mcp = tool, .input = &input};
    question.opinion = std::move(opinion);
    return applied(tool)->decide(question);
  }

  PermissionSetup setup{.mode = Mode::bypass, .directory = "/p"};
  ServerModes modes;
  const McpToolName tool{.server = "db", .tool = "drop"};
};

TEST_F(ServerModesTest, AreStricterThanTheModesThatAllowByThemselves) {
  EXPECT_EQ(decide().verdict, Verdict::allow);
  modes.set("other", Mode::normal);
  EXPECT_EQ(decide().verdict, Verdict::allow);
  modes.set("db", Mode::normal);
  EXPECT_EQ(decide({{.is_harmless = true}}).verdict, Verdict::ask);
  modes.set("db", Mode::auto_);
  EXPECT_EQ(decide().verdict, Verdict::ask);
  EXPECT_EQ(decide({{.is_harmless = true}}).verdict, Verdict::allow);
  setup.auto_forbidden = true;
  EXPECT_EQ(decide({{.is_harmless = true}}).verdict, Verdict::ask);
  setup.auto_forbidden = false;
  setup.mode = Mode::auto_;
  modes.set("db", Mode::normal);
  EXPECT_EQ(decide({{.is_harmless = true}}).verdict, Verdict::ask);
  modes.set("db", std::nullopt);
  EXPECT_EQ(decide({{.is_harmless = true}}).verdict, Verdict::allow);
}

TEST_F(ServerModesTest, WidenNothing) {
  for (const Mode said : {Mode::normal, Mode::auto_}) {
    modes.set("db", said);
    for (const Mode mode : {Mode::normal, Mode::accept_edits, Mode::plan, Mode::dont_ask}) {
      setup.mode = mode;
      EXPECT_NE(decide({{.is_harmless = true}}).verdict, Verdict::allow) << to_string(mode);
      EXPECT_EQ(applied(tool)->mode(), mode);
    }
    setup.mode = Mode::bypass;
    PermissionSource denies;
    denies.rules.deny.push_back(*parse_rule("mcp__db"));
    setup.sources = {denies};
    EXPECT_EQ(decide({{.is_harmless = true}}).verdict, Verdict::deny);
    setup.sources.clear();
  }
}

TEST_F(ServerModesTest, AreNotForOtherToolsAndARuleStillAllows) {
  modes.set("db", Mode::normal);
  EXPECT_EQ(applied(std::nullopt)->mode(), Mode::bypass);
  PermissionSource allows;
  allows.rules.allow.push_back(*parse_rule("mcp__db__drop"));
  setup.sources = {allows};
  EXPECT_EQ(decide().verdict, Verdict::allow);
}

}  // namespace
}  // namespace deft
