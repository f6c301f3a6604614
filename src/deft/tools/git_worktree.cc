#include "deft/tools/git_worktree.h"

#include <algorithm>
#include <charconv>

#include "deft/base/path.h"
#include "deft/base/text.h"
#include "deft/base/utf8.h"
#include "deft/os/environment.h"
#include "deft/os/files.h"
#include "deft/os/git_state.h"
#include "deft/os/processes.h"
#include "deft/os/uuid.h"
#include "deft/tools/git_command.h"

namespace deft {
namespace {

constexpr std::string_view kWorktreesFolder = "/.deft/worktrees";
constexpr std::size_t kFilesShownMax = 10;
constexpr std::size_t kSymlinksMax = 100;
constexpr std::size_t kShownNameCharactersMax = 200;

bool is_segment(std::string_view segment) {
  const bool has_odd = std::ranges::any_of(segment, [](char c) {
    return !((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
             c == '-');
  });
  return !segment.empty() && !has_odd && segment.front() != '.' && segment.front() != '-' && !segment.ends_with('.') &&
         !segment.ends_with(".lock") && segment.find("..") == std::string_view::npos;
}

// One word for a folder and a branch.
std::string flat(std::string_view name) {
  std::string word(name);
  std::ranges::replace(word, '/', '+');
  return word;
}

std::string first_line(std::string_view text) { return std::string(text.substr(0, text.find('\n'))); }

bool exists(Files& files, const std::string& path) {
  const auto status = files.status(path);
  return !status || status->kind != FileKind::missing;
}

// A folder inside of a checkout, as a setting names it.
bool is_inner_path(std::string_view path) {
  if (path.empty() || path.front() == '/' || path.front() == '-' || path.find('\0') != std::string_view::npos)
    return false;
  const std::string whole = "/" + std::string(path) + "/";
  return whole.find("/../") == std::string::npos && whole.find("/.git/") == std::string::npos;
}

// What is made below it is nobody's business: git does not list it among the files that it does not know.
Result<void> hide_worktrees(Files& files, const std::string& root) {
  const std::string path = root + std::string(kWorktreesFolder) + "/.gitignore";
  if (exists(files, path)) return {};
  const auto written = files.replace(path, "*\n", std::nullopt);
  if (!written && written.error().code != Errc::stale) return std::unexpected(written.error());
  return {};
}

Result<void> link_directories(const std::string& root, const std::string& path, const WorktreeOptions& options, Os os,
                              std::stop_token stop) {
  if (options.symlinked_directories.size() > kSymlinksMax) {
    return fail(Errc::limit, "worktree.symlinkDirectories has more than " + std::to_string(kSymlinksMax) + " entries");
  }
  for (const std::string& name : options.symlinked_directories) {
    if (!is_inner_path(name))
      return fail(Errc::invalid_input,
                  "worktree.symlinkDirectories: " + json_quote(name) + " is no folder in the project");
    const auto target = os.files.canonical(root + "/" + name);
    const auto status = target ? os.files.status(*target) : std::unexpected(target.error());
    const std::string link = path + "/" + name;
    const bool is_folder_of_root = status && status->kind == FileKind::directory && is_at_or_below(*target, root);
    if (!is_folder_of_root || exists(os.files, link) || !exists(os.files, std::string(parent_path(link)))) continue;
    const auto end = os.processes.run(
        {.argv = {"ln", "-s", "--", *target, link}, .environment = command_environment(options.environment)},
        [](OutputStream, std::string_view) {}, {.cancel = stop});
    if (!end) return std::unexpected(end.error());
    if (end->exit_code != 0 || end->signal != 0) return fail(Errc::io, link + " could not be linked to " + *target);
  }
  return {};
}

// What link_directories() has made: removing the link leaves what it leads to.
bool is_link_of_ours(std::string_view name, const std::string& path, const WorktreeOptions& options, Files& files) {
  const auto is_named = [&](std::string_view link) {
    while (link.ends_with('/')) link.remove_suffix(1);
    return link == name;
  };
  if (!std::ranges::any_of(options.symlinked_directories, is_named)) return false;
  const std::string link = path + "/" + std::string(name);
  const auto canonical = files.canonical(link);
  return canonical && *canonical != link;
}

Result<std::string> base_commit(GitCommand& git, const WorktreeOptions& options, std::stop_token stop) {
  if (options.from_remote) {
    auto remote = git.run({"rev-parse", "--verify", "--quiet", "refs/remotes/origin/HEAD^{commit}"}, stop);
    if (remote) return first_line(*remote);
    if (remote.error().code == Errc::cancelled) return remote;
  }
  auto head = git.run({"rev-parse", "--verify", "HEAD^{commit}"}, stop);
  if (!head) return fail(head.error().code, "there is no commit to begin with: " + head.error().message);
  return first_line(*head);
}

Result<void> check_out(GitCommand& git, const std::vector<std::string>& sparse_paths, std::stop_token stop) {
  std::vector<std::string> arguments{"sparse-checkout", "set", "--cone", "--"};
  for (const std::string& path : sparse_paths) {
    if (!is_inner_path(path))
      return fail(Errc::invalid_input, "worktree.sparsePaths: " + json_quote(path) + " is no folder in the project");
    arguments.push_back(path);
  }
  if (auto set = git.run(arguments, stop); !set) return std::unexpected(set.error());
  if (auto out = git.run({"read-tree", "-m", "-u", "HEAD"}, stop); !out) return std::unexpected(out.error());
  return {};
}

}  // namespace

Result<void> check_worktree_name(std::string_view name) {
  const auto wrong = [&] {
    return fail(Errc::invalid_input, "The name " + json_quote(utf8_prefix(name, kWorktreeNameBytesMax)) +
                                         " must be letters, digits, '.', '_' and '-' in segments with '/' between, " +
                                         std::to_string(kWorktreeNameBytesMax) + " characters at most.");
  };
  if (name.size() > kWorktreeNameBytesMax) return wrong();
  while (true) {
    const std::size_t slash = std::min(name.find('/'), name.size());
    if (!is_segment(name.substr(0, slash))) return wrong();
    if (slash == name.size()) return {};
    name.remove_prefix(slash + 1);
  }
}

std::string random_worktree_name() { return "work-" + random_uuid().substr(0, 8); }

std::string worktree_path(const std::string& directory, std::string_view name, Os os) {
  const auto state = read_git_state(directory, os.files);
  return state ? state->root + std::string(kWorktreesFolder) + "/" + flat(name) : "";
}

Result<WorktreeStay> make_worktree(const std::string& directory, const std::string& name, bool trusted,
                                   const WorktreeOptions& options, Os os, std::stop_token stop) {
  if (auto valid = check_worktree_name(name); !valid) return std::unexpected(valid.error());
  const auto state = read_git_state(directory, os.files);
  if (!state) {
    return fail(Errc::unsupported, directory +
                                       " is in no git repository, so there can be no worktree of it. A WorktreeCreate "
                                       "hook could make one in another way.");
  }
  const auto root = os.files.canonical(state->root);
  if (!root) return std::unexpected(root.error());
  const std::string path = *root + std::string(kWorktreesFolder) + "/" + flat(name);
  const auto canonical = os.files.canonical(path);
  if (!canonical || *canonical != path) return fail(Errc::denied, path + " leads somewhere else by a link");
  if (exists(os.files, path)) {
    return fail(Errc::invalid_input, path + " is there already: choose another name, or enter it by its path.");
  }
  if (auto hidden = hide_worktrees(os.files, *root); !hidden) return std::unexpected(hidden.error());

  GitCommand git(os, *root, trusted, options.environment);
  auto base = base_commit(git, options, stop);
  if (!base) return std::unexpected(base.error());
  const std::string branch = "worktree-" + flat(name);
  std::vector<std::string> add{"worktree", "add", "--no-track", "-b", branch};
  if (!options.sparse_paths.empty()) add.emplace_back("--no-checkout");
  add.insert(add.end(), {"--", path, *base});
  if (auto added = git.run(add, stop); !added) return std::unexpected(added.error());

  WorktreeStay stay{.path = path, .from = directory, .branch = branch, .base = *base, .is_made_here = true};
  const auto undo = [&](const Error& error) -> Result<WorktreeStay> {
    static_cast<void>(remove_worktree(stay, trusted, options, os, {}));
    return std::unexpected(error);
  };
  if (!options.sparse_paths.empty()) {
    GitCommand inside(os, path, trusted, options.environment);
    if (auto out = check_out(inside, options.sparse_paths, stop); !out) return undo(out.error());
  }
  if (auto linked = link_directories(*root, path, options, os, stop); !linked) return undo(linked.error());
  return stay;
}

Result<WorktreeStay> existing_worktree(const std::string& directory, const std::string& path, Os os) {
  const auto here = read_git_state(directory, os.files);
  if (!here) return fail(Errc::unsupported, directory + " is in no git repository");
  const auto canonical = os.files.canonical(path);
  if (!canonical) return std::unexpected(canonical.error());
  const auto there = read_git_state(*canonical, os.files);
  const auto root = there ? os.files.canonical(there->root) : std::unexpected(Error{});
  // Its own .git leads to the repository: so whoever made it has meant it to be one of its worktrees.
  if (!there || !root || *root != *canonical || there->common != here->common) {
    return fail(Errc::invalid_input,
                path + " is no worktree of this repository. `git worktree list` says which there are.");
  }
  if (*canonical == os.files.canonical(here->root).value_or("")) {
    return fail(Errc::invalid_input, "The session works there already.");
  }
  return WorktreeStay{.path = *canonical, .from = directory, .branch = there->branch, .base = there->commit};
}

std::string WorktreeLoss::text() const {
  std::vector<std::string> parts;
  if (file_count > 0) {
    parts.push_back(std::to_string(file_count) +
                    (file_count == 1 ? " changed or new file (" : " changed or new files (") + join(files, ", ") +
                    (file_count > files.size() ? ", …)" : ")"));
  }
  if (ignored_count > 0) {
    parts.push_back(
        std::to_string(ignored_count) +
        (ignored_count == 1 ? " file or folder that git ignores (" : " files or folders that git ignores (") +
        join(ignored, ", ") + (ignored_count > ignored.size() ? ", …)" : ")"));
  }
  if (commit_count > 0) {
    parts.push_back(std::to_string(commit_count) + (commit_count == 1 ? " commit that is" : " commits that are") +
                    " on no other branch");
  }
  if (!under_way.empty()) parts.push_back("a " + under_way + " under way");
  return join(parts, ", ");
}

Result<WorktreeLoss> worktree_loss(const WorktreeStay& stay, bool trusted, const WorktreeOptions& options, Os os,
                                   std::stop_token stop) {
  GitCommand git(os, stay.path, trusted, options.environment);
  WorktreeLoss loss;
  const auto status = git.run({"status", "--porcelain=v1", "-z", "--untracked-files=normal", "--ignored=traditional",
                               "--ignore-submodules=none", "--no-renames"},
                              stop);
  if (!status) return std::unexpected(status.error());
  for (std::string_view rest = *status; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\0'), rest.size());
    const std::string_view entry = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (entry.size() < 4 || is_link_of_ours(entry.substr(3), stay.path, options, os.files)) continue;
    const bool is_ignored = entry.starts_with("!!");
    std::vector<std::string>& shown = is_ignored ? loss.ignored : loss.files;
    ++(is_ignored ? loss.ignored_count : loss.file_count);
    if (shown.size() < kFilesShownMax) shown.push_back(one_line(entry.substr(3), kShownNameCharactersMax));
  }
  std::vector<std::string> count{"rev-list", "--count", "HEAD"};
  const std::string branch = "refs/heads/" + stay.branch;
  if (git.run({"rev-parse", "--verify", "--quiet", branch}, stop)) count.push_back(branch);
  count.insert(count.end(), {"--not", "--exclude=" + stay.branch, "--branches", "--remotes", "--tags", stay.base});
  const auto commits = git.run(count, stop);
  if (!commits) return std::unexpected(commits.error());
  std::from_chars(commits->data(), commits->data() + commits->size(), loss.commit_count);
  if (const auto state = read_git_state(stay.path, os.files)) loss.under_way = state->under_way;
  return loss;
}

Result<void> remove_worktree(const WorktreeStay& stay, bool trusted, const WorktreeOptions& options, Os os,
                             std::stop_token stop) {
  const auto state = read_git_state(stay.from, os.files);
  if (!state) return fail(Errc::not_found, stay.from + " is in no git repository any more");
  GitCommand git(os, state->root, trusted, options.environment);
  auto removed = git.run({"worktree", "remove", "--force", "--", stay.path}, stop);
  if (!removed) return std::unexpected(removed.error());
  if (stay.branch.empty()) return {};
  auto deleted = git.run({"branch", "-D", "--", stay.branch}, stop);
  if (!deleted && deleted.error().code != Errc::failed) return std::unexpected(deleted.error());
  return {};  // a branch that is gone or in use elsewhere stays as it is
}

}  // namespace deft
