#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <memory>
#include <string>

#include "deft/testing/places.h"
#include "deft_exec.h"

// Commands of several deft processes of one user: together no more than the settings name.

namespace deft::testing {
namespace {

class CommandsAtOnce : public ::testing::Test {
 protected:
  std::unique_ptr<DeftExec> start(int most) const {
    const std::string settings = R"({"shell":{"commandsAtOnce":)" + std::to_string(most) + "}}";
    return std::make_unique<DeftExec>(
        folder_, ExecSetup{.arguments = {"--permission-mode", "bypassPermissions", "--settings", settings},
                           .environment = {"XDG_STATE_HOME=" + state_.path()}});
  }
  std::size_t begun() const {
    const std::string lines = folder_.bytes("begun").value_or("");
    return static_cast<std::size_t>(std::ranges::count(lines, '\n'));
  }
  static bool waits(const Json& line) { return to_json(line).find("shell.commandsAtOnce") != std::string::npos; }

  static constexpr std::string_view kUntilGo = "echo x >> begun; until test -e go; do sleep 0.01; done";
  const TempFolder folder_;
  const TempFolder state_;
};

TEST_F(CommandsAtOnce, AreNoMoreThanNamedAndWhoIsKilledMakesRoom) {
  auto first = start(2);
  const auto second = start(2), third = start(2);
  first->bash("1", kUntilGo);
  second->bash("2", kUntilGo);
  ASSERT_TRUE(eventually([&] { return begun() == 2; }));
  third->bash("3", kUntilGo);
  third->line("progress", waits);
  EXPECT_EQ(begun(), 2U);
  first->program.send_signal(SIGKILL);
  ASSERT_TRUE(eventually([&] { return begun() == 3; }));
  folder_.put("go", "");
  EXPECT_FALSE(is_error(second->result("2")));
  EXPECT_FALSE(is_error(third->result("3")));
  EXPECT_EQ(second->finish(), 0);
  EXPECT_EQ(third->finish(), 0);
}

TEST_F(CommandsAtOnce, OneThatWaitsIsEndedByAnAbort) {
  const auto first = start(1), second = start(1);
  first->bash("1", kUntilGo);
  ASSERT_TRUE(eventually([&] { return begun() == 1; }));
  second->bash("2", kUntilGo);
  second->line("progress", waits);
  second->send_line(R"({"type":"abort"})");
  EXPECT_TRUE(is_error(second->result("2")));
  EXPECT_EQ(begun(), 1U);
  folder_.put("go", "");
  EXPECT_EQ(first->finish(), 0);
}

TEST_F(CommandsAtOnce, WhatGoesOnInTheBackgroundTakesNobodysPlace) {
  const auto first = start(1), second = start(1);
  first->call("1", "Bash", {{"command", kUntilGo}, {"run_in_background", true}});
  EXPECT_FALSE(is_error(first->result("1")));
  first->bash("2", "echo beside");
  EXPECT_EQ(content(first->result("2")), "beside");
  second->bash("3", "echo elsewhere");
  EXPECT_EQ(content(second->result("3")), "elsewhere");
}

// The outer command holds the only slot and waits for the inner one: for ever, if that had to wait for a slot too.
TEST_F(CommandsAtOnce, ACommandThatIsDeftItselfWaitsForNobody) {
  const auto outer = start(1);
  const std::string inner =
      R"(echo '{"type":"tool_use","id":"i","name":"Bash","input":{"command":"echo inner > inner"}}' | )" +
      std::string(DEFT_PROGRAM) +
      R"( exec --permission-mode bypassPermissions --settings '{"shell":{"commandsAtOnce":1}}')";
  outer->bash("o", inner);
  const Json result = outer->result("o");
  EXPECT_FALSE(is_error(result)) << content(result);
  EXPECT_EQ(folder_.bytes("inner"), "inner\n") << content(result);
}

}  // namespace
}  // namespace deft::testing
