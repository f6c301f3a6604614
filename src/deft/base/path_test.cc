#include "deft/base/path.h"

#include <gtest/gtest.h>

namespace deft {
namespace {

TEST(Path, IsNormalisedWithoutLookingAtTheDisk) {
  EXPECT_EQ(normal_path("/p/a/../b//c/."), "/p/b/c");
  EXPECT_EQ(normal_path("/../.."), "/");
  EXPECT_EQ(absolute_path("b", "/p"), "/p/b");
  EXPECT_EQ(absolute_path("../b", "/p/q"), "/p/b");
  EXPECT_EQ(absolute_path("/x/", "/p"), "/x");
}

TEST(Path, ANamesakeIsNotBelow) {
  EXPECT_TRUE(is_at_or_below("/p", "/p"));
  EXPECT_TRUE(is_at_or_below("/p/a", "/p"));
  EXPECT_TRUE(is_at_or_below("/p", "/"));
  EXPECT_FALSE(is_at_or_below("/pa", "/p"));
  EXPECT_FALSE(is_at_or_below("/", "/p"));
}

TEST(Path, HostileIdsGiveSafeAndDifferentFileNames) {
  EXPECT_EQ(safe_file_name("toolu_01-x"), "toolu_01-x");
  for (const std::string& id : {std::string("../../x"), std::string("a\0b", 3), std::string(4096, 'x'), std::string(""),
                                std::string(".."), std::string("\xF0\x9F\x98\x80"), std::string("a/b")}) {
    const std::string name = safe_file_name(id);
    EXPECT_LE(name.size(), 100U);
    EXPECT_EQ(name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"),
              std::string::npos)
        << name;
    EXPECT_FALSE(name.empty());
  }
  EXPECT_NE(safe_file_name("a/b"), safe_file_name("a.b"));
  EXPECT_NE(safe_file_name(std::string(4096, 'x')), safe_file_name(std::string(4097, 'x')));
}

}  // namespace
}  // namespace deft
