#include "deft/core/hook_matcher.h"

#include <gtest/gtest.h>

namespace deft {
namespace {

bool matches(std::string_view text, std::string_view subject) {
  return HookMatcher::parse(text).value().matches(subject);
}

TEST(HookMatcher, NothingAndAStarMeanEverySubject) {
  EXPECT_TRUE(HookMatcher().matches("Bash"));
  EXPECT_TRUE(matches("", "Bash"));
  EXPECT_TRUE(matches("*", "mcp__db__query"));
}

TEST(HookMatcher, PlainNamesAreExactAndMayBeAList) {
  EXPECT_TRUE(matches("Edit|Write", "Edit"));
  EXPECT_TRUE(matches("Edit, Write", "Write"));
  EXPECT_FALSE(matches("Edit|Write", "NotebookEdit"));
  EXPECT_FALSE(matches("Bash", "bash"));
  EXPECT_FALSE(matches("mcp__memory", "mcp__memory__store"));
  EXPECT_TRUE(matches("my-agent", "my-agent"));
}

TEST(HookMatcher, AnythingElseIsAnExpressionThatIsFoundAnywhere) {
  EXPECT_TRUE(matches("mcp__memory__.*", "mcp__memory__store"));
  EXPECT_TRUE(matches("Edit.*", "NotebookEdit"));
  EXPECT_FALSE(matches("^Edit$", "NotebookEdit"));
  EXPECT_TRUE(matches("mcp__.*__write.*", "mcp__fs__write_file"));
}

TEST(HookMatcher, AToolsOldNameMeansTheToolOfToday) { EXPECT_TRUE(matches("Task", "Agent")); }

TEST(HookMatcher, AnExpressionThatDoesNotCompileIsAnErrorThatNamesIt) {
  const auto matcher = HookMatcher::parse("Edit(");
  ASSERT_FALSE(matcher);
  EXPECT_TRUE(matcher.error().message.contains("Edit(")) << matcher.error().message;
}

TEST(HookMatcher, AListOfNothingIsNotAListOfEverything) { EXPECT_FALSE(HookMatcher::parse("| ,")); }

TEST(HookMatcher, AnExpressionThatGivesUpMatchesBecauseAHookTooManyIsSafer) {
  EXPECT_TRUE(matches("(a+)+$", std::string(5000, 'a') + "b"));
}

}  // namespace
}  // namespace deft
