#include "deft/tools/worktree.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "deft/os/disk_files.h"
#include "deft/os/warden_processes.h"
#include "deft/testing/run_command.h"
#include "deft/testing/temp_folder.h"
#include "deft/testing/tool_bench.h"

// Real git, real repositories.

namespace deft {
namespace {

namespace fs = std::filesystem;

class WorktreeTools : public ::testing::Test {
 protected:
  WorktreeTools() {
    root = folder.path() + "/repo";
    fs::create_directories(root);
    git({"init", "-q", "-b", "main"});
    put("a.txt", "one\n");
    put("sub/b.txt", "two\n");
    git({"add", "."});
    commit("first");
    bench.session().directories = {root};
    bench.session().working_directory = root;
    bench.use(processes);
  }

  std::string git(std::vector<std::string> arguments, const std::string& in = {}) {
    arguments.insert(arguments.begin(), "git");
    const auto done = testing::run_command(arguments, in.empty() ? root : in, "git");
    EXPECT_EQ(done.exit_code, 0) << done.errors;
    return done.output;
  }
  void commit(const std::string& message, const std::string& in = {}) {
    git({"-c", "user.name=T", "-c", "user.email=t@example.org", "commit", "-q", "--no-verify", "-m", message}, in);
  }
  void put(const std::string& name, std::string_view text) { folder.put("repo/" + name, text); }

  Result<ToolResult> enter(Json input = JsonObject{{"name", "w"}}) { return bench.call(*enter_, input); }
  Result<ToolResult> leave(std::string_view action, bool discard = false) {
    return bench.call(*exit_, JsonObject{{"action", action}, {"discard_changes", discard}});
  }
  std::string error_of(const Result<ToolResult>& result) { return result ? "" : result.error().message; }
  std::string worktree() const { return root + "/.deft/worktrees/w"; }
  bool has_branch(const std::string& name) { return !git({"branch", "--list", name}).empty(); }
  void use(WorktreeToolOptions options) {
    enter_ = make_enter_worktree_tool(options);
    exit_ = make_exit_worktree_tool(options);
  }

