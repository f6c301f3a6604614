#include "deft/os/folder_ignores.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <vector>

#include "deft/base/git_config.h"
#include "deft/base/path.h"
#include "deft/os/file_descriptor.h"
#include "deft/os/unique_fd.h"

namespace deft {
namespace {

constexpr int kReadFlags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY;
constexpr int kFolderFlags = O_PATH | O_DIRECTORY | O_CLOEXEC;
constexpr std::string_view kGitdir = "gitdir:";

// A regular file's content, as far as the limit allows; empty if there is none. Only what is known to be a regular file
// is opened: opening a device can have effects.
std::string read_rules(int folder, const std::string& name) {
  struct stat found{};
  if (::fstatat(folder, name.c_str(), &found, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(found.st_mode)) return {};
  const UniqueFd file(::openat(folder, name.c_str(), kReadFlags));
  std::string text;
  if (!file || !read_all(file.get(), static_cast<std::size_t>(found.st_size), kIgnoreFileBytesMax, text)) return {};
  if (text.size() > kIgnoreFileBytesMax) text.resize(kIgnoreFileBytesMax);
  return text;
}

std::optional<IgnoreFile> load(int folder, const std::string& name) {
  IgnoreFile file = IgnoreFile::parse(read_rules(folder, name));
  if (file.is_empty()) return std::nullopt;
  return file;
}

std::string first_line(const std::string& text) {
  std::string line = text.substr(0, text.find('\n'));
  while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.pop_back();
  return line;
}

// Of a worktree or a submodule .git is a file that says where the repository is.
std::string repository_named_in(int folder, std::string_view path) {
  const std::string line = first_line(read_rules(folder, ".git"));
  if (!line.starts_with(kGitdir)) return {};
  const std::size_t begin = line.find_first_not_of(' ', kGitdir.size());
  if (begin == std::string::npos) return {};
  const std::string own = absolute_path(line.substr(begin), path);
  const std::string common = first_line(read_rules(AT_FDCWD, own + "/commondir"));
  return common.empty() ? own : absolute_path(common, own);
}

std::optional<IgnoreFile> load_exclude(int folder, std::string_view path) {
  const UniqueFd git(::openat(folder, ".git", kFolderFlags | O_NOFOLLOW));
  if (git) return load(git.get(), "info/exclude");
  const std::string repository = repository_named_in(folder, path);
  return repository.empty() ? std::nullopt : load(AT_FDCWD, repository + "/info/exclude");
}

std::string config_home(std::string_view home, std::string_view xdg_config_home) {
  if (!xdg_config_home.empty()) return std::string(xdg_config_home);
  return home.empty() ? std::string() : std::string(home) + "/.config";
}

std::shared_ptr<const IgnoreFile> load_global(std::string_view home, std::string_view xdg_config_home) {
  const std::string config = config_home(home, xdg_config_home);
  const std::string user_text = home.empty() ? "" : read_rules(AT_FDCWD, std::string(home) + "/.gitconfig");
  const std::string xdg_text = config.empty() ? "" : read_rules(AT_FDCWD, config + "/git/config");
  const std::string path = global_excludes_path(user_text, xdg_text, home, xdg_config_home);
  if (!path.starts_with('/')) return nullptr;
  auto rules = load(AT_FDCWD, path);
  return rules ? std::make_shared<const IgnoreFile>(std::move(*rules)) : nullptr;
}

bool exists(int folder, const char* name) {
  struct stat found{};
  return ::fstatat(folder, name, &found, AT_SYMLINK_NOFOLLOW) == 0;
}

void decide(IgnoreVerdict& verdict, const std::optional<IgnoreFile>& rules, std::string_view path, bool is_folder) {
  if (verdict == IgnoreVerdict::no_rule && rules) verdict = rules->match(path, is_folder);
}

}  // namespace

std::string global_excludes_path(std::string_view user_config, std::string_view xdg_config, std::string_view home,
                                 std::string_view xdg_config_home) {
  auto named = git_config_value(user_config, "core", "excludesFile");
  if (!named) named = git_config_value(xdg_config, "core", "excludesFile");
  if (named) {
    if (named->starts_with("~/")) return std::string(home) + named->substr(1);
    return *named;
  }
  const std::string config = config_home(home, xdg_config_home);
  return config.empty() ? "" : config + "/git/ignore";
}

FolderIgnores::Ptr FolderIgnores::around(std::string_view folder, std::string_view home,
                                         std::string_view xdg_config_home) {
  auto outermost = std::make_shared<FolderIgnores>();
  outermost->global_ = load_global(home, xdg_config_home);
  Ptr rules = std::move(outermost);
  std::vector<std::string_view> above;
  for (std::string_view path = folder; path != "/"; path = parent_path(path)) above.push_back(parent_path(path));
  for (auto path = above.rbegin(); path != above.rend(); ++path) {
    const UniqueFd fd(::open(std::string(*path).c_str(), kFolderFlags));
    if (fd) rules = inside(rules, fd.get(), *path, look_for(fd.get()));
  }
  return rules;
}

FolderIgnores::Ptr FolderIgnores::inside(Ptr outer, int fd, std::string_view folder,
                                         const IgnoreFilesPresent& present) {
  if (!present.any()) return outer;
  auto rules = std::make_shared<FolderIgnores>();
  rules->prefix_bytes_ = folder == "/" ? 1 : folder.size() + 1;
  rules->begins_repository_ = present.git;
  rules->in_repository_ = present.git || outer->in_repository_;
  if (present.rgignore) rules->rgignore_ = load(fd, ".rgignore");
  if (present.ignore) rules->ignore_ = load(fd, ".ignore");
  if (present.gitignore) rules->gitignore_ = load(fd, ".gitignore");
  if (present.git) rules->exclude_ = load_exclude(fd, folder);
  rules->global_ = outer->global_;
  rules->outer_ = std::move(outer);
  return rules;
}

IgnoreFilesPresent FolderIgnores::look_for(int fd) {
  return {.rgignore = exists(fd, ".rgignore"),
          .ignore = exists(fd, ".ignore"),
          .gitignore = exists(fd, ".gitignore"),
          .git = exists(fd, ".git")};
}

bool FolderIgnores::ignores(std::string_view path, bool is_folder) const {
  auto rgignore = IgnoreVerdict::no_rule;
  auto ignore = IgnoreVerdict::no_rule;
  auto gitignore = IgnoreVerdict::no_rule;
  auto exclude = IgnoreVerdict::no_rule;
  auto global = IgnoreVerdict::no_rule;
  bool left_repository = false;
  for (const FolderIgnores* rules = this; rules != nullptr; rules = rules->outer_.get()) {
    const std::string_view seen_from_here = path.substr(rules->prefix_bytes_);
    decide(rgignore, rules->rgignore_, seen_from_here, is_folder);
    decide(ignore, rules->ignore_, seen_from_here, is_folder);
    if (!in_repository_ || left_repository) continue;
    decide(gitignore, rules->gitignore_, seen_from_here, is_folder);
    decide(exclude, rules->exclude_, seen_from_here, is_folder);
    if (!rules->begins_repository_) continue;
    if (rules->global_) global = rules->global_->match(seen_from_here, is_folder);
    left_repository = true;
  }
  for (const IgnoreVerdict verdict : {rgignore, ignore, gitignore, exclude, global}) {
    if (verdict != IgnoreVerdict::no_rule) return verdict == IgnoreVerdict::ignored;
  }
  return false;
}

}  // namespace deft
