#include "deft/core/fair_slots.h"

#include <gtest/gtest.h>

namespace deft {
namespace {

using Members = std::vector<FairSlots::Member>;

TEST(FairSlots, NoMoreAreTakenThanThereAre) {
  FairSlots slots(2);
  EXPECT_TRUE(slots.take(1));
  EXPECT_TRUE(slots.take(1));
  EXPECT_FALSE(slots.take(1));
  EXPECT_FALSE(slots.take(2));
  EXPECT_EQ(slots.free(), 0U);
}

TEST(FairSlots, WhoeverWaitsIsServedBeforeTheOneThatGivesBack) {
  FairSlots slots(1);
  ASSERT_TRUE(slots.take(1));
  ASSERT_FALSE(slots.take(2));
  EXPECT_EQ(slots.give_back(), Members{2});
  EXPECT_FALSE(slots.take(1));  // at once again: but 2 was there before
  EXPECT_TRUE(slots.take(2));
  EXPECT_EQ(slots.give_back(), Members{1});
  EXPECT_TRUE(slots.take(1));
}

TEST(FairSlots, TheLineIsServedInOrder) {
  FairSlots slots(1);
  ASSERT_TRUE(slots.take(9));
  for (const FairSlots::Member member : Members{3, 1, 2}) ASSERT_FALSE(slots.take(member));
  for (const FairSlots::Member member : Members{3, 1, 2}) {
    EXPECT_EQ(slots.give_back(), Members{member});
    for (const FairSlots::Member other : Members{1, 2, 3, 9}) {
      if (other == member) continue;
      EXPECT_FALSE(slots.take(other)) << "while " << member << " is the first";
    }
    EXPECT_TRUE(slots.take(member));
  }
}

TEST(FairSlots, WhoDoesNotWantAnyMoreHoldsNobodyUp) {
  FairSlots slots(1);
  ASSERT_TRUE(slots.take(1));
  ASSERT_FALSE(slots.take(2));
  ASSERT_FALSE(slots.take(3));
  EXPECT_EQ(slots.give_back(), Members{2});
  EXPECT_EQ(slots.leave(2), Members{3});
  EXPECT_TRUE(slots.take(3));
}

TEST(FairSlots, MoreThanTheLineCanTakeIsForAnybody) {
  FairSlots slots(3);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(slots.take(1));
  ASSERT_FALSE(slots.take(2));
  slots.give_back();
  EXPECT_EQ(slots.give_back(), Members{2});
  EXPECT_TRUE(slots.take(1));  // one is kept for 2
  EXPECT_FALSE(slots.take(1));
  EXPECT_TRUE(slots.take(2));
}

}  // namespace
}  // namespace deft
