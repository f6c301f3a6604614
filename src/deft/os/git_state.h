#pragma once

#include <optional>
#include <string>
#include <vector>

#include "deft/os/files.h"

namespace deft {

inline constexpr std::size_t kGitLogEntriesShown = 5;

// What a repository says of itself in its own files. Nothing of it is run, and git is not asked: a repository's
// configuration can name programs, and whoever only wants to know the branch must not start them.
struct GitState {
  std::string root;                 // of the working tree
  std::string common;               // the repository's own folder, which all its worktrees share
  bool is_head_known = true;        // false: it is kept in a form (reftable) that is not read here
  std::string branch;               // empty: the head is detached
  std::string commit;               // hexadecimal; empty: there is none yet
  std::string main_branch;          // as the remote has it, or "main" or "master" if there is such a branch; else empty
  std::string under_way;            // "merge", "rebase", "cherry-pick", "revert", "bisect"; empty: nothing
  bool is_linked_worktree = false;  // another working tree of the same repository is elsewhere
  std::vector<std::string> log;     // what was last done here, the newest first: "commit: Repair the build"
};

// Nothing: the directory (canonical) is in no repository, or in one that a stranger has put around it.
std::optional<GitState> read_git_state(const std::string& directory, Files& files);

}  // namespace deft