  TempFolder folder;
  std::string root;
  SystemClock clock;
  DiskFiles files;
  WardenProcesses processes{clock};
  ToolBench bench{files, "/"};
  std::shared_ptr<Tool> enter_ = make_enter_worktree_tool();
  std::shared_ptr<Tool> exit_ = make_exit_worktree_tool();
};

TEST_F(WorktreeTools, TheSessionGoesOnInANewCheckoutWithABranchOfItsOwn) {
  const auto result = enter();
  ASSERT_TRUE(result.has_value()) << result.error().message;
  EXPECT_EQ(find_string(result->details, "worktreePath"), worktree());
  EXPECT_EQ(find_string(result->details, "worktreeBranch"), "worktree-w");
  EXPECT_EQ(bench.session().working_directory, worktree());
  EXPECT_EQ(bench.session().directories.front(), worktree());
  EXPECT_EQ(folder.bytes("repo/.deft/worktrees/w/sub/b.txt"), "two\n");
  EXPECT_EQ(git({"status", "--porcelain"}), "") << "the other checkout does not show it";
  EXPECT_EQ(git({"branch", "--show-current"}, worktree()), "worktree-w\n");
}

TEST_F(WorktreeTools, RemovedItIsGoneWithItsBranchAndTheSessionIsBack) {
  ASSERT_TRUE(enter().has_value());
  const auto result = leave("remove");
  ASSERT_TRUE(result.has_value()) << result.error().message;
  EXPECT_EQ(find_string(result->details, "originalCwd"), root);
  EXPECT_EQ(bench.session().working_directory, root);
  EXPECT_FALSE(fs::exists(worktree()));
  EXPECT_FALSE(has_branch("worktree-w"));
}

TEST_F(WorktreeTools, KeptItStaysAndCanBeEnteredAgain) {
  ASSERT_TRUE(enter().has_value());
  ASSERT_TRUE(leave("keep").has_value());
  EXPECT_TRUE(fs::exists(worktree()));
  EXPECT_NE(error_of(enter()).find("is there already"), std::string::npos);
  const auto again = enter(JsonObject{{"path", worktree()}});
  ASSERT_TRUE(again.has_value()) << again.error().message;
  EXPECT_NE(error_of(leave("remove")).find("was there before this session"), std::string::npos);
  EXPECT_TRUE(leave("keep").has_value());
}

TEST_F(WorktreeTools, NoWorkIsLostUnlessThatIsWanted) {
  ASSERT_TRUE(enter().has_value());
  put(".deft/worktrees/w/new.txt", "new\n");
  put(".deft/worktrees/w/a.txt", "changed\n");
  const std::string files_lost = error_of(leave("remove"));
  EXPECT_NE(files_lost.find("2 changed or new files (a.txt, new.txt)"), std::string::npos) << files_lost;
  git({"add", "."}, worktree());
  commit("work", worktree());
  const std::string commits_lost = error_of(leave("remove"));
  EXPECT_NE(commits_lost.find("1 commit that is on no other branch"), std::string::npos) << commits_lost;
  EXPECT_TRUE(fs::exists(worktree()));
  EXPECT_EQ(bench.session().working_directory, worktree());
  ASSERT_TRUE(leave("remove", true).has_value());
  EXPECT_FALSE(fs::exists(worktree()));
}

TEST_F(WorktreeTools, WhatGitIgnoresIsNotLostEither) {
  put(".gitignore", ".env\n/out/\n*.log\nlinked/\n");
  git({"add", ".gitignore"});
  commit("ignore");
  put(".env", "of the user's own checkout");
  folder.put("repo/linked/x", "1");
  use({.git = {.symlinked_directories = {"linked"}}});
  ASSERT_TRUE(enter());
  ASSERT_TRUE(fs::is_symlink(worktree() + "/linked"));
  EXPECT_TRUE(leave("remove")) << "what came with it is no loss";
  EXPECT_TRUE(folder.bytes("repo/linked/x"));

  ASSERT_TRUE(enter());
  folder.put("repo/.deft/worktrees/w/.env", "KEY=1");
  folder.put("repo/.deft/worktrees/w/out/a/b.o", "1");
  folder.put("repo/.deft/worktrees/w/out/c.o", "1");
  const auto refused = leave("remove");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::invalid_input);
  EXPECT_NE(error_of(refused).find("2 files or folders that git ignores (.env, out/)"), std::string::npos)
      << error_of(refused);
  EXPECT_NE(error_of(refused).find("discard_changes"), std::string::npos);
  EXPECT_EQ(folder.bytes("repo/.deft/worktrees/w/.env"), "KEY=1");
  ASSERT_TRUE(leave("remove", /*discard=*/true));
  EXPECT_FALSE(fs::exists(worktree()));
  EXPECT_EQ(folder.bytes("repo/.env"), "of the user's own checkout");
}

TEST_F(WorktreeTools, CommitsThatAreMergedElsewhereAreNotLost) {
  ASSERT_TRUE(enter().has_value());
  put(".deft/worktrees/w/new.txt", "new\n");
  git({"add", "."}, worktree());
  commit("work", worktree());
  git({"merge", "-q", "--ff-only", "worktree-w"});
  EXPECT_TRUE(leave("remove").has_value());
}

TEST_F(WorktreeTools, CommitsOfADetachedHeadCountToo) {
  ASSERT_TRUE(enter().has_value());
  git({"checkout", "-q", "--detach"}, worktree());
  put(".deft/worktrees/w/new.txt", "new\n");
  git({"add", "."}, worktree());
  commit("work", worktree());
  EXPECT_NE(error_of(leave("remove")).find("1 commit"), std::string::npos);
}

TEST_F(WorktreeTools, NothingThatTheRepositoryBringsAlongIsRun) {
  put(".gitattributes", "*.txt filter=evil\n");
  git({"add", "."});
  commit("attributes");
  const std::string touch = "touch " + root + "/pwned";
  for (const char* hook : {"post-checkout", "pre-commit", "reference-transaction", "post-index-change"}) {
    folder.put("repo/.git/hooks/" + std::string(hook), "#!/bin/sh\n" + touch + "\n", 0755);
  }
  git({"config", "filter.evil.smudge", touch});
  git({"config", "filter.evil.clean", touch});
  git({"config", "filter.evil.process", touch});
  git({"config", "filter.evil.required", "true"});
  git({"config", "core.fsmonitor", touch});
  git({"config", "core.sshCommand", touch});
  ASSERT_TRUE(enter().has_value());
  put(".deft/worktrees/w/a.txt", "changed\n");
  EXPECT_FALSE(leave("remove").has_value());
  EXPECT_TRUE(leave("remove", true).has_value());
  EXPECT_FALSE(fs::exists(root + "/pwned"));
}

TEST_F(WorktreeTools, ARepositoryCannotClaimAFolder) {
  const std::string victim = folder.path() + "/victim";
  fs::create_directories(victim);
  folder.put("repo/.git/worktrees/x/gitdir", victim + "/.git\n");
  folder.put("repo/.git/worktrees/x/HEAD", "ref: refs/heads/main\n");
  folder.put("repo/.git/worktrees/x/commondir", "../..\n");
  EXPECT_NE(error_of(enter(JsonObject{{"path", victim}})).find("no worktree of this repository"), std::string::npos);
  EXPECT_NE(error_of(enter(JsonObject{{"path", root}})).find("already"), std::string::npos);
  EXPECT_NE(error_of(enter(JsonObject{{"path", "/"}})).find("no worktree"), std::string::npos);
}

TEST_F(WorktreeTools, NamesAreCheckedAndOneIsMadeUp) {
  for (const char* name : {"..", "a/../b", "-x", "a b", "a/", ".git", "x.lock", "$(id)"}) {
    EXPECT_NE(error_of(enter(JsonObject{{"name", name}})).find("must be letters"), std::string::npos) << name;
  }
  EXPECT_NE(error_of(enter(JsonObject{{"name", "a"}, {"path", "/b"}})).find("not both"), std::string::npos);
  const auto result = enter(JsonObject());
  ASSERT_TRUE(result.has_value()) << result.error().message;
  EXPECT_NE(error_of(enter(JsonObject{{"name", "b"}})).find("ExitWorktree first"), std::string::npos);
}

TEST_F(WorktreeTools, SegmentsOfANameMakeOneFolder) {
  const auto result = enter(JsonObject{{"name", "fix/a"}});
  ASSERT_TRUE(result.has_value()) << result.error().message;
  EXPECT_EQ(find_string(result->details, "worktreePath"), root + "/.deft/worktrees/fix+a");
}

TEST_F(WorktreeTools, ALinkInTheWayIsNotFollowed) {
  const std::string elsewhere = folder.path() + "/elsewhere";
  fs::create_directories(elsewhere);
  fs::create_directories(root + "/.deft");
  fs::create_symlink(elsewhere, root + "/.deft/worktrees");
  EXPECT_NE(error_of(enter()).find("by a link"), std::string::npos);
  EXPECT_TRUE(fs::is_empty(elsewhere));
}

TEST_F(WorktreeTools, FoldersCanBeLinkedAndLeftOut) {
  put("node_modules/x/index.js", "x");
  put(".gitignore", "node_modules\n");
  git({"add", ".gitignore"});
  commit("ignore");
  use({.git = {.symlinked_directories = {"node_modules", "missing"}, .sparse_paths = {"sub"}}});
  const auto result = enter();
  ASSERT_TRUE(result.has_value()) << result.error().message;
  EXPECT_EQ(fs::read_symlink(worktree() + "/node_modules"), root + "/node_modules");
  EXPECT_TRUE(fs::exists(worktree() + "/sub/b.txt"));
  ASSERT_TRUE(leave("remove", true).has_value());
  EXPECT_TRUE(fs::exists(root + "/node_modules/x/index.js"));
}

TEST_F(WorktreeTools, ASettingThatLeadsOutOfTheProjectLeavesNothingBehind) {
  use({.git = {.symlinked_directories = {"../outside"}}});
  EXPECT_NE(error_of(enter()).find("no folder in the project"), std::string::npos);
  EXPECT_FALSE(fs::exists(worktree()));
  EXPECT_FALSE(has_branch("worktree-w"));
}

TEST_F(WorktreeTools, ItCanBeginWithTheRemotesMainBranch) {
  git({"update-ref", "refs/remotes/origin/main", "HEAD"});
  git({"symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main"});
  put("a.txt", "later\n");
  git({"add", "."});
  commit("second");
  use({.git = {.from_remote = true}});
  ASSERT_TRUE(enter().has_value());
  EXPECT_EQ(folder.bytes("repo/.deft/worktrees/w/a.txt"), "one\n");
}

TEST_F(WorktreeTools, WithoutARepositoryThereIsNone) {
  bench.session().directories = {folder.path()};
  EXPECT_NE(error_of(enter()).find("no git repository"), std::string::npos);
}

TEST_F(WorktreeTools, AHookMayMakeAndRemoveItInstead) {
  const std::string made = folder.path() + "/made";
  fs::create_directories(made);
  std::string removed;
  use({.create_by_hook = [&](const std::string&, std::stop_token) { return std::optional(Result<std::string>(made)); },
       .remove_by_hook = [&](const std::string& path, std::stop_token) -> Result<void> {
         removed = path;
         return {};
       }});
  ASSERT_TRUE(enter().has_value());
  EXPECT_EQ(bench.session().working_directory, made);
  ASSERT_TRUE(leave("remove").has_value());
  EXPECT_EQ(removed, made);
  use({.create_by_hook = [](const std::string&, std::stop_token) {
    return std::optional(Result<std::string>("not a path"));
  }});
  EXPECT_NE(error_of(enter()).find("is no folder"), std::string::npos);
}

TEST_F(WorktreeTools, WhoIsInNoneCannotLeave) {
  EXPECT_NE(error_of(leave("keep")).find("in no worktree"), std::string::npos);
}

}  // namespace
}  // namespace deft
