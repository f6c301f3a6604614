#include "deft/base/ignore.h"

#include <gtest/gtest.h>

#include <array>
#include <set>

#include "deft/testing/run_command.h"
#include "deft/testing/sim_random.h"
#include "deft/testing/split.h"
#include "deft/testing/temp_folder.h"

namespace deft {
namespace {

using V = IgnoreVerdict;
constexpr bool kFile = false;
constexpr bool kFolder = true;

V verdict(std::string_view rules, std::string_view path, bool is_folder = kFile) {
  return IgnoreFile::parse(rules).match(path, is_folder);
}

TEST(IgnoreFile, ANameIsIgnoredAtAnyDepthAndAPathOnlyWhereItIs) {
  EXPECT_EQ(verdict("foo", "foo"), V::ignored);
  EXPECT_EQ(verdict("foo", "a/b/foo"), V::ignored);
  EXPECT_EQ(verdict("foo", "foobar"), V::no_rule);
  EXPECT_EQ(verdict("/foo", "foo"), V::ignored);
  EXPECT_EQ(verdict("/foo", "a/foo"), V::no_rule);
  EXPECT_EQ(verdict("a/foo", "a/foo"), V::ignored);
  EXPECT_EQ(verdict("a/foo", "b/a/foo"), V::no_rule);
  EXPECT_EQ(verdict("**/a/foo", "b/a/foo"), V::ignored);
  EXPECT_EQ(verdict("*.o", "a/b/x.o"), V::ignored);
  EXPECT_EQ(verdict("a/*.o", "a/x.o"), V::ignored);
  EXPECT_EQ(verdict("a/*.o", "a/b/x.o"), V::no_rule);
  EXPECT_EQ(verdict("*.tar.gz", "x.tar.gz"), V::ignored);
  EXPECT_EQ(verdict("*.gz", "x.tar.gz"), V::ignored);
}

TEST(IgnoreFile, BracesAreLetters) {
  EXPECT_EQ(verdict("{main,x}.js", "x.js"), V::no_rule);
  EXPECT_EQ(verdict("{main,x}.js", "{main,x}.js"), V::ignored);
  EXPECT_EQ(verdict("*.py{}", "a.py"), V::no_rule);
}

TEST(IgnoreFile, ASlashAtTheEndMeansFoldersOnly) {
  EXPECT_EQ(verdict("build/", "build", kFolder), V::ignored);
  EXPECT_EQ(verdict("build/", "build", kFile), V::no_rule);
  EXPECT_EQ(verdict("build/", "a/build", kFolder), V::ignored);
  EXPECT_EQ(verdict("*.d/", "x.d", kFile), V::no_rule);
}

TEST(IgnoreFile, TheLastRuleThatMatchesDecides) {
  EXPECT_EQ(verdict("*.o\n!keep.o", "keep.o"), V::kept);
  EXPECT_EQ(verdict("!keep.o\n*.o", "keep.o"), V::ignored);
  EXPECT_EQ(verdict("*.o\n!k*\nkeep.o", "keep.o"), V::ignored);
  EXPECT_EQ(verdict("*\n!a/\n!*.c", "x.c"), V::kept);
  EXPECT_EQ(verdict("foo\n!foo/", "foo", kFolder), V::kept);
  EXPECT_EQ(verdict("foo\n!foo/", "foo", kFile), V::ignored);
}

TEST(IgnoreFile, CommentsBlanksAndEscapesAreReadAsGitDoes) {
  EXPECT_EQ(verdict("# foo\n\n   \nfoo", "foo"), V::ignored);
  EXPECT_EQ(verdict("#foo", "#foo"), V::no_rule);
  EXPECT_EQ(verdict("\\#foo", "#foo"), V::ignored);
  EXPECT_EQ(verdict("\\!foo", "!foo"), V::ignored);
  EXPECT_EQ(verdict("foo   ", "foo"), V::ignored);
  EXPECT_EQ(verdict("foo\\ ", "foo "), V::ignored);
  EXPECT_EQ(verdict("foo\\ \\ ", "foo  "), V::ignored);
  EXPECT_EQ(verdict(" foo", " foo"), V::ignored);
  EXPECT_EQ(verdict("foo\r\nbar\r\n", "foo"), V::ignored);
  EXPECT_EQ(verdict("\xEF\xBB\xBF"
                    "foo",
                    "foo"),
            V::ignored);
  EXPECT_EQ(verdict("fo\\o", "foo"), V::ignored);
  EXPECT_EQ(verdict("foo\\", "foo"), V::no_rule);
  EXPECT_EQ(verdict("a[b", "a[b"), V::no_rule);  // never closed: matches nothing
  EXPECT_EQ(verdict("/", "a", kFolder), V::no_rule);
  EXPECT_TRUE(IgnoreFile::parse("# nothing\n\n").is_empty());
}

// ---- random rules and paths, against git itself

constexpr std::array<std::string_view, 8> kNames = {"a", "b", "foo", "foo.o", "x.c", ".h", "a b", "foo "};

std::string random_rule(sim::Random& random) {
  static constexpr std::array<std::string_view, 30> kPieces = {
      "a",   "b",     "foo",  "foo.o", "x.c", "*",     "*.o",         "?",   "[ab]", "[!a]",
      "**",  "f*",    "*o",   ".h",    "\\a", "a\\ b", "foo\\ ",      "*.c", "[]a]", "[a-f]*",
      "***", "{a,b}", "**.o", "f?o",   "\\*", "[",     "[[:alpha:]]", "\\",  "[a-",  "a b"};
  std::string rule;
  if (random.chance(20)) rule += "!";
  if (random.chance(20)) rule += "/";
  for (std::size_t parts = random.below(3) + 1; parts > 0; --parts) {
    rule += kPieces[random.below(kPieces.size())];
    if (random.chance(10)) rule += kPieces[random.below(kPieces.size())];
    if (parts > 1) rule += "/";
  }
  if (random.chance(20)) rule += "/";
  if (random.chance(10)) rule += "  ";
  if (random.chance(3)) rule = "#" + rule;
  if (random.chance(3)) rule += "\r";
  return rule;
}

// Itself, or because of a folder that it is in.
bool is_ignored(const IgnoreFile& rules, const std::string& path) {
  for (std::size_t slash = path.find('/'); slash != std::string::npos; slash = path.find('/', slash + 1)) {
    if (rules.match(path.substr(0, slash), kFolder) == V::ignored) return true;
  }
  return rules.match(path, kFile) == V::ignored;
}

std::set<std::string> split_at_zeros(const std::string& text) {
  const auto parts = testing::split(text, '\0');
  return {parts.begin(), parts.end()};
}

TEST(IgnoreFile, AgreesWithGitOnRandomRules) {
  const TempFolder folder;
  ASSERT_EQ(testing::run_command({"git", "init", "-q"}, folder.path(), "git").exit_code, 0);
  std::string asked;  // up to three levels deep
  const auto plant = [&](const std::string& path) {
    folder.put(path, "");
    asked += path + '\0';
  };
  for (const auto first : kNames) {
    plant(std::string(first) + ".f");
    for (const auto second : kNames) {
      plant(std::string(first) + "/" + std::string(second) + ".f");
      for (const auto third : kNames) {
        plant(std::string(first) + "/" + std::string(second) + "/" + std::string(third));
      }
    }
  }
  const std::set<std::string> paths = split_at_zeros(asked);
  sim::Random random(5);
  for (int round = 0; round < 80; ++round) {
    std::string text;
    for (std::size_t i = random.below(6) + 1; i > 0; --i) text += random_rule(random) + "\n";
    folder.put(".gitignore", text);
    const auto answer = testing::run_command({"git", "check-ignore", "--stdin", "-z"}, folder.path(), "git", asked);
    const std::set<std::string> expected = split_at_zeros(answer.output);
    const IgnoreFile rules = IgnoreFile::parse(text);
    for (const std::string& path : paths) {
      ASSERT_EQ(is_ignored(rules, path), expected.contains(path)) << path << " by " << ::testing::PrintToString(text);
    }
  }
}

}  // namespace
}  // namespace deft
