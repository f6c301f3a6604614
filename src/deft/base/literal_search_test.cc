#include "deft/base/literal_search.h"

#include <gtest/gtest.h>

#include "deft/base/line_search.h"
#include "deft/base/regex_literals.h"
#include "deft/testing/sim_random.h"

namespace deft {
namespace {

using Texts = std::vector<std::string>;

RequiredLiterals literals(std::string_view pattern, bool ignore_case = false) {
  const auto tree = parse_regex(pattern, {.ignore_case = ignore_case});
  EXPECT_TRUE(tree) << pattern;
  return required_literals(*tree);
}

TEST(RequiredLiterals, APlainTextIsAllThatIsNeeded) {
  EXPECT_EQ(literals("foo_bar").any_of, Texts{"foo_bar"});
  EXPECT_TRUE(literals("foo_bar").exact);
  EXPECT_EQ(literals("e").any_of, Texts{"e"});
  EXPECT_TRUE(literals("e").exact);
  EXPECT_EQ(literals("TODO|FIXME").any_of, (Texts{"FIXME", "TODO"}));
  EXPECT_TRUE(literals("TODO|FIXME").exact);
  EXPECT_EQ(literals("(foo|bar)_(x|y)").any_of, (Texts{"bar_x", "bar_y", "foo_x", "foo_y"}));
}

TEST(RequiredLiterals, TheRarestPartOfAPatternIsTaken) {
  EXPECT_EQ(literals(R"(\w+_iterator<[A-Z]\w*>)").any_of, Texts{"_iterator<"});
  EXPECT_FALSE(literals(R"(\w+_iterator<[A-Z]\w*>)").exact);
  EXPECT_EQ(literals(R"(\bsize_t\b)").any_of, Texts{"size_t"});
  EXPECT_FALSE(literals(R"(\bsize_t\b)").exact);
  EXPECT_EQ(literals("(abc)+x?").any_of, Texts{"abc"});
  EXPECT_EQ(literals("(foo){2}").any_of, Texts{"foofoo"});
  EXPECT_EQ(literals("foo(bar)?baz").any_of, (Texts{"foobarbaz", "foobaz"}));
}

TEST(RequiredLiterals, OtherCasesMakeSeveralTexts) {
  const RequiredLiterals found = literals("deprecated", true);
  EXPECT_EQ(found.any_of.size(), 16U);
  for (const std::string& text : found.any_of) EXPECT_EQ(text.size(), 4U);
  EXPECT_FALSE(found.exact);
}

TEST(RequiredLiterals, NothingIsTakenThatWouldNotHelp) {
  for (const char* pattern : {"", "a*", ".", "[a-z]+", "foo|", "foo|\\w+", "^$", "e|t", "\\s+", "(foo)?", "x{0}"}) {
    EXPECT_TRUE(literals(pattern).any_of.empty()) << pattern;
  }
}

TEST(LiteralSearch, FindsTheFirstOfOneOrSeveralTexts) {
  sim::Random random(3);
  const auto word = [&](std::size_t longest) {
    std::string text;
    for (std::size_t i = random.below(longest) + 1; i > 0; --i) text += "abcX\n\xE9"[random.below(6)];
    return text;
  };
  for (int round = 0; round < 3'000; ++round) {
    Texts texts;
    for (std::size_t i = random.below(round % 2 == 0 ? 1 : 40) + 1; i > 0; --i) texts.push_back(word(12));
    const auto search = LiteralSearch::make(texts);
    if (!search) continue;  // a machine without the instructions
    const std::string text = word(300);
    const std::size_t from = random.below(text.size());
    std::optional<std::size_t> expected;
    for (const std::string& one : texts) {
      const std::size_t at = text.find(one, from);
      if (at != std::string::npos) expected = std::min(expected.value_or(at), at);
    }
    ASSERT_EQ(search->find(text, from), expected)
        << ::testing::PrintToString(texts) << " in " << ::testing::PrintToString(text);
  }
}

TEST(LiteralSearch, EmptyTextsAreRefused) {
  EXPECT_FALSE(LiteralSearch::make({}));
  EXPECT_FALSE(LiteralSearch::make({""}));
  EXPECT_FALSE(LiteralSearch::make({"a", ""}));
}

TEST(LineSearch, LiteralsThatMisleadAreGivenUpForAWhile) {
  const LinePattern pattern(*Regex::compile("needle[0-9]", {}));
  LineSearch search(pattern, {});
  std::string text;
  for (int i = 0; i < 50'000; ++i) text += "needle x\n";
  text += "needle7\n";
  const auto line = search.next(text, 0);
  ASSERT_TRUE(line);
  EXPECT_EQ(text.substr(line->begin, line->end - line->begin), "needle7");
  EXPECT_FALSE(search.next(text, line->end + 1));
}

TEST(LineSearch, ThereIsNoLineBehindTheLastNewline) {
  const LinePattern pattern(*Regex::compile("^$", {}));
  LineSearch search(pattern, {});
  EXPECT_FALSE(search.next("a\n", 0));
  EXPECT_EQ(search.next("a\n\n", 0), (Span{2, 2}));
  EXPECT_FALSE(search.next("", 0));
}

}  // namespace
}  // namespace deft
