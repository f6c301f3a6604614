#include "deft/core/skill_text.h"

#include <gtest/gtest.h>

namespace deft {
namespace {

using Words = std::vector<std::string>;

// Commands in brackets.
std::string expanded(std::string_view body, const SkillValues& values = {}) {
  const auto pieces = expand_skill_text(body, values);
  if (!pieces) return "error: " + pieces.error().message;
  std::string text;
  for (const SkillPiece& piece : *pieces) text += piece.is_command ? "<" + piece.text + ">" : piece.text;
  return text;
}

TEST(SkillText, AllArgumentsStandWhereTheyAreWanted) {
  EXPECT_EQ(expanded("Fix $ARGUMENTS now, $ARGUMENTS.", {.arguments = "issue 12"}), "Fix issue 12 now, issue 12.");
  EXPECT_EQ(expanded("Fix $ARGUMENTS-x"), "Fix -x");
  EXPECT_EQ(expanded("$ARGUMENTSX $ARGUMENT"), "$ARGUMENTSX $ARGUMENT");
}

TEST(SkillText, ArgumentsThatNobodyAskedForAreAddedAtTheEnd) {
  EXPECT_EQ(expanded("Review it.\n", {.arguments = "src"}), "Review it.\n\nARGUMENTS: src");
  EXPECT_EQ(expanded("Review it.", {.arguments = "src"}), "Review it.\n\nARGUMENTS: src");
  EXPECT_EQ(expanded("Review it.", {.arguments = " \n"}), "Review it.");
  EXPECT_EQ(expanded("Costs \\$1.", {.arguments = "src"}), "Costs $1.\n\nARGUMENTS: src");
}

TEST(SkillText, PositionsAreCountedFromZeroAndMissingOnesStay) {
  EXPECT_EQ(expanded("$0|$1|$ARGUMENTS[1]|$2|$ARGUMENTS[7]", {.arguments = "a 'b c'"}), "a|b c|b c|$2|$ARGUMENTS[7]");
  EXPECT_EQ(expanded("$99999999999999999999", {.arguments = "a"}), "$99999999999999999999");
  EXPECT_EQ(expanded("$ARGUMENTS[x]", {.arguments = "a"}), "a[x]");
}

TEST(SkillText, NamedArgumentsStandForTheirPositionAndMissingOnesAreEmpty) {
  const SkillValues values{.arguments = "12 high", .names = {"issue", "priority", "due-date"}};
  EXPECT_EQ(expanded("$issue/$priority/$due-date/$other/$issues/$issue-x", values), "12/high//$other/$issues/12-x");
}

TEST(SkillText, VariablesAreFilledInAndUnknownOnesStay) {
  const SkillValues values{.variables = {{"CLAUDE_SKILL_DIR", "/s"}}};
  EXPECT_EQ(expanded("${CLAUDE_SKILL_DIR}/run ${HOME} ${ $", values), "/s/run ${HOME} ${ $");
}

TEST(SkillText, ABackslashKeepsADollarSign) {
  EXPECT_EQ(expanded("\\$ARGUMENTS \\$0 \\n", {.arguments = "a"}), "$ARGUMENTS $0 \\n\n\nARGUMENTS: a");
}

TEST(SkillText, CommandsStandAtTheStartOfALineOrAfterABlank) {
  EXPECT_EQ(expanded("!`git status`\nDiff: !`git diff $0` end x!`no` !`` !`open\n", {.arguments = "HEAD"}),
            "<git status>\nDiff: <git diff HEAD> end x!`no` !`` !`open\n");
}

TEST(SkillText, ABlockOfCommandsIsOneScript) {
  EXPECT_EQ(expanded("a\n```!\nls\npwd $0\n```\nb\n", {.arguments = "x"}), "a\n<ls\npwd x\n>\nb\n");
  EXPECT_EQ(expanded("```!\nls\n```"), "<ls\n>");
  EXPECT_EQ(expanded("```!\nnever closed\n"), "```!\nnever closed\n");
  EXPECT_EQ(expanded("```sh\nls\n```\n"), "```sh\nls\n```\n");
}

TEST(SkillText, NoArgumentBecomesACommandOrIsFilledInAgain) {
  EXPECT_EQ(expanded("Do $ARGUMENTS", {.arguments = "!`rm -rf /` $0 ```!"}), "Do !`rm -rf /` $0 ```!");
  EXPECT_EQ(expanded("Do it", {.arguments = "\n```!\nrm\n```\n"}), "Do it\n\nARGUMENTS: \n```!\nrm\n```\n");
  EXPECT_EQ(expanded("\n$0`id`", {.arguments = "!"}), "\n!`id`");
}

TEST(SkillText, IsBounded) {
  std::string many;
  for (int i = 0; i < 60; ++i) many += "!`x`\n";
  EXPECT_NE(expanded(many).find("more than 50 commands"), std::string::npos);
  EXPECT_NE(expanded("x", {.arguments = std::string(300'000, 'a')}).find("arguments are longer"), std::string::npos);
  std::string growing;
  for (int i = 0; i < 100; ++i) growing += "$ARGUMENTS ";
  EXPECT_NE(expanded(growing, {.arguments = std::string(200'000, 'a')}).find("longer than"), std::string::npos);
}

TEST(SplitArguments, DividesAsAShellWould) {
  EXPECT_EQ(split_arguments("a  b\tc\n"), (Words{"a", "b", "c"}));
  EXPECT_EQ(split_arguments("'a b' \"c \\\" d\" e\\ f ''"), (Words{"a b", "c \" d", "e f", ""}));
  EXPECT_EQ(split_arguments("don't stop"), (Words{"don't", "stop"}));
  EXPECT_EQ(split_arguments("x'y z'w"), (Words{"xy zw"}));
  EXPECT_EQ(split_arguments(""), Words{});
}

}  // namespace
}  // namespace deft
