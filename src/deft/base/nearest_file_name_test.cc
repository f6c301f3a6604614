#include "deft/base/nearest_file_name.h"

#include <gtest/gtest.h>

namespace deft {
namespace {

TEST(NearestFileName, FindsWhatWasProbablyMeant) {
  const std::vector<std::string> names = {"README.md", "main.cc", "main_test.cc", "parser.cc", "parser.h", "src"};
  struct Case {
    const char* wanted;
    const char* nearest;  // nullptr: none
  };
  const Case cases[] = {
      {"mian.cc", "main.cc"},
      {"readme.md", "README.md"},
      {"main.cpp", "main.cc"},
      {"parser.hpp", "parser.h"},
      {"mains.cc", "main.cc"},
      {"scr", "src"},
      {"readme", "README.md"},
      {"quite_different.txt", nullptr},
      {"main_tests.cc", "main_test.cc"},
      {"", nullptr},
  };
  for (const Case& c : cases) {
    const auto nearest = nearest_file_name(c.wanted, names);
    EXPECT_EQ(nearest.value_or("none"), c.nearest ? c.nearest : "none") << c.wanted;
  }
}

}  // namespace
}  // namespace deft
