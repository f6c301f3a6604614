#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>
#include <string_view>

#include "deft/base/utf8.h"
#include "deft/testing/run_command.h"
#include "deft/testing/split.h"
#include "search_oracle.h"
#include "search_tree.h"

// Glob beside bash's own globs (with globstar and dotglob) and beside git's list of a checkout's files.

namespace deft::testing {
namespace {

struct GlobCase {
  std::string_view pattern;
  std::string_view in_bash = {};  // if it is written differently there
};

void expect_same(SearchOracle& oracle, std::initializer_list<GlobCase> cases) {
  for (const auto& [pattern, in_bash] : cases) {
    EXPECT_EQ(oracle.glob_difference(pattern, in_bash.empty() ? pattern : in_bash), "")
        << pattern << " in " << oracle.tree();
  }
}

TEST(GlobAgainstBash, TheHeadersOfTheStandardLibrary) {
  SearchOracle oracle("/usr/include/c++");
  expect_same(oracle, {{"**/*.h"},
                       {"*.h", "**/*.h"},
                       {"**/*"},
                       {"*/vector"},
                       {"**/bits/*.{h,tcc}"},
                       {"*/[a-c]*"},
                       {"**/experimental/**", "**/experimental/**/*"},
                       {"**/stl_?????.h"},
                       {"**/[!a-z]*"}});
}

TEST(GlobAgainstBash, ModulesOfNode) {
  SearchOracle oracle("/usr/share/nodejs");
  expect_same(oracle, {{"**/package.json"},
                       {"package.json", "**/package.json"},
                       {"lodash/*.js"},
                       {"lodash/**/_base*.js"},
                       {"**/*.{d.ts,json}"},
                       {"{lodash,@types}/**/is[A-M]*", "{lodash,@types}/**/is[A-M]*"},
                       {"no/such/**"}});
}

TEST(GlobAgainstBash, ACheckoutWithEverythingThatIsHiddenOrIgnored) {
  const SearchTree& tree = shared_search_tree();
  SearchOracle oracle(tree.checkout, tree.home);
  expect_same(oracle, {{"**/*.c"},
                       {"*.c", "**/*.c"},
                       {"./*.c", "*.c"},
                       {"**"},
                       {"**/*"},
                       {"src/**/*.{c,h,cc}"},
                       {"**/.*"},
                       {"**/node_modules/**/*.js"},
                       {"**/{lib,test}/*.py"},
                       {"odd/*", "odd/*"},
                       {"odd/?????"},
                       {"**/keep[0-9]*"},
                       {"**/[[:upper:]]*"},
                       {"**/\xC3\xA9t?*"},
                       {"odd/\\[brackets\\] *", "odd/\\[brackets\\]\\ *"},
                       {"**/a b/*", "**/a\\ b/*"}});
}

// What git would show of a checkout, tracked or not, is what Glob finds when it respects ignore files.
TEST(GlobAgainstGit, ACheckoutWithoutWhatIsIgnored) {
  const SearchTree tree;
  std::filesystem::remove_all(tree.checkout + "/inner");  // for git a repository inside is one entry
  ASSERT_EQ(run_command({"find", ".", "-name", ".ignore", "-delete", "-o", "-name", ".rgignore", "-delete"},
                        tree.checkout, "findutils")
                .exit_code,
            0);
  SearchOracle oracle(tree.checkout, tree.home);
  for (const char* pattern : {"*", "*.c", "*.js", "*.md", ".*", "keep*"}) {
    const auto listed = run_command({"env", "HOME=" + tree.home, "git", "ls-files", "-z", "--cached", "--others",
                                     "--exclude-standard", "--", std::string(":(glob)**/") + pattern},
                                    tree.checkout, "git");
    ASSERT_EQ(listed.exit_code, 0) << listed.errors;
    std::set<std::string> expected;
    for (const std::string& path : split(listed.output, '\0')) {
      // For git a link is an entry wherever it leads; Glob finds files.
      if (std::filesystem::is_regular_file(tree.checkout + "/" + path)) expected.insert(to_valid_utf8(path));
    }
    const Json details = oracle.glob({{"pattern", pattern}}, true).details;
    EXPECT_EQ(find_int(details, "totalMatches"), static_cast<std::int64_t>(expected.size())) << pattern;
    for (const Json& name : *find_array(details, "filenames")) {
      EXPECT_TRUE(expected.contains(std::string(name.get_string()))) << name.get_string();
    }
    EXPECT_FALSE(expected.empty()) << pattern;
  }
}

}  // namespace
}  // namespace deft::testing
