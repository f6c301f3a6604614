#include "deft/os/git_state.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "deft/base/path.h"
#include "deft/base/text.h"
#include "deft/os/strangers_folder.h"

namespace deft {
namespace {

constexpr std::size_t kSmallFileBytesMax = 4096;
constexpr std::size_t kRefsBytesMax = std::size_t{16} << 20;
constexpr std::size_t kLogBytesMax = std::size_t{4} << 20;
constexpr std::size_t kLogEntryCharactersMax = 100;
constexpr std::size_t kBranchBytesMax = 250;
constexpr std::string_view kHeadElsewhere = "refs/heads/.invalid";  // what stands in HEAD where reftables are used

std::string below(std::string_view folder, std::string_view name) {
  return std::string(folder == "/" ? "" : folder) + "/" + std::string(name);
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' ')) text.remove_suffix(1);
  return text;
}

bool is_commit(std::string_view text) {
  return (text.size() == 40 || text.size() == 64) &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

// A name that becomes a part of a path, and that the model is shown.
bool is_ref(std::string_view name) {
  return name.starts_with("refs/") && name.size() <= kBranchBytesMax && name.find("..") == std::string_view::npos &&
         std::ranges::all_of(name, [](char c) { return static_cast<unsigned char>(c) > 32 && c != 127; });
}

class Repository {
 public:
  Repository(std::string root, Files& files) : root_(std::move(root)), files_(files) {}

  std::optional<GitState> read() {
    if (!find_folders()) return std::nullopt;
    const auto head = text_of(below(git_, "HEAD"));
    if (!head) return std::nullopt;
    GitState state{.root = root_, .common = files_.canonical(common_).value_or(common_)};
    state.is_linked_worktree = git_ != common_;
    if (head->starts_with("ref: ")) {
      const std::string ref(trimmed(std::string_view(*head).substr(5)));
      if (!is_ref(ref)) return std::nullopt;
      constexpr std::string_view kHeads = "refs/heads/";
      state.is_head_known = ref != kHeadElsewhere;
      if (state.is_head_known) {
        state.branch = ref.starts_with(kHeads) ? ref.substr(kHeads.size()) : ref;
        state.commit = commit_of(ref);
      }
    } else if (is_commit(trimmed(*head))) {
      state.commit = trimmed(*head);
    } else {
      return std::nullopt;  // not a repository, whatever it calls itself
    }
    state.main_branch = main_branch();
    state.under_way = under_way();
    if (is_its_own()) state.log = log();
    return state;
  }

 private:
  std::optional<std::string> text_of(const std::string& path, std::size_t bytes_max = kSmallFileBytesMax) {
    const auto canonical = files_.canonical(path);
    if (!canonical) return std::nullopt;
    auto content = files_.read(*canonical, bytes_max);
    if (!content) return std::nullopt;
    return std::move(content->bytes);
  }
  bool exists(const std::string& path) {
    const auto status = files_.status(path);
    return status && status->kind != FileKind::missing;
  }

  // Of a linked worktree (or a submodule) `.git` is a file that names the folder, and that may name a common one.
  bool find_folders() {
    const std::string dot_git = below(root_, ".git");
    const auto status = files_.status(dot_git);
    if (!status) return false;
    git_ = dot_git;
    if (status->kind != FileKind::directory) {
      const auto pointer = text_of(dot_git);
      if (!pointer || !pointer->starts_with("gitdir: ")) return false;
      git_ = absolute_path(trimmed(std::string_view(*pointer).substr(8)), root_);
    }
    common_ = git_;
    if (const auto common = text_of(below(git_, "commondir"))) common_ = absolute_path(trimmed(*common), git_);
    return true;
  }

  // Any folder can say that the repository of another one is its own. What was done there is told only if it is below
  // this folder or below the repository around it (a submodule's), or leads back here (a linked worktree's).
  bool is_its_own() {
    const auto git = files_.canonical(git_);
    if (!git) return false;
    for (std::string folder = root_;; folder = std::string(parent_path(folder))) {
      const auto around = files_.canonical(below(folder, ".git"));
      const auto status = around ? files_.status(*around) : std::unexpected(around.error());
      if (status && status->kind == FileKind::directory && is_at_or_below(*git, *around)) return true;
      if (folder == "/") break;
    }
    const auto back = text_of(below(*git, "gitdir"));
    const auto led_to = back ? files_.canonical(absolute_path(trimmed(*back), *git)) : git;
    const auto here = files_.canonical(below(root_, ".git"));
    return back && led_to && here && *led_to == *here;
  }

  std::string commit_of(const std::string& ref) {
    for (const std::string& folder : {git_, common_}) {
      const auto loose = text_of(below(folder, ref));
      if (loose && is_commit(trimmed(*loose))) return std::string(trimmed(*loose));
    }
    const std::string line_end = " " + ref + "\n";
    const auto packed = packed_refs().find(line_end);
    if (packed == std::string::npos) return {};
    const std::size_t begin = packed == 0 ? 0 : packed_refs().rfind('\n', packed - 1) + 1;
    const std::string commit = packed_refs().substr(begin, packed - begin);
    return is_commit(commit) ? commit : "";
  }

  const std::string& packed_refs() {
    if (!packed_refs_) packed_refs_ = text_of(below(common_, "packed-refs"), kRefsBytesMax).value_or("");
    return *packed_refs_;
  }

  std::string main_branch() {
    constexpr std::string_view kRemote = "ref: refs/remotes/origin/";
    if (const auto head = text_of(below(common_, "refs/remotes/origin/HEAD")); head && head->starts_with(kRemote)) {
      const std::string name(trimmed(std::string_view(*head).substr(kRemote.size())));
      if (is_ref("refs/" + name)) return name;
    }
    for (const char* name : {"main", "master"}) {
      if (!commit_of(std::string("refs/heads/") + name).empty()) return name;
    }
    return {};
  }

  std::string under_way() {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kSigns = {
        {{"rebase-merge", "rebase"},
         {"rebase-apply", "rebase"},
         {"MERGE_HEAD", "merge"},
         {"CHERRY_PICK_HEAD", "cherry-pick"},
         {"REVERT_HEAD", "revert"},
         {"BISECT_LOG", "bisect"}}};
    for (const auto& [name, what] : kSigns) {
      if (exists(below(git_, name))) return std::string(what);
    }
    return {};
  }

  // "OLD NEW Name <mail> time zone\tcommit: message"
  std::vector<std::string> log() {
    std::vector<std::string> entries;
    const std::string path = below(git_, "logs/HEAD");
    const auto canonical = files_.canonical(path);
    const auto git = files_.canonical(git_);
    if (!canonical || !git || !is_at_or_below(*canonical, *git)) return entries;  // a link can lead to any file
    const auto text = text_of(path, kLogBytesMax);
    std::string_view rest = text ? std::string_view(*text) : std::string_view();
    while (!rest.empty() && entries.size() < kGitLogEntriesShown) {
      rest = trimmed(rest);
      const std::size_t begin = rest.rfind('\n') == std::string_view::npos ? 0 : rest.rfind('\n') + 1;
      const std::string_view line = rest.substr(begin);
      rest = rest.substr(0, begin);
      const std::size_t tab = line.find('\t');
      if (tab == std::string_view::npos) continue;
      entries.push_back(one_line(line.substr(tab + 1), kLogEntryCharactersMax));
    }
    return entries;
  }

  const std::string root_;
  Files& files_;
  std::string git_;     // of this working tree
  std::string common_;  // of all of them
  std::optional<std::string> packed_refs_;
};

}  // namespace

std::optional<GitState> read_git_state(const std::string& directory, Files& files) {
  for (std::string folder = directory;; folder = std::string(parent_path(folder))) {
    if (folder != directory && is_strangers(folder, directory)) return std::nullopt;
    const std::string git = below(folder, ".git");
    const auto status = files.status(git);
    if (status && status->kind != FileKind::missing && !is_strangers(git, directory)) {
      if (auto state = Repository(folder, files).read()) return state;
    }
    if (folder == "/") return std::nullopt;
  }
}

}  // namespace deft
