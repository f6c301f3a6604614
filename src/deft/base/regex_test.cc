#include "deft/base/regex.h"

#include <gtest/gtest.h>

namespace deft {
namespace {

using namespace std::string_literals;
using Texts = std::vector<std::string>;

Regex compiled(std::string_view pattern, const RegexOptions& options = {}) {
  auto regex = Regex::compile(pattern, options);
  if (!regex) {
    ADD_FAILURE() << pattern << ": " << regex.error().message;
    return *Regex::compile("x", options);
  }
  return std::move(*regex);
}

// All matches that are not empty.
Texts matches(std::string_view pattern, std::string_view text, const RegexOptions& options = {}) {
  const Regex regex = compiled(pattern, options);
  RegexSearch search(regex, {});
  Texts found;
  for (std::size_t from = 0; from <= text.size();) {
    const auto span = search.find(text, from);
    if (!span) break;
    if (span->end > span->begin) found.emplace_back(text.substr(span->begin, span->end - span->begin));
    from = span->end > span->begin ? span->end : span->end + 1;
  }
  return found;
}

// Asked in every way that there is; the answer must be the same.
bool is_found(std::string_view pattern, std::string_view text, const RegexOptions& options = {}) {
  const Regex regex = compiled(pattern, options);
  RegexSearch search(regex, {});
  const bool found = search.first_end(text, 0).has_value();
  EXPECT_EQ(found, search.find(text, 0).has_value()) << pattern;
  for (const std::size_t size : {1U, 2U, 3U, 7U}) {
    RegexAutomaton& pieces = search.in_pieces();
    pieces.begin_text();
    bool in_pieces = false;
    for (std::size_t at = 0; at < text.size() && !in_pieces; at += size) {
      in_pieces = pieces.add_piece(text.substr(at, size));
    }
    EXPECT_EQ(in_pieces || pieces.end_text(), found) << pattern << " in pieces of " << size;
  }
  return found;
}

std::string random_letters(std::size_t count) {
  std::string text;
  unsigned seed = 1;
  for (std::size_t i = 0; i < count; ++i) {
    seed = seed * 1'103'515'245U + 12'345U;
    text += (seed >> 16U & 1U) != 0 ? 'a' : 'b';
  }
  return text;
}

TEST(Regex, FindsWhatThePatternSays) {
  EXPECT_EQ(matches("foo", "a foo and a foo"), (Texts{"foo", "foo"}));
  EXPECT_EQ(matches("a.c", "abc a\nc aéc"), (Texts{"abc", "aéc"}));
  EXPECT_EQ(matches("[a-c]+", "abcdcba"), (Texts{"abc", "cba"}));
  EXPECT_EQ(matches("[^a-c]+", "abcdéf\ncba"), (Texts{"déf"}));
  EXPECT_EQ(matches("(foo|bar)+", "xfoobarfoo foo"), (Texts{"foobarfoo", "foo"}));
  EXPECT_EQ(matches("a{2,3}", "a aa aaa aaaa"), (Texts{"aa", "aaa", "aaa"}));
  EXPECT_EQ(matches("a{2}b{0,1}c{1,}", "aac aabccc abc"), (Texts{"aac", "aabccc"}));
  EXPECT_EQ(matches("^\\w+", "one two\nthree four"), (Texts{"one", "three"}));
  EXPECT_EQ(matches("\\w+$", "one two\nthree four"), (Texts{"two", "four"}));
  EXPECT_EQ(matches(R"(\d+\.\d+)", "1.5 and 22.75"), (Texts{"1.5", "22.75"}));
  EXPECT_EQ(matches(R"(\x41\x{42}\u0043\u{44}\U00000045\t)", "ABCDE\t"), (Texts{"ABCDE\t"}));
  EXPECT_EQ(matches(R"(\/\"\@\-\ )", R"(/"@- )"), (Texts{R"(/"@- )"}));
}

TEST(Regex, TheFirstAlternativeIsPreferredAndLazyTakesLess) {
  EXPECT_EQ(matches("x|xy|xyz", "xyz"), (Texts{"x"}));
  EXPECT_EQ(matches("xyz|xy|x", "xyz"), (Texts{"xyz"}));
  EXPECT_EQ(matches("a+?", "aaa"), (Texts{"a", "a", "a"}));
  EXPECT_EQ(matches("(?U)a+", "aaa"), (Texts{"a", "a", "a"}));
  EXPECT_EQ(matches("(?U)a+?", "aaa"), (Texts{"aaa"}));
  EXPECT_EQ(matches("<.+?>", "<a><b>"), (Texts{"<a>", "<b>"}));
  EXPECT_EQ(matches("(a|ab)(c|bcd)(d*)", "abcd"), (Texts{"abcd"}));
}

TEST(Regex, ClassesKnowUnicode) {
  EXPECT_EQ(matches(R"(\w+)", "naïve_2 日本 a-b"), (Texts{"naïve_2", "日本", "a", "b"}));
  EXPECT_EQ(matches(R"(\d+)", "12 ٣٤"), (Texts{"12", "٣٤"}));
  EXPECT_EQ(matches(R"((?-u)\d+)", "12 ٣٤"), (Texts{"12"}));
  EXPECT_EQ(matches(R"(a\sb)", "a b a\u00A0b"), (Texts{"a b", "a\u00A0b"}));
  EXPECT_EQ(matches(R"(\bü\w*)", "über grün übel"), (Texts{"über", "übel"}));
  EXPECT_EQ(matches(R"((?-u:\b)b\w*)", "über b"), (Texts{"ber", "b"}));
  EXPECT_EQ(matches(R"(\Bo)", "foo o"), (Texts{"o", "o"}));
  EXPECT_EQ(matches(R"(\p{Greek}+|\p{Lu})", "aΩωB"), (Texts{"Ωω", "B"}));
  EXPECT_EQ(matches(R"(\PL+|\pN)", "a12b"), (Texts{"12"}));
  EXPECT_EQ(matches(R"(\<fo\w*|\b{start}ba\w*\b{end})", "foo bar xfoo"), (Texts{"foo", "bar"}));
  EXPECT_EQ(matches(R"(o\>)", "foo oboe do"), (Texts{"o", "o"}));
}

TEST(Regex, ClassesHaveSetOperationsAndNames) {
  EXPECT_EQ(matches("[[:alpha:]]+", "ab1é"), (Texts{"ab"}));
  EXPECT_EQ(matches("[[:^alpha:]]+", "ab1é"), (Texts{"1é"}));
  EXPECT_EQ(matches(R"([\w&&[^\d_]]+)", "ab_12cd"), (Texts{"ab", "cd"}));
  EXPECT_EQ(matches("[a-z--[aeiou]]+", "hello"), (Texts{"h", "ll"}));
  EXPECT_EQ(matches("[a-g~~b-h]+", "abgh"), (Texts{"a", "h"}));
  EXPECT_EQ(matches("[a-c[x-z]]+", "abcmxyz"), (Texts{"abc", "xyz"}));
  EXPECT_EQ(matches("[]a]+", "]a["), (Texts{"]a"}));
  EXPECT_EQ(matches("[^]a]+", "]a["), (Texts{"["}));
  EXPECT_EQ(matches("[a-]+", "b-a"), (Texts{"-a"}));
  EXPECT_EQ(matches("[-a]+", "b-a"), (Texts{"-a"}));
  EXPECT_EQ(matches("[:foo]+", "of:"), (Texts{"of:"}));
}

TEST(Regex, CaseDoesNotCountWhereThatIsAskedFor) {
  const RegexOptions ignore{.ignore_case = true};
  EXPECT_EQ(matches("straße", "STRAßE strasse", ignore), (Texts{"STRAßE"}));
  EXPECT_EQ(matches("[a-c]+", "aBCd", ignore), (Texts{"aBC"}));
  EXPECT_EQ(matches("[^a]+", "aAb", ignore), (Texts{"b"}));
  EXPECT_EQ(matches("k", "kK\u212A", ignore), (Texts{"k", "K", "\u212A"}));
  EXPECT_EQ(matches("(?i)foo(?-i)Bar", "FOOBar FOOBAR"), (Texts{"FOOBar"}));
  EXPECT_EQ(matches("(?i:a)b", "Ab AB"), (Texts{"Ab"}));
  EXPECT_EQ(matches("a(?i)b|c", "aB C"), (Texts{"aB", "C"}));
  EXPECT_EQ(matches("[[:^alpha:]]+", "sk1", ignore), (Texts{"1"}));
  EXPECT_EQ(matches(R"(\P{Lu}+)", "aA1", ignore), (Texts{"1"}));
}

TEST(Regex, NothingMatchesANewlineUnlessThatIsWanted) {
  EXPECT_EQ(matches("a\\s*b", "a\nb a b"), (Texts{"a b"}));
  EXPECT_EQ(matches("[^x]+", "a\nb"), (Texts{"a", "b"}));
  EXPECT_EQ(matches("(?s).+", "a\nb"), (Texts{"a", "b"}));
  const RegexOptions whole{.by_line = false};
  EXPECT_EQ(matches("a\\s*b", "a\nb a b", whole), (Texts{"a\nb", "a b"}));
  EXPECT_EQ(matches("a.b", "a\nb", whole), Texts{});
  EXPECT_EQ(matches("a.b", "a\nb", {.dot_matches_newline = true, .by_line = false}), (Texts{"a\nb"}));
  EXPECT_EQ(matches("(?-s)a.b", "a\nb", {.dot_matches_newline = true, .by_line = false}), Texts{});
  EXPECT_EQ(matches("^b$", "a\nb\nc", whole), (Texts{"b"}));
  EXPECT_EQ(matches("(?-m)^b$", "a\nb\nc", whole), Texts{});
  EXPECT_EQ(matches(R"(\Aa|c\z)", "a\na\nc", whole), (Texts{"a", "c"}));
  EXPECT_FALSE(compiled("a\\s*b").can_match_newline());
  EXPECT_TRUE(compiled("a\\s*b", whole).can_match_newline());
}

TEST(Regex, BytesThatAreNoCharactersMatchNothingAndHarmNothing) {
  EXPECT_EQ(matches(".foo.",
                    "\xFF"
                    "foo\xE9 éfooé"),
            (Texts{"éfooé"}));
  EXPECT_EQ(matches("[^a]+",
                    "b\xC3"
                    "b"),
            (Texts{"b", "b"}));
  EXPECT_TRUE(is_found("foo",
                       "\x80\xFE"
                       "foo\xF0\x9F"));
  EXPECT_TRUE(is_found(R"(\bfoo\b)",
                       "\xFF"
                       "foo\xFF"));
  EXPECT_FALSE(is_found("é", "\xC3 \xA9"));
  EXPECT_FALSE(is_found(".", "\xED\xA0\x80\xC0\x80"));  // a surrogate, an overlong form
  EXPECT_TRUE(is_found("日.é", "\xE6\xE6\x97\xA5xé\xF0"));
}

TEST(Regex, EmptyMatchesAreMatches) {
  EXPECT_TRUE(is_found("", ""));
  EXPECT_TRUE(is_found("x*", "abc"));
  EXPECT_TRUE(is_found("^$", ""));
  EXPECT_TRUE(is_found("()|a", "b"));
  EXPECT_FALSE(is_found(R"(\b)", "  "));
  EXPECT_FALSE(is_found("[^\\x{0}-\\x{10FFFF}]", "a"));  // a class without members
}

TEST(Regex, VerbosePatternsMayBeLaidOut) {
  EXPECT_EQ(matches("(?x) fo o  # the first\n | b[a r]+ ", "foo bar"), (Texts{"foo", "bar"}));
  EXPECT_EQ(matches(R"((?x)a\ b)", "a b"), (Texts{"a b"}));
}

TEST(Regex, ABraceThatRepeatsNothingStandsForItself) {
  EXPECT_EQ(matches("interface{}", "x interface{} y"), (Texts{"interface{}"}));
  EXPECT_EQ(matches("{", "a{"), (Texts{"{"}));
  EXPECT_EQ(matches("a{b", "a{b"), (Texts{"a{b"}));
  EXPECT_EQ(matches("a{1,b}", "a{1,b}"), (Texts{"a{1,b}"}));
  EXPECT_EQ(matches("a{,2}b", "aaab"), (Texts{"aab"}));
  EXPECT_EQ(matches("a{ 2 }", "aaa"), (Texts{"aa"}));
  EXPECT_EQ(matches("fo{2}}", "foo}"), (Texts{"foo}"}));
}

TEST(Regex, RepetitionsOfRepetitionsAreFine) {
  EXPECT_EQ(matches("a**", "aa"), (Texts{"aa"}));
  EXPECT_EQ(matches("(a*)*b", "aab"), (Texts{"aab"}));
  EXPECT_EQ(matches("(a*?)+b", "aab"), (Texts{"aab"}));
  EXPECT_EQ(matches("(?:){1000000000}a", "a"), (Texts{"a"}));
}

TEST(Regex, AMistakeIsNamedWithItsPlaceAndWhatToDo) {
  const auto message = [](std::string_view pattern, const RegexOptions& options = {}) {
    const auto regex = Regex::compile(pattern, options);
    return regex ? "no error" : regex.error().message;
  };
  EXPECT_EQ(message("foo(bar"),
            "The regular expression is not valid at character 4, `(bar`: a group that is never closed. Add a closing "
            "parenthesis, or write \\( to search for one.");
  EXPECT_EQ(message("aé[b"),
            "The regular expression is not valid at character 3, `[b`: a class that is never closed. Add \"]\", or "
            "write \\[ to search for a bracket.");
  const std::vector<std::pair<std::string, std::string>> mistakes = {
      {"a)", "character 2, `)`: a closing parenthesis without an opening one"},
      {"*a", "character 1, `*a`: there is nothing to repeat"},
      {"a|*", "character 3, `*`: there is nothing to repeat"},
      {"(?i)*", "there is nothing to repeat"},
      {"{2}", "there is nothing to repeat"},
      {"a{3,2}", "character 2, `{3,2}`: a repetition whose least is more than its most"},
      {"[z-a]", "character 2, `z-a]`: a range that ends before it begins"},
      {"[a-\\d]", "a range needs a character at both ends"},
      {"[\\b]", "a class holds characters, and this is a place"},
      {"(?=a)", "look-around is not supported"},
      {"(?<!a)b", "look-around is not supported"},
      {"(a)\\1", "character 4, `\\1`: back-references are not supported"},
      {"\\k", "Back-references are not supported"},
      {"\\Z", "Use \\z for the end of the text"},
      {"\\h", "Use [ \\t]."},
      {"\\y", "an escape that does not exist here"},
      {"foo\\", "a backslash at the very end"},
      {"\\x4", "a character code with missing digits"},
      {"\\x{110000}", "there is no character with this code"},
      {"\\p{Klingon}", "there is no Unicode property \"Klingon\""},
      {"\\p{L", "a property whose brace is never closed"},
      {"(?P<1>a)", "a group with a bad name"},
      {"(?q)", "flags that are not known"},
      {"(?)", "flags that are not known"},
      {"(?i-)", "flags that are not known"},
      {"(?>a)", "flags that are not known"},
      {"a\\nb", "character 2, `\\nb`: a newline can be matched only in multiline mode. Set multiline to true."},
      {"[\\n]", "a newline can be matched only in multiline mode"},
      {"(?-u).", "Leave (?-u) out"},
      {"(?-u)\\xFF", "Leave (?-u) out"},
      {"(?-u)[^a]", "Leave (?-u) out"},
      {"(?-u)\\W", "Leave (?-u) out"},
      {std::string(300, '(') + std::string(300, ')'), "groups nested too deeply"},
      {std::string(300, '['), "classes nested too deeply"},
      {"a" + std::string(300, '*'), "repetitions nested too deeply"},
      {"a{20000}b{20000}", "The regular expression is too large"},
      {"(((a{100}){100}){100}){100}", "The regular expression is too large"},
      {std::string(20'000, 'a'), "longer than 16.0 KB"},
  };
  for (const auto& [pattern, expected] : mistakes) {
    EXPECT_NE(message(pattern).find(expected), std::string::npos) << pattern << ": " << message(pattern);
  }
  EXPECT_EQ(message("a\\nb", {.by_line = false}), "no error");
}

// Backtracking would not end in a lifetime.
TEST(Regex, TimeIsLinearWhateverThePattern) {
  const std::string text = std::string(100'000, 'a') + "\n";
  for (const char* pattern : {"(a*)*b", "(a+)+$x", "(a|a)*b", "(a|aa)+b", "(.*)(.*)(.*)(.*)x", "(a?){100}a{100}b"}) {
    EXPECT_FALSE(is_found(pattern, text)) << pattern;
  }
}

TEST(Regex, AnEmptyTurnOfALoopEndsItAlsoAfterAnAssertion) {
  const Regex regex = compiled("(^|b)+");
  RegexSearch search(regex, {});
  EXPECT_EQ(search.find("bb", 0), (Span{0, 0}));
  EXPECT_EQ(search.find("abb", 1), (Span{1, 3}));
}

TEST(Regex, ALargeAutomatonIsForgottenAndBegunAnew) {
  // Which of the last 18 characters were "a" makes 2^18 states: more than there is room for.
  const std::string text = random_letters(100'000) + "a";
  const Regex regex = compiled("a[ab]{18}c");
  RegexSearch search(regex, {});
  EXPECT_FALSE(search.first_end_by_line(text, 0));
  EXPECT_EQ(search.first_end(text + "abababababababababac", text.size() - 1'000), text.size() + 20);
  EXPECT_EQ(search.find(text + "aababababababababac", 0), (Span{text.size() - 1, text.size() + 19}));
}

TEST(Regex, AStopEndsASearchEarly) {
  std::stop_source stop;
  const Regex regex = compiled("a[ab]{18}c");
  RegexSearch search(regex, stop.get_token());
  const std::string text = random_letters(200'000) + "abababababababababac";
  stop.request_stop();
  EXPECT_FALSE(search.first_end(text, 0));
}

TEST(Regex, TheHalvesOfATextAreSearchedAsOne) {
  const Regex regex = compiled("[0-9]+x$");
  RegexSearch search(regex, {});
  std::string filler;
  for (int i = 0; i < 500; ++i) filler += "nothing but wörds 12y in line\n";
  for (const std::string& text : {filler + "1x\n" + filler, "1x\n" + filler, filler + "1x", filler + "1x\n", filler}) {
    EXPECT_EQ(search.first_end_by_line(text, 0), search.first_end(text, 0)) << text.find("1x");
  }
  const std::string twice = "7x\n" + filler + "8x\n" + filler;
  EXPECT_EQ(search.first_end_by_line(twice, 0), 2U);
  EXPECT_EQ(search.first_end_by_line(twice, 3), 3 + filler.size() + 2);
}

}  // namespace
}  // namespace deft
