#include "deft/shell/named_paths.h"

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

using Paths = std::vector<std::string>;

std::vector<NamedPath> named_by(const std::string& text) {
  std::vector<NamedPath> all;
  for (const CommandUse& use : reduce(text).commands) {
    for (NamedPath& path : named_paths(use)) all.push_back(std::move(path));
  }
  return all;
}

TEST(NamedPaths, APatternKeepsItsFolderAndAllOfItself) {
  const auto paths = named_by("cat 'my dir'/*.t?t");
  ASSERT_EQ(paths.size(), 1U);
  EXPECT_TRUE(paths[0].is_pattern);
  EXPECT_FALSE(paths[0].is_known);
  EXPECT_EQ(paths[0].path, "/p/my dir");
  EXPECT_EQ(paths[0].glob, "/p/my dir/*.t?t");
  EXPECT_EQ(named_by("cat '*'a*")[0].glob, "/p/\\*a*") << "what was quoted stands for itself";
  EXPECT_EQ(named_by("cat a$x*")[0].glob, "") << "more than a pattern";
}

TEST(NamedPaths, SaysWhatIsWrittenAndWhatIsReadAsATree) {
  EXPECT_TRUE(named_by("sed -i s/a/b/ f")[0].is_written);
  EXPECT_FALSE(named_by("sed s/a/b/ f")[0].is_written);
  EXPECT_TRUE(named_by("echo x > f")[0].is_written);
  EXPECT_TRUE(named_by("grep -r x d")[0].is_tree);
  EXPECT_TRUE(named_by("rg x")[0].is_tree);
  EXPECT_TRUE(named_by("mv d e")[0].is_tree) << "whoever moves a folder moves what is in it";
  EXPECT_FALSE(named_by("cat f")[0].is_tree);
}

TEST(TouchedPaths, OperandsValuesAndRedirectionsAreNamed) {
  const std::pair<const char*, Paths> cases[] = {
      {"ls", {}},
      {"ls -la src ../x /etc", {"/p/src", "/x", "/etc"}},
      {"cat a > out 2>/dev/null", {"/p/out", "/p/a"}},
      {"cat < ../in", {"/in"}},
      {"grep -rn foo src", {"/p/src"}},
      {"grep -rn /api/v1 src", {"/p/src"}},
      {"grep -e foo /etc/passwd", {"/etc/passwd"}},
      {"grep --regexp=foo /etc/passwd", {"/etc/passwd"}},
      {"grep --reg=foo /etc/passwd", {"/p/foo", "/etc/passwd"}},
      {"grep -f/etc/shadow x", {"/etc/shadow", "/p/x"}},
      {"grep --file=/etc/shadow x", {"/etc/shadow", "/p/x"}},
      {"grep --exclude-from=../x foo a", {"/x", "/p/a"}},
      {"rg --files /etc", {"/etc"}},
      {"sed -n '/a/,/b/p' f", {"/p/f"}},
      {"awk -F/ '{print $1}' f", {"/p/f"}},
      {"awk -F / '{print $1}' f", {"/p/f"}},
      {"cut -d / -f 2 f", {"/p/f"}},
      {"jq '.a' ~/x", {"/home/me/x"}},
      {"rg --ignore-file /etc/x foo src", {"/etc/x", "/p/src"}},
      {"grep -A 3 -m 1 foo /etc/passwd", {"/etc/passwd"}},
      {"date -r /etc/passwd", {"/etc/passwd"}},
      {"find", {"/p"}},
      {"find src /var -name '/x' -newer /etc/y", {"/p/src", "/var", "/etc/y"}},
      {"git -C /other log -- a", {"/p/log", "/other", "/p/a"}},
      {"echo /etc $x", {}},
      {"wc -l src/*.cc", {"/p/src"}},
      {"wc -l *.cc", {"/p"}},
      {"diff <(cat /a) b", {"/a", "/p/b"}},
      {"cd sub && cat ../../x", {"/p/sub", "/x"}},
      {"for f in a /b; do cat $f; done", {"/p/a", "/b"}},
  };
  for (const auto& [text, expected] : cases) {
    auto paths = touched_paths(reduce(text));
    ASSERT_TRUE(paths) << text;
    Paths sorted = expected;
    std::ranges::sort(sorted);
    std::ranges::sort(*paths);
    EXPECT_EQ(*paths, sorted) << text;
  }
}

TEST(TouchedPaths, NothingIsAnsweredWhereOneCannotBeResolved) {
  for (const char* text : {"cat $x",
                           "cat \"$x\"",
                           "cat a$x",
                           "cat src/*/../../$x",
                           "cat src/*/../../../etc/x",
                           "ls $(cat f)",
                           "xargs cat",
                           "ls | xargs cat",
                           "cat ~root/x",
                           "cat ~+/x",
                           "cd $x && cat a",
                           "wc --files0-from=l",
                           "sha256sum -c l",
                           "md5sum --check l",
                           "sed 'r /etc/passwd' f",
                           "sed -n -e 'r /x' f",
                           "sed -e'r /x' f",
                           "sed --expression='r /x' f",
                           "awk '{getline < \"/x\"}' f",
                           "jq 'import \"/x\" as $d; .' f",
                           "yq 'load(\"/x\")' f",
                           "eval x",
                           "source a",
                           "$x",
                           "cat <$x",
                           "grep --file=$x a",
                           "while read f; do cat \"$f\"; done",
                           "grep -R x .",
                           "rg --follow x",
                           "find -L . -name x",
                           "ls -LR",
                           "diff -r a b",
                           "awk 'BEGIN{ARGV[1]=\"/x\"}1' f"}) {
    EXPECT_FALSE(touched_paths(reduce(text))) << text;
  }
}

}  // namespace
}  // namespace deft::shell
