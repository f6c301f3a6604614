#include "deft/tools/file_types.h"

#include <gtest/gtest.h>

#include "deft/testing/run_command.h"
#include "deft/testing/split.h"

namespace deft {
namespace {

bool is_of_type(std::string_view type, std::string_view name) {
  const auto rules = file_type(type);
  return rules && rules->match(name, false) == IgnoreVerdict::ignored;
}

// A name that the glob is for: "x.c" of "*.[ch]".
std::string example_of(std::string_view glob) {
  std::string name;
  for (std::size_t i = 0; i < glob.size(); ++i) {
    if (glob[i] == '*' || glob[i] == '?') {
      name += 'x';
    } else if (glob[i] == '[') {
      name += glob[i + 1];
      i = glob.find(']', i);
    } else {
      name += glob[i];
    }
  }
  return name;
}

TEST(FileTypes, KnowByTheNameWhatAFileIs) {
  EXPECT_TRUE(is_of_type("py", "a.py"));
  EXPECT_TRUE(is_of_type("python", "a.pyi"));
  EXPECT_TRUE(is_of_type("make", "Makefile"));
  EXPECT_TRUE(is_of_type("cpp", "a.hpp"));
  EXPECT_TRUE(is_of_type("javascript", "a.mjs"));
  EXPECT_FALSE(is_of_type("py", "a.pyc"));
  EXPECT_FALSE(is_of_type("py", "py"));
  EXPECT_FALSE(file_type("").has_value());
  EXPECT_FALSE(file_type("py python").has_value());
}

TEST(FileTypes, AreThoseOfRipgrep) {
  const auto listed = testing::run_command({"rg", "--no-config", "--type-list"}, "/", "ripgrep");
  ASSERT_EQ(listed.exit_code, 0) << listed.errors;
  std::size_t compared = 0;
  for (const std::string& line : testing::split(listed.output, '\n')) {
    const std::size_t colon = line.find(':');
    const std::string type = line.substr(0, colon);
    for (const std::string& part : testing::split(std::string_view(line).substr(colon + 1), ',')) {
      const std::string glob = part.substr(part.find_first_not_of(' '));
      if (glob == ".fut") continue;  // of Debian's version 13; a later one corrected it to *.fut
      EXPECT_TRUE(is_of_type(type, example_of(glob))) << type << ": " << glob;
      ++compared;
    }
  }
  EXPECT_GT(compared, 300U);
}

}  // namespace
}  // namespace deft
