#include "deft/config/worktree_settings.h"

#include "deft/config/wrong_setting.h"

namespace deft {
namespace {

Result<void> parse_paths(const Json& worktree, std::string_view key, std::vector<std::string>& into) {
  const Json* paths = find(worktree, key);
  if (!paths) return {};
  const std::string name = "worktree." + std::string(key);
  if (!paths->is_array()) return wrong_setting(name, "a list of folders", *paths);
  for (const Json& path : paths->get_array()) {
    if (!path.is_string() || path.get_string().empty()) return wrong_setting(name, "a list of folders", *paths);
    into.emplace_back(view(path.get_string()));
  }
  return {};
}

}  // namespace

Result<WorktreeSettings> parse_worktree_settings(const Json& settings) {
  WorktreeSettings worktrees;
  const Json* worktree = find(settings, "worktree");
  if (!worktree) return worktrees;
  if (!worktree->is_object()) return wrong_setting("worktree", "an object", *worktree);
  if (auto parsed = parse_paths(*worktree, "symlinkDirectories", worktrees.symlink_directories); !parsed) {
    return std::unexpected(parsed.error());
  }
  if (auto parsed = parse_paths(*worktree, "sparsePaths", worktrees.sparse_paths); !parsed) {
    return std::unexpected(parsed.error());
  }
  if (const Json* base = find(*worktree, "baseRef")) {
    const auto word = find_string(*worktree, "baseRef");
    if (word != "head" && word != "fresh") return wrong_setting("worktree.baseRef", "\"head\" or \"fresh\"", *base);
    worktrees.from_remote = word == "fresh";
  }
  return worktrees;
}

}  // namespace deft
