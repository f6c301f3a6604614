#include "deft/ui/meant_word.h"

#include <gtest/gtest.h>

namespace deft {
namespace {

const std::vector<std::string> kKnown = {"--output-format", "--input-format", "--verbose", "sessions", "-p"};

TEST(MeantWord, ASlipAnotherCaseAndAnotherSpellingAreSeenThrough) {
  EXPECT_EQ(meant_word("--ouput-format", kKnown), "; is --output-format meant?");
  EXPECT_EQ(meant_word("--outputFormat", kKnown), "; is --output-format meant?");
  EXPECT_EQ(meant_word("Sesions", kKnown), "; is sessions meant?");
}

TEST(MeantWord, AWordThatIsOnlyBegunIsCompleted) {
  EXPECT_EQ(meant_word("--output", kKnown), "; is --output-format meant?");
  EXPECT_EQ(meant_word("sess", kKnown), "; is sessions meant?");
}

TEST(MeantWord, NothingIsMadeUp) {
  EXPECT_EQ(meant_word("--temperature", kKnown), "");
  EXPECT_EQ(meant_word("--", kKnown), "");
  EXPECT_EQ(meant_word("", kKnown), "");
}

}  // namespace
}  // namespace deft
