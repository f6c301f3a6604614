#include "deft/base/match.h"

#include <gtest/gtest.h>

namespace deft {
namespace {

Match search(std::string_view pattern, std::string_view text) {
  const auto compiled = Pattern::compile(pattern);
  EXPECT_TRUE(compiled) << pattern << ": " << compiled.error().message;
  return compiled ? compiled->search(text) : Match::gave_up;
}

TEST(Pattern, SearchesAnywhereUnlessAnchored) {
  EXPECT_EQ(search("b+", "abbc"), Match::yes);
  EXPECT_EQ(search("^b+", "abbc"), Match::no);
  EXPECT_EQ(search("", ""), Match::yes);
  EXPECT_EQ(search({}, {}), Match::yes);
}

TEST(Pattern, MeansWhatItMeansInJavaScript) {
  EXPECT_EQ(search("^a$", "a\n"), Match::no) << "a line feed at the end is not the end";
  EXPECT_EQ(search("^\\d$", "\u0967"), Match::no) << "a Devanagari digit is no \\d";
  EXPECT_EQ(search("^\\w$", "\u00e9"), Match::no);
  EXPECT_EQ(search("^.$", "\U0001F600"), Match::yes) << "one character, not four bytes";
  EXPECT_EQ(search("^.$", "\r"), Match::no);
  EXPECT_EQ(search("^\\u0041\\u{1F600}$", "A\U0001F600"), Match::yes);
  EXPECT_EQ(search("^\\p{L}+$", "\u00e9cole"), Match::yes);
  EXPECT_EQ(search("[]", "a"), Match::no) << "an empty class matches nothing";
  EXPECT_EQ(search("^[^]$", "\n"), Match::yes);
  EXPECT_EQ(search("^(?:(a)|b)\\1$", "b"), Match::yes) << "a group that took no part is empty";
}

TEST(Pattern, SaysWhereItIsWrong) {
  const auto broken = Pattern::compile("a(b");
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().code, Errc::invalid_input);
  EXPECT_NE(broken.error().message.find("at byte 3: missing closing parenthesis"), std::string::npos)
      << broken.error().message;
  EXPECT_FALSE(Pattern::compile("\\C")) << "half a character is never a match";
  EXPECT_FALSE(Pattern::compile("\xff"));
  EXPECT_EQ(Pattern::compile(std::string(kPatternBytesMax + 1, 'a')).error().code, Errc::limit);
}

TEST(Pattern, GivesUpInsteadOfStalling) {
  const std::string text(50'000, 'a');
  EXPECT_EQ(search("^(a+)+$", text + "b"), Match::gave_up);
  EXPECT_EQ(search("^(a|a)*$", text + "b"), Match::gave_up);
  EXPECT_EQ(search("a*a*a*a*a*a*b", text), Match::no) << "the required b is seen to be missing before any search";
  EXPECT_EQ(search("a*a*a*a*a*a*[bc]", text), Match::gave_up);
  EXPECT_EQ(search("^(a*)a*a*\\1\\1[bc]", text), Match::gave_up);
  EXPECT_EQ(search("a{30000}x?$", std::string(29'999, 'a') + "b" + text + "b"), Match::gave_up);
  EXPECT_EQ(search("(?R)?[bc]", text), Match::gave_up);
  EXPECT_EQ(search("(*LIMIT_MATCH=4000000000)^(a+)+$", text + "b"), Match::gave_up) << "a pattern cannot raise limits";
}

TEST(Pattern, LongTextIsFineForAnHonestPattern) {
  const std::string text(500'000, 'a');
  EXPECT_EQ(search("^[a-z]*$", text), Match::yes);
  EXPECT_EQ(search("^[a-z]*$", text + "1"), Match::no);
  EXPECT_EQ(search("b$", text), Match::no);
}

TEST(Pattern, KnowsHowMuchMemoryItTakes) {
  EXPECT_LT(Pattern::compile("abcd")->compiled_bytes(), 1'000U);
  EXPECT_GT(Pattern::compile("(abcd){400}")->compiled_bytes(), 10'000U);
}

TEST(Pattern, TextThatIsNotUtf8IsNotJudged) { EXPECT_EQ(search("a", "a\xff"), Match::gave_up); }

TEST(Pattern, SearchesShareABudget) {
  const auto pattern = Pattern::compile("^[a-z]+$");
  ASSERT_TRUE(pattern);
  std::uint64_t steps_left = 1000;
  int searches = 0;
  while (pattern->search("abcdefgh", steps_left) == Match::yes) ++searches;
  EXPECT_EQ(steps_left, 0U);
  EXPECT_GT(searches, 10);
  EXPECT_LT(searches, 1000);
  EXPECT_EQ(pattern->search("", steps_left), Match::gave_up);
}

}  // namespace
}  // namespace deft
