#include "deft/config/merged_settings.h"

#include <algorithm>
#include <utility>

#include "deft/base/path.h"
#include "deft/config/hook_settings.h"
#include "deft/config/known_settings.h"

namespace deft {
namespace {

bool is_of_folder(SettingSource source) { return source == SettingSource::project || source == SettingSource::local; }

std::string_view key_of(const boost::json::key_value_pair& member) {
  return {member.key().data(), member.key().size()};
}

// A list whose order is the meaning: two of them are not joined.
bool is_one_choice(std::string_view key) { return key == "fallbackModel"; }

// `over` wins where both have a scalar.
void merge_into(JsonObject& base, const JsonObject& over) {
  for (const auto& member : over) {
    Json* existing = base.if_contains(member.key());
    if (existing && existing->is_object() && member.value().is_object()) {
      merge_into(existing->get_object(), member.value().get_object());
    } else if (existing && existing->is_array() && member.value().is_array() && !is_one_choice(key_of(member))) {
      JsonArray joined = member.value().get_array();  // the stronger source's first
      for (const Json& entry : existing->get_array()) {
        if (std::ranges::find(joined, entry) == joined.end()) joined.push_back(entry);
      }
      *existing = std::move(joined);
    } else {
      base[member.key()] = member.value();
    }
  }
}

// One line per scalar and per entry of a list.
void list_values(const Json& value, const std::string& key, const std::string& file, std::vector<SettingOrigin>& out) {
  if (value.is_object()) {
    for (const auto& member : value.get_object()) {
      list_values(member.value(), (key.empty() ? "" : key + ".") + std::string(key_of(member)), file, out);
    }
  } else if (value.is_array()) {
    for (const Json& entry : value.get_array()) out.push_back({key, to_json(entry), file});
  } else {
    out.push_back({key, to_json(value), file});
  }
}

bool is_on(const Json* value) { return value && !value->is_null() && !(value->is_bool() && !value->get_bool()); }
bool is_on(const Json& settings, std::string_view key) {
  const Json* permissions = find(settings, "permissions");
  return is_on(find(settings, key)) || (permissions && is_on(find(*permissions, key)));
}

// What of a file counts.
JsonObject effective(const LoadedFile& file, bool trusted) {
  JsonObject json = file.json.get_object();
  if (file.file.source == SettingSource::managed) return json;
  if (const auto found = json.find("claudeMd"); found != json.end()) json.stable_erase(found);
  if (!is_of_folder(file.file.source)) return json;
  Json* permissions = json.if_contains("permissions");
  if (!trusted) {
    JsonObject rest;
    for (const char* key : {"ask", "deny"}) {
      const Json* list = permissions ? find(*permissions, key) : nullptr;
      if (list) rest[key] = *list;
    }
    return rest.empty() ? JsonObject{} : JsonObject{{"permissions", std::move(rest)}};
  }
  // A repository does not choose how much is allowed in it, nor that nobody is asked, nor which secret of the user's is
  // sent where, nor who is told what happens, nor what a classifier takes for harmless.
  for (const char* key : {"autoMode", "remoteTriggers", "telemetry"}) {
    if (const auto found = json.find(key); found != json.end()) json.stable_erase(found);
  }
  permissions = json.if_contains("permissions");
  if (!permissions) return json;
  const auto mode = find_string(*permissions, "defaultMode");
  const bool is_wide = mode == "bypassPermissions" || mode == "auto" || mode == "acceptEdits";
  if (is_wide) permissions->get_object().stable_erase(permissions->get_object().find("defaultMode"));
  return json;
}

void add_policy(const LoadedFile& file, PermissionSetup& setup) {
  const Json& json = file.json;
  setup.bypass_forbidden = setup.bypass_forbidden || is_on(json, "disableBypassPermissionsMode");
  setup.auto_forbidden = setup.auto_forbidden || is_on(json, "disableAutoMode");
  setup.block_reads_outside = setup.block_reads_outside || is_on(json, "blockReadsOutsideWorkingDirectories");
  setup.block_writes_outside = setup.block_writes_outside || is_on(json, "blockWritesOutsideWorkingDirectories");
  if (file.file.source == SettingSource::managed) {
    setup.only_managed_rules = setup.only_managed_rules || is_on(json, "allowManagedPermissionRulesOnly");
  }
  if (!is_of_folder(file.file.source)) {
    setup.deny_instead_of_asking = setup.deny_instead_of_asking || is_on(json, "denyInsteadOfPrompting");
  }
}

std::string placed_directory(const std::string& path, const SettingsPlaces& places) {
  if (path == "~" || path.starts_with("~/")) return normal_path(places.home + path.substr(1));
  return absolute_path(path, places.directory);
}

}  // namespace

Result<MergedSettings> merge_settings(const std::vector<LoadedFile>& files, const SettingsPlaces& places,
                                      bool trusted) {
  MergedSettings merged;
  PermissionSetup& setup = merged.permissions;
  setup.directory = places.directory;
  setup.home = places.home;
  setup.trusted = trusted;
  JsonObject all;
  for (auto file = files.rbegin(); file != files.rend(); ++file) {  // the weakest first
    if (file->problem || !file->exists) continue;
    const JsonObject json = effective(*file, trusted);
    if (auto parsed = parse_settings(to_json(json), UnusableRules::keep); !parsed) {
      return fail(parsed.error().code, file->file.path + ": " + parsed.error().message);
    }
    merge_into(all, json);
  }
  auto settings = parse_settings(to_json(all), UnusableRules::keep);
  if (!settings) return std::unexpected(settings.error());
  merged.settings = std::move(*settings);
  merged.values = std::move(all);
  for (const LoadedFile& file : files) {
    if (!file.exists) continue;
    PermissionSource source{
        .rules = file.rules, .source = file.file.source, .origin = file.file.path, .root = file.file.root};
    if (file.problem) {
      merged.problems.push_back(*file.problem);
      // What it forbids is not known: until it is repaired, everything is asked for.
      source.rules.deny.push_back({.text = file.file.path, .tool = {}, .problem = *file.problem});
    }
    setup.sources.push_back(std::move(source));
    add_policy(file, setup);
    // Whoever forbids it forbids it for all.
    if (is_on(file.json, "disableSkillShellExecution")) merged.settings.tools.skill_commands = false;
    list_values(effective(file, trusted), "", file.file.path, merged.origins);
  }
  setup.mode = merged.settings.default_mode.value_or(Mode::normal);
  setup.classify_all_shell = merged.settings.auto_mode.classify_all_shell;
  for (const std::string& path : merged.settings.additional_directories) {
    setup.directories.push_back(placed_directory(path, places));
  }
  const std::size_t broken_files = merged.problems.size();
  for (std::string& warning : Permissions(setup).warnings()) {
    const auto is_about = [&](const std::string& problem) { return warning.ends_with(problem); };
    const auto files_end = merged.problems.begin() + static_cast<std::ptrdiff_t>(broken_files);
    if (std::any_of(merged.problems.begin(), files_end, is_about)) continue;  // said already
    merged.problems.push_back(std::move(warning));
  }
  for (const LoadedFile& file : files) {
    if (!file.exists || file.problem) continue;
    for (const std::string& slip : mistyped_settings(file.json))
      merged.problems.push_back(file.file.path + ": " + slip);
  }
  merged.hooks = merge_hooks(files, trusted);
  merged.problems.insert(merged.problems.end(), merged.hooks.problems.begin(), merged.hooks.problems.end());
  return merged;
}

}  // namespace deft
