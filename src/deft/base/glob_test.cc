#include "deft/base/glob.h"

#include <fnmatch.h>
#include <gtest/gtest.h>

#include "deft/testing/sim_random.h"

namespace deft {
namespace {

constexpr Glob::Syntax kGit = {.braces = false, .characters = false};

bool matches(std::string_view pattern, std::string_view path, Glob::Syntax syntax = {}) {
  const auto glob = Glob::compile(pattern, syntax);
  EXPECT_TRUE(glob) << pattern << ": " << glob.error().message;
  return glob && glob->matches(path);
}

std::string problem(std::string_view pattern) {
  const auto glob = Glob::compile(pattern);
  return glob ? "no error" : glob.error().message;
}

TEST(Glob, StarsAndQuestionMarksStayWithinAName) {
  EXPECT_TRUE(matches("*.cc", "a.cc"));
  EXPECT_TRUE(matches("*.cc", ".cc"));
  EXPECT_FALSE(matches("*.cc", "src/a.cc"));
  EXPECT_FALSE(matches("*.cc", "a.cc.orig"));
  EXPECT_TRUE(matches("src/*/x", "src/a/x"));
  EXPECT_FALSE(matches("src/*/x", "src/a/b/x"));
  EXPECT_FALSE(matches("src/*/x", "src/x"));
  EXPECT_TRUE(matches("a?c", "abc"));
  EXPECT_TRUE(matches("a?c", "aéc"));
  EXPECT_TRUE(matches("a?c",
                      "a\xFF"
                      "c"));
  EXPECT_FALSE(matches("a?c", "a/c"));
  EXPECT_FALSE(matches("a?c", "ac"));
  EXPECT_TRUE(matches("", ""));
  EXPECT_FALSE(matches("", "a"));
}

TEST(Glob, BytesThatAreNoCharactersStandForThemselves) {
  EXPECT_TRUE(matches("a\xE9*", "a\xE9.c"));
  EXPECT_FALSE(matches("a\xE9", "aé"));  // which is U+00E9
  EXPECT_FALSE(matches("aé", "a\xE9"));
}

TEST(Glob, TwoStarsStandForFolders) {
  for (const char* path : {"x.h", "a/x.h", "a/b/x.h"}) EXPECT_TRUE(matches("**/*.h", path)) << path;
  for (const char* path : {"src/x.h", "src/a/x.h", "src/a/b/x.h"}) EXPECT_TRUE(matches("src/**/*.h", path)) << path;
  EXPECT_FALSE(matches("src/**/*.h", "other/x.h"));
  EXPECT_FALSE(matches("src/**/*.h", "src.h"));
  EXPECT_TRUE(matches("src/**", "src/a"));
  EXPECT_TRUE(matches("src/**", "src/a/b"));
  EXPECT_FALSE(matches("src/**", "src"));
  EXPECT_TRUE(matches("**", "a/b"));
  EXPECT_TRUE(matches("a/**/b/**/c", "a/b/c"));
  EXPECT_TRUE(matches("a/**/b/**/c", "a/x/b/y/z/c"));
  EXPECT_FALSE(matches("a/**/b/**/c", "a/x/c"));
  EXPECT_FALSE(matches("a**/b", "a/x/b"));  // not a whole name, so an ordinary star
  EXPECT_TRUE(matches("a**/b", "axx/b"));
  EXPECT_TRUE(matches("**b", "xb"));
  EXPECT_FALSE(matches("**b", "x/b"));
  EXPECT_TRUE(matches("***/b", "x/y/b"));
}

TEST(Glob, BracketsHoldCharactersRangesAndClasses) {
  EXPECT_TRUE(matches("[abc].h", "b.h"));
  EXPECT_FALSE(matches("[!abc].h", "b.h"));
  EXPECT_FALSE(matches("[^abc].h", "b.h"));
  EXPECT_TRUE(matches("[a-cx].h", "x.h"));
  EXPECT_TRUE(matches("[]x]", "]"));
  EXPECT_TRUE(matches("[!]x]", "a"));
  EXPECT_TRUE(matches("[a-]", "-"));
  EXPECT_TRUE(matches("[[:digit:]_]", "7"));
  EXPECT_FALSE(matches("[![:digit:]]", "7"));
  EXPECT_TRUE(matches("[é-ü]", "ö"));
  EXPECT_FALSE(matches("[!a]", "/"));
  EXPECT_TRUE(matches(R"([\]])", "]"));
}

TEST(Glob, BracesHoldAlternatives) {
  for (const char* path : {"a.cc", "a.h", "b.hpp"}) EXPECT_TRUE(matches("*.{cc,h,hpp}", path)) << path;
  EXPECT_FALSE(matches("*.{cc,h}", "a.c"));
  EXPECT_TRUE(matches("{src,test}/**/*.ts", "test/a/b.ts"));
  EXPECT_TRUE(matches("a{,b}c", "ac"));
  EXPECT_TRUE(matches("a{,b}c", "abc"));
  EXPECT_TRUE(matches("{a,{b,c}d}e", "cde"));
  EXPECT_TRUE(matches("{a/**,b}/x", "a/y/z/x"));
  EXPECT_TRUE(matches("{**/a,b}", "x/y/a"));
  EXPECT_TRUE(matches("x{**,b}", "xyz"));
  EXPECT_TRUE(matches("a,b", "a,b"));
  EXPECT_TRUE(matches("{a,b}", "{a,b}", kGit));
  EXPECT_FALSE(matches("{a,b}", "a", kGit));
}

TEST(Glob, ABackslashTakesTheMeaningAway) {
  EXPECT_TRUE(matches(R"(\*.h)", "*.h"));
  EXPECT_FALSE(matches(R"(\*.h)", "a.h"));
  EXPECT_TRUE(matches(R"(\{a\})", "{a}"));
  EXPECT_TRUE(matches(R"(app/\[id\]/page.tsx)", "app/[id]/page.tsx"));
  EXPECT_TRUE(matches(R"(\\)", "\\"));
}

TEST(Glob, GitTakesBytesAndNotCharacters) {
  EXPECT_FALSE(matches("a?c", "aéc", kGit));
  EXPECT_TRUE(matches("a??c", "aéc", kGit));
  EXPECT_TRUE(matches("é*", "éa", kGit));
}

TEST(Glob, KnowsWhetherAFolderCanHoldAMatch) {
  const auto glob = *Glob::compile("src/*/{a,b}/**/*.cc");
  for (const char* folder : {"", "src", "src/x", "src/x/a", "src/x/b/y/z"}) {
    EXPECT_TRUE(glob.may_match_below(folder)) << folder;
  }
  for (const char* folder : {"lib", "srcs", "src/x/c", "src/x/ab"}) {
    EXPECT_FALSE(glob.may_match_below(folder)) << folder;
  }
  EXPECT_FALSE(Glob::compile("*.cc")->may_match_below("src"));
}

TEST(Glob, AMistakeIsNamedWithItsPlaceAndWhatToDo) {
  EXPECT_EQ(problem("src/[ab"),
            "The glob pattern is not valid at character 5, `[ab`: a bracket that is never closed. Add \"]\", or write "
            "\\[ for the bracket itself.");
  EXPECT_NE(problem("*.{cc,h").find("character 3, `{cc,h`: a brace that is never closed"), std::string::npos);
  EXPECT_NE(problem("a\\").find("a backslash at the very end"), std::string::npos);
  EXPECT_NE(problem(std::string(5'000, 'a')).find("longer than 4.0 KB"), std::string::npos);
  EXPECT_NE(problem(std::string(100, '{')).find("braces nested too deeply"), std::string::npos);
  EXPECT_EQ(problem("}"), "no error");
}

// Backtracking would not end in a lifetime.
TEST(Glob, TimeIsLinearWhateverThePattern) {
  std::string pattern;
  for (int i = 0; i < 200; ++i) pattern += "*a";
  EXPECT_FALSE(matches(pattern + "b", std::string(1'000, 'a')));
  std::string braces;
  for (int i = 0; i < 100; ++i) braces += "{a,aa,*}";
  EXPECT_FALSE(matches(braces + "b", std::string(1'000, 'a')));
  std::string folders;
  for (int i = 0; i < 100; ++i) folders += "**/a/";
  std::string path;
  for (int i = 0; i < 300; ++i) path += "a/";
  EXPECT_FALSE(matches(folders + "b", path + "c"));
}

TEST(Glob, AgreesWithFnmatchWhereItSaysTheSame) {
  sim::Random random(11);
  constexpr std::string_view kPattern = "ab/.*?[]!-c\\";
  constexpr std::string_view kPath = "ab/.c-]!";
  constexpr int kRounds = 50'000;
  int matched = 0;
  for (int i = 0; i < kRounds; ++i) {
    std::string pattern;
    for (std::size_t n = random.below(8); n > 0; --n) pattern += kPattern[random.below(kPattern.size())];
    std::string path;
    for (std::size_t n = random.below(7); n > 0; --n) path += kPath[random.below(kPath.size())];
    if (pattern.find("**") != std::string::npos) continue;  // folders for us
    const auto glob = Glob::compile(pattern, {.braces = false});
    if (!glob) continue;                                      // for fnmatch() an open bracket stands for itself
    if (pattern.find("[[.") != std::string::npos) continue;   // its names of characters, "[.a.]"
    if (pattern.find("*\\/") != std::string::npos) continue;  // it looks for the backslash itself behind a star
    // What stands between brackets and holds a slash is read differently by everyone.
    const std::size_t bracket = pattern.find('[');
    if (bracket != std::string::npos && pattern.find('/', bracket) != std::string::npos) continue;
    const bool expected = ::fnmatch(pattern.c_str(), path.c_str(), FNM_PATHNAME) == 0;
    ASSERT_EQ(glob->matches(path), expected) << pattern << " and " << path;
    matched += expected ? 1 : 0;
  }
  EXPECT_GT(matched, kRounds / 400);
}

}  // namespace
}  // namespace deft
