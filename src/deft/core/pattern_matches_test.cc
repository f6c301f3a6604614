#include "deft/core/pattern_matches.h"

#include <gtest/gtest.h>

#include <map>

namespace deft {
namespace {

using Names = std::vector<std::string>;

// Folders by their path.
ListFolder listing(std::map<std::string, Names> folders) {
  return [folders = std::move(folders)](const std::string& folder) -> std::optional<Names> {
    const auto found = folders.find(folder);
    return found == folders.end() ? Names{} : found->second;
  };
}

TEST(PatternMatches, WildSegmentsAreLookedUpOneAfterTheOther) {
  const auto list = listing({{"/p", {"src", "sub", "x"}}, {"/p/src", {"a.txt", "b.md"}}, {"/p/sub", {"c.txt"}}});
  EXPECT_EQ(expand_pattern("/p/s*/*.txt", list), (Names{"/p/src/a.txt", "/p/sub/c.txt"}));
  EXPECT_EQ(expand_pattern("/p/s*/a", list), (Names{"/p/src/a", "/p/sub/a"})) << "plain names need not exist";
  EXPECT_EQ(expand_pattern("/p/?", list), (Names{"/p/x"}));
}

TEST(PatternMatches, TakesRatherTooManyThanTooFew) {
  const auto list = listing({{"/p", {".hidden", "A.TXT", "b.txt", "é"}}});
  EXPECT_EQ(expand_pattern("/p/*.txt", list), (Names{"/p/A.TXT", "/p/b.txt"})) << "some shells ignore case";
  EXPECT_EQ(expand_pattern("/p/*", list)->size(), 4U) << "and some take names with a dot";
  EXPECT_EQ(expand_pattern("/p/[a-b]", list)->size(), 4U) << "what a range means depends on the locale";
  EXPECT_EQ(expand_pattern("/p/\\*", list), (Names{"/p/*"})) << "a quoted star is a name";
}

TEST(PatternMatches, NothingIsSaidOfFoldersThatCannotBeListed) {
  const ListFolder refuses = [](const std::string&) { return std::nullopt; };
  EXPECT_FALSE(expand_pattern("/p/*", refuses));
  Names many(kPatternMatchesMax + 1, "x");
  EXPECT_FALSE(expand_pattern("/p/*", listing({{"/p", many}})));
}

}  // namespace
}  // namespace deft
