// Random patterns on random texts, against PCRE2: where both dialects mean the same, all matches must be the same.

#define PCRE2_CODE_UNIT_WIDTH 8
#include <gtest/gtest.h>
#include <pcre2.h>

#include <array>
#include <memory>

#include "deft/base/line_search.h"
#include "deft/base/regex.h"
#include "deft/base/whole_search.h"
#include "deft/testing/sanitized.h"
#include "deft/testing/sim_random.h"

namespace deft {
namespace {

constexpr int kPatterns = testing::kIsSanitized ? 1'500 : 3'000;
constexpr std::size_t kTextCharactersMax = 60;

template <std::size_t size>
std::string pick(sim::Random& random, const std::array<const char*, size>& from) {
  return from[random.below(size)];
}

constexpr std::array<const char*, 12> kLiterals = {"a", "b", "c", "ab", "foo", "é", "ß", "k", "_", "1", " ", "日"};
constexpr std::array<const char*, 9> kSets = {".",     "[abc]", "[^abc]", "[a-z]", "[^a-z]",
                                              "[é-ω]", "[a-]",  "[]a]",   "[^]1]"};
constexpr std::array<const char*, 3> kPlaces = {"^", "$", "(?:)"};
constexpr std::array<const char*, 10> kRepeats = {"*", "+", "?", "*?", "+?", "??", "{2}", "{1,3}", "{2,}", "{0,2}?"};

std::string random_pattern(sim::Random& random, int depth);

// One after the other: what is drawn first must not depend on the compiler.
std::string two_patterns(sim::Random& random, int depth, std::string_view between) {
  std::string first = random_pattern(random, depth);
  return first.append(between) + random_pattern(random, depth);
}

std::string random_pattern(sim::Random& random, int depth) {
  if (depth == 0 || random.chance(25)) return pick(random, kLiterals);
  switch (random.below(7)) {
    case 0: return pick(random, kSets);
    case 1: return pick(random, kPlaces);
    case 2: return "(" + two_patterns(random, depth - 1, "|") + ")";
    case 3: return "(?i:" + random_pattern(random, depth - 1) + ")";
    case 4: {
      const std::string inner = random_pattern(random, depth - 1);
      return "(?:" + inner + ")" + pick(random, kRepeats);
    }
    default: return two_patterns(random, depth - 1, "");
  }
}

std::string random_text(sim::Random& random) {
  static constexpr std::array<const char*, 18> kPieces = {"a", "b", "c", "A", "B", "foo", "FOO", "é",  "É",
                                                          "ß", "k", "K", "_", "1", " ",   "\n",  "日", "-"};
  std::string text;
  for (std::size_t i = random.below(kTextCharactersMax); i > 0; --i) text += pick(random, kPieces);
  return text;
}

// PCRE2 with what ripgrep's dialect has by default.
class Oracle {
 public:
  explicit Oracle(const std::string& pattern) {
    int error = 0;
    std::size_t offset = 0;
    code_.reset(pcre2_compile(bytes(pattern), pattern.size(), PCRE2_UTF | PCRE2_MULTILINE | PCRE2_ALT_CIRCUMFLEX,
                              &error, &offset, nullptr));
    found_.reset(pcre2_match_data_create(20, nullptr));
  }
  bool compiled() const { return code_ != nullptr; }
  std::optional<Span> find(const std::string& text, std::size_t from) {
    const int result = pcre2_match(code_.get(), bytes(text), text.size(), from, 0, found_.get(), nullptr);
    if (result < 0) return std::nullopt;
    const PCRE2_SIZE* span = pcre2_get_ovector_pointer(found_.get());
    return Span{span[0], span[1]};
  }

