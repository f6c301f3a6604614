#include "deft/config/worktree_settings.h"

#include <gtest/gtest.h>

namespace deft {
namespace {

TEST(WorktreeSettings, SayWhatIsLinkedAndCheckedOutAndWhereItBegins) {
  const auto settings = parse_worktree_settings(*parse_json(
      R"({"worktree":{"symlinkDirectories":["node_modules"],"sparsePaths":["src","docs"],"baseRef":"fresh"}})"));
  ASSERT_TRUE(settings.has_value());
  EXPECT_EQ(settings->symlink_directories, std::vector<std::string>{"node_modules"});
  EXPECT_EQ(settings->sparse_paths, (std::vector<std::string>{"src", "docs"}));
  EXPECT_TRUE(settings->from_remote);
  EXPECT_FALSE(parse_worktree_settings(JsonObject())->from_remote);
}

TEST(WorktreeSettings, AWrongValueIsAnErrorThatNamesItsKey) {
  for (const auto& [text, key] : std::vector<std::pair<std::string, std::string>>{
           {R"({"worktree":1})", "worktree must"},
           {R"({"worktree":{"symlinkDirectories":"x"}})", "worktree.symlinkDirectories"},
           {R"({"worktree":{"sparsePaths":[1]}})", "worktree.sparsePaths"},
           {R"({"worktree":{"baseRef":"main"}})", "worktree.baseRef"}}) {
    const auto settings = parse_worktree_settings(*parse_json(text));
    ASSERT_FALSE(settings.has_value()) << text;
    EXPECT_TRUE(settings.error().message.starts_with(key)) << settings.error().message;
  }
}

}  // namespace
}  // namespace deft
