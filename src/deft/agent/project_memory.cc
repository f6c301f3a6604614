#include "deft/agent/project_memory.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "deft/agent/project_folders.h"
#include "deft/base/closing_tag.h"
#include "deft/base/path.h"
#include "deft/base/text.h"
#include "deft/base/utf8.h"
#include "deft/core/memory_text.h"

namespace deft {
namespace {

constexpr std::size_t kNamesPerFolderMax = 10'000;
constexpr std::size_t kProblemsMax = 50;

// "/", "/a", "/a/b".
std::vector<std::string> folders_down_to(const std::string& directory) {
  std::vector<std::string> folders{"/"};
  for (std::size_t slash = directory.find('/', 1); directory != "/"; slash = directory.find('/', slash + 1)) {
    folders.push_back(directory.substr(0, slash));
    if (slash == std::string::npos) break;
  }
  return folders;
}

// To the user, or to root: nobody else has put it there.
bool belongs_to_user(const std::string& path) {
  struct stat status{};
  return ::lstat(path.c_str(), &status) == 0 && (status.st_uid == ::geteuid() || status.st_uid == 0);
}

std::vector<Glob> compiled(const std::vector<std::string>& patterns, std::vector<std::string>& problems,
                           std::string_view where) {
  std::vector<Glob> globs;
  for (const std::string& pattern : patterns) {
    auto glob = Glob::compile(pattern);
    if (glob) {
      globs.push_back(std::move(*glob));
    } else if (problems.size() < kProblemsMax) {
      problems.push_back(std::string(where) + ": " + glob.error().message);
    }
  }
  return globs;
}

std::string outside_of(const std::string& root) { return "it stands outside of " + root + ", which is not trusted"; }

}  // namespace

std::string_view to_string(MemoryFile::Kind kind) {
  switch (kind) {
    case MemoryFile::Kind::managed: return "Managed";
    case MemoryFile::Kind::user: return "User";
    case MemoryFile::Kind::project: return "Project";
    case MemoryFile::Kind::local: return "Local";
  }
  return "Project";
}

ProjectMemory::ProjectMemory(MemoryRequest request, Files& files)
    : request_(std::move(request)), disk_(files), project_(repository_of(request_.places.directory, files)) {
  for (std::string& glob : request_.excludes) {
    if (glob.starts_with("~/")) glob = request_.places.home + glob.substr(1);
  }
  excludes_ = compiled(request_.excludes, problems_, "claudeMdExcludes");
  load_all();
  files_at_start_ = files_.size();
  rules_at_start_ = rules_;
  rule_folders_at_start_ = rule_folders_;
}

void ProjectMemory::load_all() {
  const SettingsPlaces& places = request_.places;
  const Origin managed{.kind = MemoryFile::Kind::managed};
  if (!request_.managed_text.empty()) {
    add({.path = "managed settings",
         .kind = MemoryFile::Kind::managed,
         .imported_by = {},
         .text = request_.managed_text});
  }
  load(places.system + "/claude-code/CLAUDE.md", managed);
  load(places.system + "/deft/DEFT.md", managed);
  if (request_.sources.user) {
    const Origin user{.kind = MemoryFile::Kind::user};
    const std::string own = places.config_home.empty() ? "" : places.config_home + "/deft";
    if (!places.claude_home.empty()) load(places.claude_home + "/CLAUDE.md", user);
    if (!own.empty()) load(own + "/DEFT.md", user);
    if (!places.claude_home.empty()) load_rules(places.claude_home + "/rules", user, places.directory, 0);
    if (!own.empty()) load_rules(own + "/rules", user, places.directory, 0);
  }
  for (const std::string& folder : folders_down_to(places.directory)) {
    load_folder(folder, !is_at_or_below(folder, project_));
  }
}

void ProjectMemory::load_folder(const std::string& folder, bool must_be_own) {
  if (!folders_.insert(folder).second) return;
  // The user's own folder of settings is not that of a project, even if one works in the home folder.
  const bool is_home = !request_.places.home.empty() && folder == request_.places.home;
  const std::string claude = below(folder, ".claude");
  if (request_.sources.project) {
    const Origin project{.kind = MemoryFile::Kind::project, .root = folder, .must_be_own = must_be_own};
    bool has_any = load(below(folder, "CLAUDE.md"), project);
    if (!is_home) has_any = load(claude + "/CLAUDE.md", project) || has_any;
    has_any = load(below(folder, "DEFT.md"), project) || has_any;
    has_any = load(below(folder, ".deft/DEFT.md"), project) || has_any;
    if (!has_any) load(below(folder, "AGENTS.md"), project);
  }
  if (request_.sources.local) {
    const Origin local{.kind = MemoryFile::Kind::local, .root = folder, .must_be_own = must_be_own};
    load(below(folder, "CLAUDE.local.md"), local);
    load(below(folder, "DEFT.local.md"), local);
  }
  if (!request_.sources.project) return;
  const Origin rules{.kind = MemoryFile::Kind::project, .root = folder, .must_be_own = must_be_own};
  if (!is_home) load_rules(claude + "/rules", rules, folder, 0);
  load_rules(below(folder, ".deft/rules"), rules, folder, 0);
}

void ProjectMemory::load_rules(const std::string& folder, const Origin& origin, const std::string& globs_root,
                               std::size_t depth) {
  if (depth > kRuleFolderDepthMax) return;
  const auto canonical = disk_.canonical(folder);  // people share their rules by links
  const auto status = canonical ? disk_.status(*canonical) : std::unexpected(canonical.error());
  if (!status || status->kind != FileKind::directory) return;
  if (leads_out(*canonical, origin)) return leave_out(folder, outside_of(origin.root));
  if (!rule_folders_.insert(*canonical).second) return;
  const auto names = disk_.list(*canonical, kNamesPerFolderMax);
  if (!names) return;
  for (const std::string& name : *names) {
    const std::string path = folder + "/" + name;
    if (!name.ends_with(".md")) {
      load_rules(path, origin, globs_root, depth + 1);
      continue;
    }
    auto found = read(path, origin);
    if (!found) continue;
    MemoryText memory = read_memory_text(found->bytes);
    MemoryFile file{.path = found->path, .kind = origin.kind, .imported_by = {}, .text = std::move(memory.text)};
    if (memory.paths.empty()) {
      if (add(std::move(file))) load_imports(found->path, memory.imports, origin, 1);
      continue;
    }
    rules_.push_back({.file = std::move(file),
                      .imports = std::move(memory.imports),
                      .root = globs_root,
                      .globs = compiled(memory.paths, problems_, path)});
  }
}

// False: there is no such file.
bool ProjectMemory::load(const std::string& path, const Origin& origin) {
  auto found = read(path, origin);
  if (!found) {
    if (!is_excluded(path)) return false;
    const auto status = disk_.status(path);
    return status && status->kind != FileKind::missing;
  }
  MemoryText memory = read_memory_text(found->bytes);
  const std::string where = found->path;
  if (!add({.path = where, .kind = origin.kind, .imported_by = {}, .text = std::move(memory.text)})) return true;
  load_imports(where, memory.imports, origin, 1);
  return true;
}

void ProjectMemory::load_imports(const std::string& from, const std::vector<std::string>& imports, const Origin& origin,
                                 std::size_t depth) {
  if (depth > kImportDepthMax) return;
  for (const std::string& written : imports) {
    const auto absolute = [&](std::string_view path) {
      const std::string& home = request_.places.home;
      if (path.starts_with("~/") && !home.empty()) return normal_path(home + std::string(path.substr(1)));
      return absolute_path(path, parent_path(from));
    };
    auto found = read(absolute(written), origin);
    const std::string_view shorter = without_punctuation(written);
    if (!found && !shorter.empty() && shorter.size() != written.size()) found = read(absolute(shorter), origin);
    if (!found) continue;  // most words with an "@" are no files
    MemoryText memory = read_memory_text(found->bytes);
    if (!add({.path = found->path, .kind = origin.kind, .imported_by = from, .text = std::move(memory.text)})) continue;
    load_imports(found->path, memory.imports, origin, depth + 1);
  }
}

// What cannot be read is not there. What may not be is a problem that people are told.
std::optional<ProjectMemory::Found> ProjectMemory::read(const std::string& path, const Origin& origin) {
  const auto without = [&](std::string_view why) {
    leave_out(path, why);
    return std::nullopt;
  };
  const auto canonical = disk_.canonical(path);
  if (!canonical) return std::nullopt;
  const auto status = disk_.status(*canonical);
  if (!status || status->kind != FileKind::regular) return std::nullopt;
  if (is_excluded(path) || is_excluded(*canonical)) {
    if (origin.kind != MemoryFile::Kind::managed) return std::nullopt;
  }
  if (leads_out(*canonical, origin)) return without(outside_of(origin.root));
  if (request_.may_read && !request_.may_read(*canonical)) return without("a rule forbids to read it");
  if (origin.must_be_own && !belongs_to_user(*canonical)) return without("it belongs to somebody else");
  auto content = disk_.read(*canonical, kMemoryFileBytesMax);
  if (!content) return without(content.error().message);
  if (content->bytes.find('\0') != std::string::npos) return std::nullopt;  // not a text
  return Found{*canonical, to_valid_utf8(content->bytes)};
}

bool ProjectMemory::leads_out(const std::string& canonical, const Origin& origin) const {
  return !origin.root.empty() && !request_.trusted && !is_at_or_below(canonical, origin.root);
}

void ProjectMemory::leave_out(const std::string& path, std::string_view why) {
  if (problems_.size() < kProblemsMax) problems_.push_back(path + " is left out: " + std::string(why));
}

bool ProjectMemory::is_excluded(const std::string& path) const {
  return std::ranges::any_of(excludes_, [&](const Glob& glob) { return glob.matches(path); });
}

// False: it was there already, or there is no room.
bool ProjectMemory::add(MemoryFile file) {
  if (!loaded_.insert(file.path).second) return false;
  if (files_.size() >= kMemoryFilesMax || bytes_ + file.text.size() > kMemoryBytesMax) {
    leave_out(file.path, "there is too much memory");
    return false;
  }
  bytes_ += file.text.size();
  files_.push_back(std::move(file));
  return true;
}

std::vector<MemoryFile> ProjectMemory::after_reading(const std::string& path) {
  const std::size_t had = files_.size();
  const std::string& directory = request_.places.directory;
  if (is_at_or_below(path, directory)) {
    for (const std::string& folder : folders_down_to(std::string(parent_path(path)))) {
      if (is_at_or_below(folder, directory)) load_folder(folder, false);
    }
  }
  for (auto rule = rules_.begin(); rule != rules_.end();) {
    const std::string_view seen = is_at_or_below(path, rule->root)
                                      ? std::string_view(path).substr(rule->root == "/" ? 1 : rule->root.size() + 1)
                                      : "";
    const bool matches =
        !seen.empty() && std::ranges::any_of(rule->globs, [&](const Glob& glob) { return glob.matches(seen); });
    if (!matches) {
      ++rule;
      continue;
    }
    Rule matched = std::move(*rule);
    rule = rules_.erase(rule);
    const std::string where = matched.file.path;
    const Origin origin{.kind = matched.file.kind,
                        .root = matched.file.kind == MemoryFile::Kind::user ? "" : matched.root};
    const auto place = rule - rules_.begin();
    if (add(std::move(matched.file))) load_imports(where, matched.imports, origin, 1);
    rule = rules_.begin() + place;
  }
  return {files_.begin() + static_cast<std::ptrdiff_t>(had), files_.end()};
}

void ProjectMemory::forget_what_was_read() {
  for (std::size_t i = files_at_start_; i < files_.size(); ++i) {
    loaded_.erase(files_[i].path);
    bytes_ -= files_[i].text.size();
  }
  files_.resize(files_at_start_);
  rules_ = rules_at_start_;
  rule_folders_ = rule_folders_at_start_;
  std::erase_if(folders_, [&](const std::string& folder) {
    return folder != request_.places.directory && is_at_or_below(folder, request_.places.directory);
  });
}

std::string memory_text(const std::vector<MemoryFile>& files) {
  std::string text;
  for (const MemoryFile& file : files) {
    if (file.text.find_first_not_of(" \t\r\n") == std::string::npos) continue;
    if (!text.empty()) text += "\n";
    text += "<memory file=" + json_quote(file.path) +
            (file.imported_by.empty() ? "" : " imported_by=" + json_quote(file.imported_by)) + ">\n" +
            without_closing_tag(file.text, "memory") + (file.text.ends_with('\n') ? "" : "\n") + "</memory>\n";
  }
  return text;
}

}  // namespace deft