 private:
  static PCRE2_SPTR bytes(const std::string& text) { return reinterpret_cast<PCRE2_SPTR>(text.data()); }
  std::unique_ptr<pcre2_code, void (*)(pcre2_code*)> code_{nullptr, pcre2_code_free};
  std::unique_ptr<pcre2_match_data, void (*)(pcre2_match_data*)> found_{nullptr, pcre2_match_data_free};
};

std::size_t character_length(const std::string& text, std::size_t at) {
  std::size_t length = 1;
  while (at + length < text.size() && (static_cast<unsigned char>(text[at + length]) & 0xC0U) == 0x80U) ++length;
  return length;
}

template <class Find>
std::vector<Span> all_matches(const std::string& text, const Find& find) {
  std::vector<Span> spans;
  for (std::size_t from = 0; from <= text.size();) {
    const std::optional<Span> span = find(from);
    if (!span) break;
    spans.push_back(*span);
    from = span->end > span->begin ? span->end : span->end + character_length(text, span->end);
  }
  return spans;
}

std::string shown(const std::vector<Span>& spans) {
  std::string out;
  for (const Span& span : spans) out += std::to_string(span.begin) + "-" + std::to_string(span.end) + " ";
  return out;
}

TEST(RegexOracle, RandomPatternsMatchWherePcre2Does) {
  sim::Random random(20'240'607);
  int compared = 0;
  for (int i = 0; i < kPatterns; ++i) {
    const std::string pattern = random_pattern(random, 4);
    Oracle oracle(pattern);
    if (!oracle.compiled()) continue;
    const auto regex = Regex::compile(pattern, {.by_line = false});
    ASSERT_TRUE(regex) << pattern << ": " << regex.error().message;
    RegexSearch search(*regex, {});
    for (int j = 0; j < 4; ++j) {
      const std::string text = random_text(random);
      const auto expected = all_matches(text, [&](std::size_t from) { return oracle.find(text, from); });
      const auto found = all_matches(text, [&](std::size_t from) { return search.find(text, from); });
      ASSERT_EQ(shown(found), shown(expected)) << pattern << " in " << ::testing::PrintToString(text);
      ASSERT_EQ(search.first_end(text, 0).has_value(), !expected.empty()) << pattern;
      ++compared;
    }
  }
  EXPECT_GT(compared, 3 * kPatterns);
}

// What every match begins with, or holds, leads to the same matches as looking everywhere does.
TEST(RegexOracle, MatchesOverLinesAreFoundByTheirLiteralsToo) {
  static constexpr std::array<std::string_view, 4> kRareLiterals = {"qzx", "(qzx|jvk)", "(qzx)?jvk", "[qQ]zx"};
  sim::Random random(11);
  std::size_t with_matches = 0;
  for (int i = 0; i < kPatterns; ++i) {
    const std::string before = random.chance(30) ? random_pattern(random, 1) : "";
    const std::string pattern =
        before + std::string(kRareLiterals[random.below(kRareLiterals.size())]) + random_pattern(random, 2);
    auto regex = Regex::compile(pattern, {.by_line = false});
    ASSERT_TRUE(regex) << pattern;
    RegexSearch everywhere(*regex, {});
    const WholePattern whole(*regex);
    WholeSearch search(whole, {});
    std::string text;
    for (std::size_t parts = random.below(6); parts > 0; --parts) {
      text += random_text(random) + (random.chance(50) ? "qzx" : random.chance(50) ? "jvk" : "Qzx");
    }
    text += random_text(random);
    const auto expected = all_matches(text, [&](std::size_t from) { return everywhere.find(text, from); });
    const auto found = all_matches(text, [&](std::size_t from) { return search.find(text, from); });
    ASSERT_EQ(shown(found), shown(expected)) << pattern << " in " << ::testing::PrintToString(text);
    ASSERT_EQ(search.has_match(text), !expected.empty()) << pattern << " in " << ::testing::PrintToString(text);
    with_matches += expected.empty() ? 0 : 1;
  }
  EXPECT_GT(with_matches, 100U);
}

TEST(RegexOracle, LinesAreFoundAsIfEachWereSearchedByItself) {
  sim::Random random(7);
  for (int i = 0; i < kPatterns; ++i) {
    const std::string pattern = random_pattern(random, 3);
    auto regex = Regex::compile(pattern, {});
    ASSERT_TRUE(regex) << pattern;
    const LinePattern lines(std::move(*regex));
    LineSearch search(lines, {});
    RegexSearch by_itself(lines.regex(), {});
    const std::string text = random_text(random) + (random.chance(50) ? "\n" : "");
    std::vector<Span> expected;
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      if (by_itself.find(text.substr(begin, end - begin), 0)) expected.push_back({begin, end});
      begin = end + 1;
    }
    std::vector<Span> found;
    for (auto line = search.next(text, 0); line; line = search.next(text, found.back().end + 1)) found.push_back(*line);
    ASSERT_EQ(shown(found), shown(expected)) << pattern << " in " << ::testing::PrintToString(text);
  }
}

}  // namespace
}  // namespace deft
