#include "deft/core/patch.h"

#include <gtest/gtest.h>

#include <random>

namespace deft {
namespace {

std::string random_text(std::mt19937& random, std::size_t lines_max) {
  std::string text;
  for (auto lines = random() % (lines_max + 1); lines > 0; --lines) text += std::string(1, "abcd"[random() % 4]) + "\n";
  if (!text.empty() && random() % 3 == 0) text.pop_back();
  return text;
}

std::string apply(const Lines& old_lines, const Lines& new_lines, const std::vector<LineChange>& changes) {
  std::string out;
  std::size_t line = 0;
  for (const LineChange& change : changes) {
    for (; line < change.old_first; ++line) out += old_lines[line];
    line += change.old_count;
    for (std::size_t i = 0; i < change.new_count; ++i) out += new_lines[change.new_first + i];
  }
  for (; line < old_lines.size(); ++line) out += old_lines[line];
  return out;
}

// The length of the longest common subsequence, the slow and certain way.
std::size_t common_lines(const Lines& a, const Lines& b) {
  std::vector<std::vector<std::size_t>> table(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      table[i][j] = a[i - 1] == b[j - 1] ? table[i - 1][j - 1] + 1 : std::max(table[i - 1][j], table[i][j - 1]);
    }
  }
  return table[a.size()][b.size()];
}

TEST(Patch, TheChangesTurnTheOldTextIntoTheNewOneAndAreAsFewAsCanBe) {
  std::mt19937 random(7);
  for (int round = 0; round < 3'000; ++round) {
    const std::string before = random_text(random, 14);
    const std::string after = random_text(random, 14);
    const Lines a = split_lines(before);
    const Lines b = split_lines(after);
    const auto changes = diff_lines(a, b);
    ASSERT_EQ(apply(a, b, changes), after);
    std::size_t removed = 0;
    for (std::size_t i = 0; i < changes.size(); ++i) {
      removed += changes[i].old_count;
      if (i == 0) continue;
      ASSERT_GT(changes[i].old_first, changes[i - 1].old_first + changes[i - 1].old_count);
    }
    ASSERT_EQ(removed, a.size() - common_lines(a, b));
  }
}

TEST(Patch, TextsThatDifferEverywhereAreOneChangeInLittleTime) {
  std::string before;
  std::string after;
  for (int i = 0; i < 50'000; ++i) {
    before += "old " + std::to_string(i) + "\n";
    after += "new " + std::to_string(i) + "\n";
  }
  const auto changes = diff_lines(split_lines("first\n" + before), split_lines("first\n" + after));
  EXPECT_EQ(changes, (std::vector<LineChange>{{1, 50'000, 1, 50'000}}));
}

TEST(Patch, HunksHaveThreeLinesAroundAndJoinWhereTheyMeet) {
  const std::string before = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n16";
  const std::string after = "1\n2\n3\n4\nfive\n6\n7\n8\n9\n10\neleven\n12\n13\n14\n15\n16\n";
  const Lines a = split_lines(before);
  const Lines b = split_lines(after);
  const JsonArray patch = structured_patch(a, b, diff_lines(a, b), 10'000);
  EXPECT_EQ(to_json(patch),
            R"([{"oldStart":2,"oldLines":15,"newStart":2,"newLines":15,"lines":)"
            R"([" 2"," 3"," 4","-5","+five"," 6"," 7"," 8"," 9"," 10","-11","+eleven"," 12"," 13"," 14"," 15",)"
            R"("-16","\\ No newline at end of file","+16"]}])");

  const std::string far = "one\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\nsixteen";
  const Lines c = split_lines(far);
  EXPECT_EQ(structured_patch(a, c, diff_lines(a, c), 10'000).size(), 2U);
  EXPECT_EQ(structured_patch(a, c, diff_lines(a, c), 20).size(), 1U);
  EXPECT_EQ(structured_patch(a, a, diff_lines(a, a), 20).size(), 0U);
}

TEST(Patch, LinesThatWereShownMoveWithTheChangesBeforeThem) {
  using Ranges = std::vector<LineRange>;
  struct Case {
    Ranges before;
    std::vector<LineChange> changes;
    Ranges after;
  };
  const Case cases[] = {
      {{{1, 5}, {10, 20}}, {{1, 1, 1, 3}}, {{1, 7}, {12, 22}}},    // line 2 became three
      {{{1, 5}, {10, 20}}, {{11, 4, 11, 0}}, {{1, 5}, {10, 16}}},  // lines 12 to 15 went
      {{{10, 20}}, {{9, 0, 9, 2}}, {{10, 22}}},                    // two lines before line 10
      {{{10, 20}}, {{20, 0, 20, 2}}, {{10, 22}}},                  // two lines after line 20
      {{{3, 3}}, {{2, 1, 2, 0}}, {}},                              // all that was shown is gone
      {{{1, 2}, {5, 6}}, {{0, 2, 0, 1}, {4, 2, 3, 2}}, {{1, 1}, {4, 5}}},
  };
  for (const Case& c : cases) EXPECT_EQ(move_ranges(c.before, c.changes), c.after);
}

}  // namespace

void PrintTo(const LineRange& range, std::ostream* out) { *out << range.first << "-" << range.last; }

}  // namespace deft
