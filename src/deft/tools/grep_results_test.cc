#include "deft/tools/grep_results.h"

#include <gtest/gtest.h>

namespace deft {
namespace {

constexpr std::size_t kRoom = 10'000;

GrepFinding lines(std::size_t count, std::string_view each) {
  GrepFinding finding{.matches = count, .lines = count};
  for (std::size_t i = 0; i < count; ++i) finding.text.append(each).append("\n");
  return finding;
}

TEST(PathOrder, IsThatOfAWalkByNames) {
  const PathOrder before;
  EXPECT_TRUE(before("a/z", "a.txt"));
  EXPECT_TRUE(before("a/b", "a/c"));
  EXPECT_TRUE(before("a", "a/b"));
  EXPECT_TRUE(before("a\x7F", "a\xC3\xA9"));
  EXPECT_FALSE(before("a.txt", "a/z"));
  EXPECT_FALSE(before("a", "a"));
}

TEST(GrepResults, AreSortedHoweverTheyCome) {
  GrepResults results(GrepMode::content, false, 0, 0);
  results.add("c", lines(1, "c"));
  results.add("a", lines(2, "a"));
  results.add("b", lines(1, "b"));
  const auto window = results.take_window(kRoom);
  EXPECT_EQ(window.text, "a\na\nb\nc\n");
  EXPECT_EQ(window.files, (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(results.totals().lines, 4U);
}

TEST(GrepResults, WhatCannotBeShownIsCountedButNotWanted) {
  GrepResults results(GrepMode::content, false, 0, 3);
  EXPECT_GT(results.lines_wanted("z"), 0U);
  results.add("b", lines(2, "b"));
  results.add("c", lines(2, "c"));
  EXPECT_EQ(results.lines_wanted("z"), 0U);
  EXPECT_GT(results.lines_wanted("a"), 0U);
  results.add("z", lines(0, ""));
  results.add("a", lines(2, "a"));
  const auto window = results.take_window(kRoom);
  EXPECT_EQ(window.text, "a\na\nb\n");
  EXPECT_EQ(results.totals().files, 3U);
  EXPECT_EQ(results.totals().lines, 6U);
}

TEST(GrepResults, LinesEndWhereTheRoomDoes) {
  GrepResults results(GrepMode::content, false, 0, 0);
  results.add("a", lines(100, "0123456789"));
  const auto window = results.take_window(35);
  EXPECT_EQ(window.lines, 3U);
  EXPECT_TRUE(window.was_cut);
}

TEST(GrepResults, FilesAndCountsAreOneLineEach) {
  GrepResults files(GrepMode::files, false, 1, 1);
  for (const char* path : {"c", "a", "b"}) files.add(path, {.matches = 1});
  EXPECT_EQ(files.take_window(kRoom).text, "b\n");
  GrepResults counts(GrepMode::count, false, 0, 0);
  counts.add("b", {.matches = 7});
  counts.add("a", {.matches = 1});
  EXPECT_EQ(counts.take_window(kRoom).text, "a:1\nb:7\n");
}

}  // namespace
}  // namespace deft
