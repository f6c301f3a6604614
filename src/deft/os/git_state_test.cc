#include "deft/os/git_state.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include <cstdlib>

#include "deft/os/disk_files.h"
#include "deft/testing/run_command.h"
#include "deft/testing/temp_folder.h"

namespace deft {
namespace {

// Against repositories that git itself has made.
class GitStateTest : public ::testing::Test {
 protected:
  void git(const std::string& words, const std::string& in = "") {
    const std::string command =
        "cd '" + (in.empty() ? folder.path() : in) +
        "' && git -c user.name=n -c user.email=e -c init.defaultBranch=main -c commit.gpgsign=false " + words +
        " >/dev/null 2>&1";
    ASSERT_EQ(std::system(command.c_str()), 0) << command;
  }
  std::optional<GitState> state(const std::string& directory = "") {
    return read_git_state(directory.empty() ? folder.path() : directory, files);
  }

  const TempFolder folder;
  DiskFiles files;
};

TEST_F(GitStateTest, ADirectoryOutsideOfAnyRepositoryHasNone) {
  folder.put(".git", "not a pointer");
  EXPECT_EQ(state(), std::nullopt);
  folder.put("other/.git/HEAD", "ref: refs/heads/../../../etc/passwd\n");
  EXPECT_EQ(state(folder / "other"), std::nullopt);
}

TEST_F(GitStateTest, SaysTheBranchTheCommitAndWhatWasLastDone) {
  git("init");
  EXPECT_EQ(state()->branch, "main");
  EXPECT_EQ(state()->commit, "");
  git("commit --allow-empty -m 'The first'");
  git("checkout -b feature/x");
  git("commit --allow-empty -m 'Repair the build'");
  folder.put("a/b/c.txt", "");
  const auto found = state(folder / "a/b");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->root, folder.path());
  EXPECT_EQ(found->branch, "feature/x");
  EXPECT_EQ(found->main_branch, "main");
  EXPECT_EQ(found->commit.size(), 40U);
  ASSERT_EQ(found->log.size(), 3U);
  EXPECT_EQ(found->log[0], "commit: Repair the build");
  EXPECT_FALSE(found->is_linked_worktree);

  const std::string commit = found->commit;
  git("pack-refs --all");
  EXPECT_EQ(state()->commit, commit);
  git("checkout --detach");
  EXPECT_EQ(state()->branch, "");
  EXPECT_EQ(state()->commit, commit);
}

TEST_F(GitStateTest, KnowsAnotherWorktreeAndWhatIsUnderWay) {
  git("init repo");
  git("commit --allow-empty -m one", folder / "repo");
  git("worktree add ../linked -b side", folder / "repo");
  const auto linked = state(folder / "linked");
  ASSERT_TRUE(linked);
  EXPECT_EQ(linked->branch, "side");
  EXPECT_TRUE(linked->is_linked_worktree);
  EXPECT_EQ(linked->commit, state(folder / "repo")->commit);
  EXPECT_EQ(linked->under_way, "");
  folder.put("repo/.git/MERGE_HEAD", "");
  EXPECT_EQ(state(folder / "repo")->under_way, "merge");
}

TEST_F(GitStateTest, ARepositoryThatIsKeptInAnotherFormIsOneAllTheSame) {
  folder.put(".git/HEAD", "ref: refs/heads/.invalid\n");
  folder.put(".git/refs/heads", "this repository uses the reftable format\n");
  const auto found = state();
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->is_head_known);
  EXPECT_EQ(found->branch, "");
}

TEST_F(GitStateTest, WhatLiesWhereEverybodyMayPutThingsIsNobodysRepository) {
  folder.put("shared/.git/HEAD", "ref: refs/heads/main\n");
  folder.put("shared/work/a.txt", "");
  EXPECT_TRUE(state(folder / "shared/work"));
  ASSERT_EQ(::chmod((folder / "shared").c_str(), 01777), 0);
  EXPECT_EQ(state(folder / "shared/work"), std::nullopt);
}

TEST_F(GitStateTest, WhatWasDoneElsewhereIsNotTold) {
  git("init private");
  git("commit --allow-empty -m 'A plan of mine'", folder / "private");
  folder.put("stranger/.git", "gitdir: " + (folder / "private/.git") + "\n");
  ASSERT_TRUE(state(folder / "stranger"));
  EXPECT_TRUE(state(folder / "stranger")->log.empty());

  git("init other");
  git("commit --allow-empty -m one", folder / "other");
  folder.put("history", "a\tsecret\n");
  std::filesystem::remove(folder / "other/.git/logs/HEAD");
  std::filesystem::create_symlink(folder / "history", folder / "other/.git/logs/HEAD");
  EXPECT_TRUE(state(folder / "other")->log.empty());

  git("init around");
  git("-c protocol.file.allow=always submodule add '" + (folder / "private") + "' inner", folder / "around");
  git("worktree add ../linked -b side", folder / "private");
  EXPECT_FALSE(state(folder / "around/inner")->log.empty());
  git("commit --allow-empty -m two", folder / "linked");
  EXPECT_FALSE(state(folder / "linked")->log.empty());
}

TEST_F(GitStateTest, RunsNothingThatTheRepositoryNames) {
  git("init");
  git("config core.fsmonitor 'touch " + (folder / "ran") + "'");
  git("config core.pager 'touch " + (folder / "ran") + "'");
  ASSERT_TRUE(state());
  EXPECT_FALSE(folder.bytes("ran"));
}

}  // namespace
}  // namespace deft
