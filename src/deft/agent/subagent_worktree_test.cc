#include <gtest/gtest.h>

#include <filesystem>

#include "deft/testing/run_command.h"
#include "deft/testing/subagent_bench.h"
#include "deft/tools/write.h"

// Subagents with a checkout of their own.

namespace deft {
namespace {

class SubagentWorktrees : public SubagentsTest {
 protected:
  void begin() {
    bench.options.engine.clock = nullptr;  // git lives in real time
    bench.folder.put("a.txt", "one\n");
    bench.folder.put(".gitignore", "session\n");
    git({"init", "-q", "-b", "main"});
    git({"add", "a.txt", ".gitignore"});
    git({"-c", "user.name=T", "-c", "user.email=t@example.org", "commit", "-q", "-m", "first"});
    subagent_options.worktree.emplace();
    bench.options.engine.clock = nullptr;  // git lives in real time
    bench.add_tool(make_write_tool());
    open();
  }
  std::string git(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "git");
    const auto done = testing::run_command(arguments, bench.folder.path(), "git");
    EXPECT_EQ(done.exit_code, 0) << done.errors;
    return done.output;
  }
};

TEST_F(SubagentWorktrees, WhatOneWritesIsInItsWorktreeAndTheReportSaysWhere) {
  begin();
  child = [](const ModelRequest& request) {
    if (has_results(request)) return stream_of({text_of_model("written")});
    return stream_of({call_of_model("w", "Write", JsonObject{{"file_path", "new.txt"}, {"content", "new\n"}})});
  };
  delegate(task("write it", {{"isolation", "worktree"}}));
  EXPECT_FALSE(answer().is_error()) << answer().text;
  const std::string path(find_string(answer().details, "worktreePath").value_or(""));
  ASSERT_TRUE(path.starts_with(bench.folder.path() + "/.deft/worktrees/agent-")) << answer().text;
  EXPECT_TRUE(std::filesystem::exists(path + "/new.txt"));
  EXPECT_FALSE(std::filesystem::exists(bench.folder / "new.txt"));
  EXPECT_EQ(git({"status", "--porcelain"}), "");
}

TEST_F(SubagentWorktrees, WhereNothingIsLeftNothingIsKept) {
  begin();
  delegate(task("only think", {{"isolation", "worktree"}}));
  EXPECT_FALSE(answer().is_error()) << answer().text;
  EXPECT_FALSE(find_string(answer().details, "worktreePath").has_value());
  EXPECT_EQ(git({"branch", "--list", "worktree-*"}), "");
}

TEST_F(SubagentWorktrees, WithoutARepositoryItIsNotStarted) {
  subagent_options.worktree.emplace();
  open();
  delegate(task("write it", {{"isolation", "worktree"}}));
  EXPECT_TRUE(answer().is_error());
  EXPECT_NE(answer().text.find("no git repository"), std::string::npos) << answer().text;
}

TEST_F(SubagentWorktrees, PlanModeMakesNone) {
  bench.options.engine.mode = Mode::plan;
  begin();
  delegate(task("look around", {{"isolation", "worktree"}}));
  EXPECT_EQ(answer().error, Errc::denied) << answer().text;
  EXPECT_EQ(git({"branch", "--list", "worktree-*"}), "");
  EXPECT_FALSE(std::filesystem::exists(bench.folder / ".deft"));
}

}  // namespace
}  // namespace deft
