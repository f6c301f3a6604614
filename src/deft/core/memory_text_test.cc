#include "deft/core/memory_text.h"

#include <gtest/gtest.h>

namespace deft {
namespace {

using Paths = std::vector<std::string>;

TEST(MemoryText, IsKeptAsItIsWrittenButForBlockComments) {
  EXPECT_EQ(read_memory_text("# Title\r\n\nText <!-- stays --> here\n").text,
            "# Title\r\n\nText <!-- stays --> here\n");
  EXPECT_EQ(read_memory_text("a\n<!-- for people -->\nb\n").text, "a\nb\n");
  EXPECT_EQ(read_memory_text("a\n  <!--\nmany\n@lines.md\n-->\nb").text, "a\nb");
  EXPECT_EQ(read_memory_text("<!-- a --> rest\nb").text, " rest\nb");
  EXPECT_EQ(read_memory_text("<!-- never ends\nb").text, "<!-- never ends\nb");
}

TEST(MemoryText, CommentsAndImportsInsideCodeAreText) {
  const std::string code = "```\n<!-- code -->\n@not.md\n```\n~~~~ sh\n@nor.md\n~~~\n@still.md\n~~~~\n@yes.md\n";
  EXPECT_EQ(read_memory_text(code).text, code);
  EXPECT_EQ(read_memory_text(code).imports, Paths{"yes.md"});
  EXPECT_EQ(read_memory_text("`@a.md` and ``x ` @b.md`` and @c.md and `@d.md").imports, (Paths{"c.md"}));
}

TEST(MemoryText, ImportsBeginAWord) {
  EXPECT_EQ(read_memory_text("See @docs/a.md, @~/b.md and me@example.org.\n@/abs/c.md\n- @d\\ e.md").imports,
            (Paths{"docs/a.md,", "~/b.md", "/abs/c.md", "d e.md"}));
  EXPECT_EQ(read_memory_text("@a.md @a.md @").imports, Paths{"a.md"});
  EXPECT_EQ(without_punctuation("docs/a.md),"), "docs/a.md");
}

TEST(MemoryText, FrontMatterSaysWhichFilesARuleIsAbout) {
  EXPECT_EQ(read_memory_text("---\npaths: src/**/*.{ts,tsx}, lib/**\n---\nText\n").paths,
            (Paths{"src/**/*.{ts,tsx}", "lib/**"}));
  EXPECT_EQ(
      read_memory_text("---\ndescription: x\npaths:\n  - \"src/api/**\"\n  - 'b.md'\nother:\n  - c\n---\nText\n").paths,
      (Paths{"src/api/**", "b.md"}));
  EXPECT_EQ(read_memory_text("---\npaths: [\"a/{b,c}\", d]\n---\nText\n").paths, (Paths{"a/{b,c}", "d"}));
  EXPECT_EQ(read_memory_text("---\npaths: [\"src/**/*.ts\", \"*.py\"]\n---\nText\n").paths,
            (Paths{"src/**/*.ts", "*.py"}));
  EXPECT_EQ(read_memory_text("---\npaths: ['a', \"b\", 'c']\n---\nText\n").paths, (Paths{"a", "b", "c"}));
  EXPECT_EQ(read_memory_text("---\npaths: \"a, b\"\n---\nText\n").paths, (Paths{"a", "b"}));
  EXPECT_EQ(read_memory_text("---\npaths: \"a\", \"b\"\n---\nText\n").paths, (Paths{"a", "b"}));
  EXPECT_EQ(read_memory_text("---\npaths: a\n---\nText\n").text, "Text\n");
  EXPECT_EQ(read_memory_text("---\npaths: a\nText\n").text, "---\npaths: a\nText\n");
  EXPECT_TRUE(read_memory_text("\n---\npaths: a\n---\n").paths.empty());
}

}  // namespace
}  // namespace deft
