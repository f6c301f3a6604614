#include "deft/agent/auto_tally.h"

#include <gtest/gtest.h>

namespace deft {
namespace {

TEST(AutoTally, PausesAfterThreeInARowUntilAPersonApproves) {
  AutoTally tally;
  tally.risky();
  tally.risky();
  tally.harmless();
  tally.risky();
  tally.risky();
  EXPECT_FALSE(tally.paused());
  tally.risky();
  EXPECT_TRUE(tally.paused());
  tally.harmless();
  EXPECT_TRUE(tally.paused()) << "only a person ends it";
  tally.approved();
  EXPECT_FALSE(tally.paused());
}

TEST(AutoTally, PausesAfterTwentyAltogether) {
  AutoTally tally;
  for (std::size_t i = 0; i < kRiskyMax; ++i) {
    EXPECT_FALSE(tally.paused()) << i;
    tally.risky();
    tally.harmless();
  }
  EXPECT_TRUE(tally.paused());
  tally.approved();
  tally.risky();
  EXPECT_FALSE(tally.paused()) << "the count began anew";
}

}  // namespace
}  // namespace deft
