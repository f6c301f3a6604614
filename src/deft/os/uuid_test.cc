#include "deft/os/uuid.h"

#include <gtest/gtest.h>

#include <set>

namespace deft {
namespace {

TEST(Uuid, IsNeverTheSameTwiceAndLooksLikeOne) {
  std::set<std::string> seen;
  for (int i = 0; i < 1000; ++i) {
    const std::string uuid = random_uuid();
    EXPECT_TRUE(is_uuid(uuid)) << uuid;
    EXPECT_EQ(uuid[14], '4');
    EXPECT_TRUE(seen.insert(uuid).second);
  }
}

TEST(Uuid, NothingElseIsTakenForOne) {
  EXPECT_TRUE(is_uuid("6E9D2C3B-0000-4000-8000-00000000000f"));
  EXPECT_FALSE(is_uuid(""));
  EXPECT_FALSE(is_uuid("../../../../../../../../../etc/passwd"));
  EXPECT_FALSE(is_uuid("6e9d2c3b-0000-4000-8000-00000000000g"));
  EXPECT_FALSE(is_uuid("6e9d2c3b00004000800000000000000f0000"));
  EXPECT_FALSE(is_uuid("6e9d2c3b-0000-4000-8000-00000000000f "));
}

TEST(Uuid, WhatBelongsTogetherIsCounted) {
  const std::string first = "6e9d2c3b-0000-4000-8000-00000000fffe";
  EXPECT_EQ(nth_uuid(first, 0), first);
  EXPECT_EQ(nth_uuid(first, 1), "6e9d2c3b-0000-4000-8000-00000000ffff");
  EXPECT_EQ(nth_uuid(first, 3), "6e9d2c3b-0000-4000-8000-000000000001");
  for (const std::uint16_t n : std::initializer_list<std::uint16_t>{0, 1, 2, 0x8000, 0xffff})
    EXPECT_EQ(uuid_distance(first, nth_uuid(first, n)), n);
  EXPECT_EQ(uuid_distance(first, "6e9d2c3b-0000-4000-8000-00000001fffe"), std::nullopt);
  EXPECT_EQ(uuid_distance(first, "no uuid"), std::nullopt);
}

}  // namespace
}  // namespace deft
