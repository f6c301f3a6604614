#include "deft/shell/named_files.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "deft/shell/parse.h"

namespace deft::shell {
namespace {

Commands reduce(const std::string& text) {
  const auto script = parse(text);
  EXPECT_TRUE(script.has_value()) << text;
  return script ? commands_of(*script, {"/p", "/home/me"}) : Commands{};
}

using Shown = std::vector<ShownFile>;

TEST(ShownFiles, AWholeFileIsShownByCat) {
  EXPECT_EQ(shown_files(reduce("cat a")), (Shown{{"/p/a"}}));
  EXPECT_EQ(shown_files(reduce("cat -n 'a b' ../c /d")), (Shown{{"/p/a b"}, {"/c"}, {"/d"}}));
  EXPECT_EQ(shown_files(reduce("nl -ba a 2>/dev/null")), (Shown{{"/p/a"}}));
  EXPECT_TRUE(shown_files(reduce("cat a"))[0].is_whole());
}

TEST(ShownFiles, LinesAreShownByHeadTailAndSed) {
  EXPECT_EQ(shown_files(reduce("head -n 20 a")), (Shown{{"/p/a", 1, 20}}));
  EXPECT_EQ(shown_files(reduce("head -20 a; head a")), (Shown{{"/p/a", 1, 20}, {"/p/a", 1, 10}}));
  EXPECT_EQ(shown_files(reduce("tail -n +5 a")), (Shown{{"/p/a", 5, 0}}));
  EXPECT_EQ(shown_files(reduce("sed -n '3,9p' a && sed -n 4p a && sed -n '7,$p' a")),
            (Shown{{"/p/a", 3, 9}, {"/p/a", 4, 4}, {"/p/a", 7, 0}}));
  EXPECT_EQ(shown_files(reduce("sed -n '9,3p' a")), (Shown{{"/p/a", 9, 9}}));
  EXPECT_FALSE(shown_files(reduce("head -5 a"))[0].is_whole());
}

TEST(ShownFiles, TheFolderIsFollowedWhereItIsCertain) {
  EXPECT_EQ(shown_files(reduce("cd src && cat a && cat b")), (Shown{{"/p/src/a"}, {"/p/src/b"}}));
  EXPECT_EQ(shown_files(reduce("cd src && cd x && cat a")), (Shown{{"/p/src/x/a"}}));
  EXPECT_EQ(shown_files(reduce("f=a.cc; cat $f")), (Shown{{"/p/a.cc"}}));
  EXPECT_EQ(shown_files(reduce("cd src; cat a")), Shown{}) << "the cd may have failed";
}

TEST(ShownFiles, NothingIsSaidOfWhatIsFilteredHiddenOrUncertain) {
  for (const char* text : {"cat a | head",
                           "cat a > b",
                           "cat a >&2",
                           "cat a &>/dev/null",
                           "x=$(cat a)",
                           "echo $(cat a)",
                           "(cat a)",
                           "if true; then cat a; fi",
                           "for f in a; do cat $f; done",
                           "f() { cat a; }",
                           "cat a &",
                           "ls || cat a",
                           "ls && cat a || true",
                           "ls && cat a; ls",
                           "! cat a",
                           "exit; cat a",
                           "exec ls; cat a",
                           "cat $x",
                           "cat *",
                           "cat -",
                           "cat -s a",
                           "cat -A a",
                           "head -c 5 a",
                           "head -n -5 a",
                           "tail a",
                           "tail -n 5 a",
                           "sed -n 5,9p a b",
                           "sed 5,9p a",
                           "sed -n '/x/p' a",
                           "sed -n -e 5p a",
                           "sed -n '5,9p;11p' a",
                           "cat < a",
                           "eval x; cat a",
                           "tac a",
                           "cat"}) {
    EXPECT_EQ(shown_files(reduce(text)), Shown{}) << text;
  }
  EXPECT_EQ(shown_files(reduce("cat a; cat b | wc; cat c || true")), (Shown{{"/p/a"}, {"/p/c"}}));
}

using Paths = std::vector<std::string>;

}  // namespace
}  // namespace deft::shell
