#include "deft/core/pair_joiner.h"

#include <gtest/gtest.h>

namespace deft {
namespace {

const std::string kFirst = half_pair_bytes(0xD83D);
const std::string kSecond = half_pair_bytes(0xDE00);
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

TEST(PairJoiner, HalvesThatMeetAreTheirCharacter) {
  PairJoiner joiner;
  EXPECT_EQ(joiner.add("a" + kFirst), "a");
  EXPECT_TRUE(joiner.waits());
  EXPECT_EQ(joiner.add(""), "");
  EXPECT_EQ(joiner.add(kSecond + "b"), "\U0001F600b");
  EXPECT_EQ(joiner.finish(), "");
}

TEST(PairJoiner, TheWholeRangeIsJoinedRightly) {
  const auto joined = [](char16_t first, char16_t second) {
    PairJoiner joiner;
    const std::string before = joiner.add(half_pair_bytes(first));
    return before + joiner.add(half_pair_bytes(second));
  };
  EXPECT_EQ(joined(0xD800, 0xDC00), "\U00010000");
  EXPECT_EQ(joined(0xDBFF, 0xDFFF), "\U0010FFFF");
}

TEST(PairJoiner, APieceMayEndOnePairAndBeginTheNext) {
  PairJoiner joiner;
  EXPECT_EQ(joiner.add(kFirst), "");
  EXPECT_EQ(joiner.add(kSecond + kFirst), "\U0001F600");
  EXPECT_EQ(joiner.add(kSecond), "\U0001F600");
}

TEST(PairJoiner, AHalfWithoutTheOtherIsReplacedOnce) {
  PairJoiner joiner;
  EXPECT_EQ(joiner.add(kSecond + "x" + kFirst), std::string(kReplacement) + "x");
  EXPECT_EQ(joiner.add("y"), std::string(kReplacement) + "y");
  EXPECT_EQ(joiner.add(kFirst), "");
  EXPECT_EQ(joiner.add(kFirst), kReplacement);
  EXPECT_EQ(joiner.finish(), kReplacement);
  EXPECT_EQ(joiner.finish(), "");
}

TEST(PairJoiner, OrdinaryCharactersAreNoHalves) {
  EXPECT_FALSE(has_half_at_edge("\uD7FF"));  // the last one before them: ED 9F BF
  EXPECT_FALSE(has_half_at_edge("\uD55C\uAE00"));
  EXPECT_FALSE(has_half_at_edge(""));
  EXPECT_TRUE(has_half_at_edge(kSecond));
  EXPECT_TRUE(has_half_at_edge("x" + kFirst));
  EXPECT_FALSE(has_half_at_edge(kFirst + "x"));
}

}  // namespace
}  // namespace deft
