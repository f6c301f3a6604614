#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "deft/tools/git_worktree.h"
#include "deft/tools/tool.h"

namespace deft {

struct WorktreeToolOptions {
  WorktreeOptions git = {};
  // Hooks that make worktrees in git's place: the path; nothing: there are none, git does it. And that remove them.
  std::function<std::optional<Result<std::string>>(const std::string& name, std::stop_token stop)> create_by_hook =
      nullptr;
  std::function<Result<void>(const std::string& path, std::stop_token stop)> remove_by_hook = nullptr;
};

// By hooks or by git; `directory` is canonical, `trusted`: the user has trusted it.
Result<WorktreeStay> new_worktree(const WorktreeToolOptions& options, const std::string& directory,
                                  const std::string& name, bool trusted, Os os, std::stop_token stop);
// Removes one that was made so. The error `invalid_input` says what would be lost by that.
Result<void> end_worktree(const WorktreeToolOptions& options, const WorktreeStay& stay, bool trusted, Os os,
                          std::stop_token stop);

// The session goes on in another checkout of its repository: files are changed there, and what tools may touch follows.
std::shared_ptr<Tool> make_enter_worktree_tool(WorktreeToolOptions options = {});
// And comes back. What was made there is kept, or removed if nothing is lost by that.
std::shared_ptr<Tool> make_exit_worktree_tool(WorktreeToolOptions options = {});

}  // namespace deft
