#include "deft/base/git_config.h"

#include <gtest/gtest.h>

namespace deft {
namespace {

std::string excludes(std::string_view text) { return git_config_value(text, "core", "excludesFile").value_or("none"); }

TEST(GitConfig, FindsTheValueOfAKey) {
  EXPECT_EQ(excludes("[core]\n\texcludesFile = ~/.ignore\n"), "~/.ignore");
  EXPECT_EQ(excludes("[CORE]\nExcludesFILE=/x\n"), "/x");
  EXPECT_EQ(excludes("[user]\nexcludesFile = /x\n[core]\nother = 1\n"), "none");
  EXPECT_EQ(excludes("[core]\nexcludesFile = /a\n[user]\nname = x\n[core]\nexcludesFile = /b\n"), "/b");
  EXPECT_EQ(excludes("[core] excludesFile = /x"), "/x");
  EXPECT_EQ(excludes("[core \"sub\"]\nexcludesFile = /x"), "none");
  EXPECT_EQ(excludes(""), "none");
  EXPECT_EQ(excludes("[core\nexcludesFile = /x"), "none");
}

TEST(GitConfig, QuotesEscapesAndCommentsAreUnderstood) {
  EXPECT_EQ(excludes("[core]\nexcludesFile = /a b  # comment\n"), "/a b");
  EXPECT_EQ(excludes("[core]\nexcludesFile = \"/a # b \" ; comment\n"), "/a # b ");
  EXPECT_EQ(excludes("[core]\nexcludesFile = /a\\\\b\\\"c\r\n"), "/a\\b\"c");
  EXPECT_EQ(excludes("# [core]\n; excludesFile = /x\n"), "none");
}

}  // namespace
}  // namespace deft
