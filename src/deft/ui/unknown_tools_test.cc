#include "deft/ui/unknown_tools.h"

#include <gtest/gtest.h>

namespace deft {
namespace {

using Texts = std::vector<std::string>;

Texts told(std::vector<Rule> deny, std::vector<Rule> ask = {}, std::optional<Texts> chosen = std::nullopt) {
  const PermissionSource source{
      .rules = {.allow = {read_rule("Wriet")}, .ask = std::move(ask), .deny = std::move(deny)},
      .origin = "settings.json"};
  return notices_of_unknown_tools({source}, chosen, {"Agent", "Bash", "Read", "Write"});
}

TEST(UnknownTools, ARuleThatForbidsNothingIsNamedWithWhatMayBeMeant) {
  EXPECT_EQ(
      told({read_rule("Bahs(rm:*)")}),
      Texts{R"x(settings.json: the rule "Bahs(rm:*)" is about nothing: there is no tool "Bahs"; is Bash meant?)x"});
  EXPECT_EQ(told({}, {read_rule("Frobnicate")}),
            Texts{R"x(settings.json: the rule "Frobnicate" is about nothing: there is no tool "Frobnicate")x"});
}

TEST(UnknownTools, ToolsOfOursOfServersAndOfOtherProgramsAreFine) {
  EXPECT_EQ(told({read_rule("Bash"), read_rule("Task(Explore)"), read_rule("mcp__db"), read_rule("*"),
                  read_rule("Web*"), read_rule("my_tool"), read_rule("MultiEdit"), read_rule("Bash(")}),
            Texts{});
}

TEST(UnknownTools, WordsOfToolsAreJudgedToo) {
  EXPECT_EQ(told({}, {}, Texts{"Raed", "Bash"}), Texts{R"(--tools: there is no tool "Raed"; is Read meant?)"});
  EXPECT_EQ(told({}, {}, Texts{}), Texts{});
}

}  // namespace
}  // namespace deft
