#include "deft/base/text.h"

#include <gtest/gtest.h>

namespace deft {
namespace {

TEST(Text, OneLineFoldsCutsAndDropsWhatCouldMoveACursor) {
  EXPECT_EQ(one_line("  a\n\t b  ", 10), "a b");
  EXPECT_EQ(one_line("abcdef", 3), "abc…");
  EXPECT_EQ(one_line("a\x1b[31mb\x7f\xC2\x9B", 20), "a [31mb");
  EXPECT_EQ(one_line("\xFF", 5), "\xEF\xBF\xBD");
}

TEST(Text, SizesAreShownForPeople) {
  EXPECT_EQ(human_bytes(512), "512 B");
  EXPECT_EQ(human_bytes(52'429), "51.2 KB");
  EXPECT_EQ(human_bytes(std::size_t{5} << 20), "5.0 MB");
}

TEST(Text, AWordIsAmongWordsOnlyAsAWhole) {
  EXPECT_TRUE(is_among_words("cat", "ls cat tac"));
  EXPECT_TRUE(is_among_words("ls", "ls cat tac"));
  EXPECT_TRUE(is_among_words("tac", "ls cat tac"));
  for (const char* word : {"ca", "at", "cat tac", ""}) EXPECT_FALSE(is_among_words(word, "ls cat tac")) << word;
}

}  // namespace
}  // namespace deft
