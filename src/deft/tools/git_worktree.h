#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "deft/base/result.h"
#include "deft/core/session_state.h"
#include "deft/tools/tool.h"

// Other checkouts of a repository to work in, each with a branch of its own: for a session (EnterWorktree) and for
// subagents with `isolation: worktree`. Git is run so that nothing of the repository runs (git_command.h).

namespace deft {

inline constexpr std::size_t kWorktreeNameBytesMax = 64;

struct WorktreeOptions {
  std::vector<std::string> symlinked_directories = {};  // of the main checkout, that are linked to: "node_modules"
  std::vector<std::string> sparse_paths = {};           // folders that are checked out; empty: all
  bool from_remote = false;                   // begins with the remote's main branch, as last fetched; false: HEAD
  std::vector<std::string> environment = {};  // what deft has itself
};

// One or more segments of letters, digits, ".", "_" and "-", with "/" between.
Result<void> check_worktree_name(std::string_view name);
std::string random_worktree_name();

// Where one of this name stands, or would; "" if the directory is in no repository.
std::string worktree_path(const std::string& directory, std::string_view name, Os os);

// Makes one in ROOT/.deft/worktrees/NAME, with the branch "worktree-NAME". `directory`: canonical, in the repository.
// `trusted`: the user has trusted it.
Result<WorktreeStay> make_worktree(const std::string& directory, const std::string& name, bool trusted,
                                   const WorktreeOptions& options, Os os, std::stop_token stop);

// One that is there already. Only one of the same repository that says so itself: a repository cannot claim a folder.
Result<WorktreeStay> existing_worktree(const std::string& directory, const std::string& path, Os os);

// What removing it would lose; empty: nothing.
struct WorktreeLoss {
  std::vector<std::string> files = {};  // changed or new, the first few
  std::size_t file_count = 0;
  // That git ignores: local settings, data, what was built; whole folders end in '/'. A new checkout has none of them.
  std::vector<std::string> ignored = {};  // the first few
  std::size_t ignored_count = 0;
  std::size_t commit_count = 0;  // on no other branch, tag or remote
  std::string under_way = {};    // "merge", "rebase" …
  bool empty() const { return file_count == 0 && ignored_count == 0 && commit_count == 0 && under_way.empty(); }
  std::string text() const;  // for the model and for people: "3 changed files (a, b, c) and 2 commits …"
};
Result<WorktreeLoss> worktree_loss(const WorktreeStay& stay, bool trusted, const WorktreeOptions& options, Os os,
                                   std::stop_token stop);
// Removes it and its branch, whatever is lost: ask worktree_loss() first.
Result<void> remove_worktree(const WorktreeStay& stay, bool trusted, const WorktreeOptions& options, Os os,
                             std::stop_token stop);

}  // namespace deft
