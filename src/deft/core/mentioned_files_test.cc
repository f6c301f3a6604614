#include "deft/core/mentioned_files.h"

#include <gtest/gtest.h>

namespace deft {
namespace {

using Words = std::vector<std::string>;

TEST(MentionedFiles, AreThoseThatATextNames) {
  EXPECT_EQ(mentioned_files("@README.md and (@src/a.cc), see @docs/x.md.\nagain @README.md, @\"a b.txt\" @./c"),
            (Words{"README.md", "src/a.cc", "docs/x.md", "a b.txt", "./c"}));
  EXPECT_EQ(mentioned_files("me@example.com @Override `@in/code` @ @\"open\n```\n@in/block\n```\nx@y.z"), Words{});
}

}  // namespace
}  // namespace deft
