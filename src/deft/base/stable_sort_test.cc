#include "deft/base/stable_sort.h"

#include <gtest/gtest.h>

#include <string>

namespace deft {
namespace {

TEST(StableSort, EqualsKeepTheirOrder) {
  std::vector<std::string> words = {"bb", "a", "cc", "", "d", "aa"};
  stable_sort_by(words, [](const std::string& word) { return word.size(); });
  EXPECT_EQ(words, (std::vector<std::string>{"", "a", "d", "bb", "cc", "aa"}));
  std::vector<std::string> none;
  stable_sort_by(none, [](const std::string& word) { return word.size(); });
  EXPECT_TRUE(none.empty());
}

}  // namespace
}  // namespace deft
