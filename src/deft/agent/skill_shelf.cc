#include "deft/agent/skill_shelf.h"

#include <algorithm>
#include <utility>

#include "deft/agent/project_folders.h"
#include "deft/base/path.h"
#include "deft/base/text.h"

namespace deft {
namespace {

constexpr std::string_view kSkillFile = "SKILL.md";
constexpr std::size_t kNamesShownMax = 30;

// Where the folder really is; nothing: there is none.
std::optional<std::string> real_folder(Files& disk, const std::string& path) {
  const auto canonical = disk.canonical(path);
  if (!canonical) return std::nullopt;
  const auto status = disk.status(*canonical);
  if (!status || status->kind != FileKind::directory) return std::nullopt;
  return *canonical;
}

// A skill before a command, then the stronger source; whoever came first of the same.
bool counts_before(const Skill& a, const Skill& b) {
  if (a.kind != b.kind) return a.kind == Skill::Kind::skill;
  return a.source < b.source;
}

std::vector<Glob> compiled(const Skill& skill, std::vector<std::string>& problems) {
  std::vector<Glob> globs;
  for (const std::string& pattern : skill.paths) {
    auto glob = Glob::compile(pattern);
    if (glob) {
      globs.push_back(*std::move(glob));
    } else {
      problems.push_back(skill.path + ": \"paths\": " + glob.error().message);
    }
  }
  return globs;
}

}  // namespace

SkillShelf::SkillShelf(SkillRequest request, Files& files) : request_(std::move(request)), disk_(files) {
  look_everywhere();
  for (auto& [name, entry] : by_name_) {
    entry.is_shown = entry.skill.for_model && entry.skill.paths.empty();
    if (entry.is_shown) at_start_.push_back(entry.skill);
  }
}

void SkillShelf::look_everywhere() {
  const SettingsPlaces& places = request_.places;
  look_in({.folder = places.system + "/deft", .source = Skill::Source::managed});
  look_in({.folder = places.system + "/claude-code/.claude", .source = Skill::Source::managed});
  if (request_.sources.user) {
    if (!places.config_home.empty()) look_in({.folder = places.config_home + "/deft", .source = Skill::Source::user});
    if (!places.claude_home.empty()) look_in({.folder = places.claude_home, .source = Skill::Source::user});
  }
  if (!request_.sources.project) return;
  for (const std::string& folder : project_folders(places.directory, disk_)) {
    look_in({.folder = below(folder, ".deft"), .root = folder});
    look_in({.folder = below(folder, ".claude"), .root = folder});
  }
}

// Each folder once: the user's own is not that of a project, even if one works in the home folder.
void SkillShelf::look_in(const Place& place) {
  const auto canonical = disk_.canonical(place.folder);
  if (!canonical || !folders_.insert(*canonical).second) return;
  look_for_skills(place);
  look_for_commands(place, place.folder + "/commands", "", 0);
}

void SkillShelf::look_for_skills(const Place& place) {
  const auto folder = real_folder(disk_, place.folder + "/skills");
  if (!folder) return;
  const auto names = disk_.list(*folder, kSkillFolderNamesMax);
  if (!names) return note(*folder + " cannot be read: " + names.error().message);
  for (const std::string& name : *names) {
    const std::string path = *folder + "/" + name + "/" + std::string(kSkillFile);
    const auto canonical = disk_.canonical(path);
    const auto status = canonical ? disk_.status(*canonical) : std::unexpected(canonical.error());
    if (status && status->kind == FileKind::regular) add(place, Skill::Kind::skill, name, path);
  }
}

void SkillShelf::look_for_commands(const Place& place, const std::string& in, const std::string& prefix,
                                   std::size_t depth) {
  const auto folder = depth > kCommandFolderDepthMax ? std::nullopt : real_folder(disk_, in);
  if (!folder) return;
  const auto names = disk_.list(*folder, kSkillFolderNamesMax);
  if (!names) return note(*folder + " cannot be read: " + names.error().message);
  for (const std::string& name : *names) {
    const std::string path = *folder + "/" + name;
    if (name.ends_with(".md") && !name.starts_with('.')) {
      add(place, Skill::Kind::command, prefix + name.substr(0, name.size() - 3), path);
    } else if (!name.starts_with('.')) {
      look_for_commands(place, path, prefix + name + ":", depth + 1);
    }
  }
}

void SkillShelf::add(const Place& place, Skill::Kind kind, const std::string& name, const std::string& path) {
  if (by_name_.size() >= kSkillsMax) {
    return note(path + " is left out: there are more than " + std::to_string(kSkillsMax) + " skills");
  }
  SkillPlace where{.name = name,
                   .kind = kind,
                   .source = place.source,
                   .path = path,
                   .folder = {},
                   .trusted = place.source != Skill::Source::project || request_.trusted};
  if (use_of(name) == ToolSettings::SkillUse::off) return;
  auto skill = load(where, place.root);
  if (!skill) return note(skill.error().message + "; it is left out");
  skill->body.clear();
  auto known = by_name_.find(name);
  if (known != by_name_.end() && !place.prefix.empty()) {
    skill->name = place.prefix + name;
    known = by_name_.find(skill->name);
  }
  if (known != by_name_.end() && !counts_before(*skill, known->second.skill)) return;
  Entry entry{.globs = compiled(*skill, problems_),
              .root = place.root.empty() ? request_.places.directory : place.root};
  entry.skill = *std::move(skill);
  const std::string called = entry.skill.name;
  by_name_.insert_or_assign(called, std::move(entry));
}

Result<std::string> SkillShelf::read(const std::string& path, const std::string& root, std::string& canonical) const {
  auto found = disk_.canonical(path);
  if (!found) return std::unexpected(found.error());
  canonical = *found;
  if (!root.empty() && !request_.trusted && !is_at_or_below(canonical, root)) {
    return fail(Errc::denied, path + " leads out of " + root + ", which is not trusted");
  }
  if (request_.may_read && !request_.may_read(canonical))
    return fail(Errc::denied, path + ": a rule forbids to read it");
  auto content = disk_.read(canonical, kSkillFileBytesMax);
  if (!content) return std::unexpected(content.error());
  if (content->bytes.find('\0') != std::string::npos) return fail(Errc::unsupported, path + " is no text");
  return std::move(content->bytes);
}

// With its text, as it is on the disk now.
Result<Skill> SkillShelf::load(const SkillPlace& place, const std::string& root) const {
  std::string canonical;
  const auto text = read(place.path, root, canonical);
  if (!text) return std::unexpected(text.error());
  SkillPlace found = place;
  found.path = canonical;
  found.folder = std::string(parent_path(canonical));
  std::vector<std::string> notes;
  auto skill = read_skill(found, *text, notes);
  for (std::string& one : notes) note(std::move(one));
  if (skill && request_.model_named && !skill->model.empty() && skill->model != "inherit") {
    skill->model = request_.model_named(skill->model);
  }
  if (skill) apply_settings(*skill);
  return skill;
}

ToolSettings::SkillUse SkillShelf::use_of(const std::string& name) const {
  const auto found = request_.settings.skill_overrides.find(name);
  return found == request_.settings.skill_overrides.end() ? ToolSettings::SkillUse::on : found->second;
}

void SkillShelf::apply_settings(Skill& skill) const {
  using Use = ToolSettings::SkillUse;
  const Use use = use_of(skill.name);
  skill.for_model = skill.for_model && use != Use::user_only && use != Use::off;
  if (chosen_ && !chosen_->contains(skill.name)) skill.for_model = false;
  skill.for_user = skill.for_user && use != Use::off;
  if (use == Use::name_only) {
    skill.description.clear();
    skill.when_to_use.clear();
  }
  skill.runs_commands = request_.settings.skill_commands || skill.source == Skill::Source::managed;
}

void SkillShelf::note(std::string problem) const {
  if (problems_.size() < kSkillProblemsMax && std::ranges::find(problems_, problem) == problems_.end()) {
    problems_.push_back(std::move(problem));
  }
}

std::vector<Skill> SkillShelf::for_model() const {
  const std::lock_guard lock(mutex_);
  return at_start_;
}

void SkillShelf::offer_only(const std::vector<std::string>& names) {
  const std::lock_guard lock(mutex_);
  chosen_.emplace(names.begin(), names.end());
  std::erase_if(at_start_, [&](const Skill& skill) { return !chosen_->contains(skill.name); });
  for (auto& [name, entry] : by_name_) {
    if (!chosen_->contains(name)) entry.skill.for_model = false;
  }
}

bool SkillShelf::offers(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  return !chosen_ || chosen_->contains(name);
}

Result<Skill> SkillShelf::find(std::string_view name) const {
  const std::lock_guard lock(mutex_);
  return look_up(name);
}

Result<Skill> SkillShelf::look_up(std::string_view name) const {
  const auto known = by_name_.find(std::string(name));
  if (known == by_name_.end()) {
    std::vector<std::string> names;
    for (const auto& [other, entry] : by_name_) {
      if (names.size() < kNamesShownMax) names.push_back(other);
    }
    return fail(Errc::not_found,
                "There is no skill " + json_quote(name.substr(0, kSkillNameBytesMax)) + ". " +
                    (names.empty() ? "There are none here." : "There are: " + join(names, ", ") + "."));
  }
  const Skill& skill = known->second.skill;
  const bool is_of_project = skill.source == Skill::Source::project;
  return load({.name = skill.name,
               .kind = skill.kind,
               .source = skill.source,
               .path = skill.path,
               .folder = skill.folder,
               .trusted = skill.trusted},
              is_of_project ? known->second.root : "");
}

std::optional<Skill> SkillShelf::known(std::string_view name) const {
  const std::lock_guard lock(mutex_);
  const auto found = by_name_.find(std::string(name));
  return found == by_name_.end() ? std::nullopt : std::optional(found->second.skill);
}

std::vector<Skill> SkillShelf::all() const {
  const std::lock_guard lock(mutex_);
  std::vector<Skill> skills;
  for (const auto& [name, entry] : by_name_) skills.push_back(entry.skill);
  return skills;
}

std::vector<std::string> SkillShelf::problems() const {
  const std::lock_guard lock(mutex_);
  return problems_;
}

void SkillShelf::look_again() {
  const std::lock_guard lock(mutex_);
  const auto before = std::exchange(by_name_, {});
  folders_.clear();
  problems_.clear();
  look_everywhere();
  for (auto& [name, entry] : by_name_) {
    const auto known = before.find(name);
    entry.is_shown = known != before.end() && known->second.is_shown;
  }
  // Those below are found by the files that lead to them, once.
  for (const auto& [name, entry] : before) by_name_.try_emplace(name, entry);
}

std::vector<Skill> SkillShelf::after_reading(const std::string& path) {
  const std::lock_guard lock(mutex_);
  const std::string& directory = request_.places.directory;
  if (request_.sources.project && is_at_or_below(path, directory) && path != directory) {
    for (std::string folder(parent_path(path)); folder != directory && is_at_or_below(folder, directory);
         folder = parent_path(folder)) {
      const std::string prefix = folder.substr(directory == "/" ? 1 : directory.size() + 1) + ":";
      look_in({.folder = below(folder, ".deft"), .root = folder, .prefix = prefix});
      look_in({.folder = below(folder, ".claude"), .root = folder, .prefix = prefix});
    }
  }
  std::vector<Skill> shown;
  for (auto& [name, entry] : by_name_) {
    if (entry.is_shown || !entry.skill.for_model) continue;
    const bool is_below = is_at_or_below(path, entry.root) && path != entry.root;
    const std::string seen = is_below ? path.substr(entry.root == "/" ? 1 : entry.root.size() + 1) : "";
    const bool is_about =
        entry.skill.paths.empty()
            ? is_below
            : !seen.empty() && std::ranges::any_of(entry.globs, [&](const Glob& glob) { return glob.matches(seen); });
    if (!is_about) continue;
    entry.is_shown = true;
    shown.push_back(entry.skill);
  }
  return shown;
}

std::string new_skills_text(const std::vector<Skill>& skills) {
  if (skills.empty()) return "";
  return "<system-reminder>\nSkills for the files that you work on now, to be used with the Skill tool:\n" +
         skill_listing(skills) + "</system-reminder>";
}

}  // namespace deft
