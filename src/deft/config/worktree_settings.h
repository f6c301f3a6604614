#pragma once

#include <string>
#include <vector>

#include "deft/base/json.h"
#include "deft/base/result.h"

namespace deft {

// "worktree".
struct WorktreeSettings {
  std::vector<std::string> symlink_directories{};  // "symlinkDirectories"
  std::vector<std::string> sparse_paths{};         // "sparsePaths"
  bool from_remote = false;                        // "baseRef": "head" | "fresh"
};

// From the whole settings object. Strict: a known key with a wrong value is an error that names it.
Result<WorktreeSettings> parse_worktree_settings(const Json& settings);

}  // namespace deft
