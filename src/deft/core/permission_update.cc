#include "deft/core/permission_update.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "deft/base/path.h"

namespace deft {
namespace {

using Kind = PermissionUpdate::Kind;

template <class Value, std::size_t kCount>
std::optional<Value> look_up(const std::array<std::pair<std::string_view, Value>, kCount>& table,
                             std::optional<std::string_view> word) {
  for (const auto& [name, value] : table) {
    if (name == word) return value;
  }
  return std::nullopt;
}

constexpr std::array<std::pair<std::string_view, Kind>, 6> kKinds = {{{"addRules", Kind::add_rules},
                                                                      {"replaceRules", Kind::replace_rules},
                                                                      {"removeRules", Kind::remove_rules},
                                                                      {"setMode", Kind::set_mode},
                                                                      {"addDirectories", Kind::add_directories},
                                                                      {"removeDirectories", Kind::remove_directories}}};
constexpr std::array<std::pair<std::string_view, RuleList>, 3> kLists = {
    {{"allow", RuleList::allow}, {"ask", RuleList::ask}, {"deny", RuleList::deny}}};
constexpr std::array<std::pair<std::string_view, SettingSource>, 5> kDestinations = {
    {{"userSettings", SettingSource::user},
     {"projectSettings", SettingSource::project},
     {"localSettings", SettingSource::local},
     {"session", SettingSource::session},
     {"cliArg", SettingSource::session}}};

Result<std::vector<std::string>> rules_of(const Json& entry) {
  const JsonArray* list = find_array(entry, "rules");
  if (!list || list->size() > kUpdateEntriesMax) return fail(Errc::invalid_input, "rules must be a list");
  std::vector<std::string> rules;
  for (const Json& rule : *list) {
    const auto tool = find_string(rule, "toolName");
    if (!tool || tool->empty()) return fail(Errc::invalid_input, "each rule must have a toolName");
    const Json* content = find(rule, "ruleContent");
    const bool has_content = content && !content->is_null();
    if (has_content && !content->is_string()) return fail(Errc::invalid_input, "ruleContent must be a text");
    std::string text(*tool);
    if (has_content) text += "(" + std::string(view(content->get_string())) + ")";
    rules.push_back(std::move(text));
  }
  return rules;
}

Result<std::vector<std::string>> directories_of(const Json& entry) {
  const JsonArray* list = find_array(entry, "directories");
  if (!list || list->size() > kUpdateEntriesMax) return fail(Errc::invalid_input, "directories must be a list");
  std::vector<std::string> directories;
  for (const Json& directory : *list) {
    const bool is_absolute = directory.is_string() && view(directory.get_string()).starts_with('/');
    if (!is_absolute) return fail(Errc::invalid_input, "directories must be absolute paths");
    directories.push_back(normal_path(view(directory.get_string())));
  }
  return directories;
}

bool is_session(const PermissionSource& source) { return source.source == SettingSource::session; }

void remove_rules(PermissionSetup& setup, RuleList list, const std::vector<std::string>* only) {
  for (PermissionSource& source : setup.sources) {
    if (!is_session(source)) continue;
    std::erase_if(source.rules.of(list),
                  [&](const Rule& rule) { return !only || std::ranges::find(*only, rule.text) != only->end(); });
  }
}

Result<void> add_rules(PermissionSetup& setup, const PermissionUpdate& update) {
  if (update.list == RuleList::allow && setup.only_managed_rules) {
    return fail(Errc::denied, "the managed settings allow no rules but their own");
  }
  PermissionSource source{.rules = {}, .source = SettingSource::session, .origin = "this session"};
  for (const std::string& text : update.rules) {
    auto rule = parse_rule(text);
    if (!rule) return std::unexpected(rule.error());
    source.rules.of(update.list).push_back(std::move(*rule));
  }
  setup.sources.push_back(std::move(source));
  return {};
}

}  // namespace

Result<PermissionUpdate> parse_permission_update(const Json& entry) {
  const auto kind = look_up(kKinds, find_string(entry, "type"));
  if (!kind)
    return fail(Errc::invalid_input,
                "type must be addRules, replaceRules, removeRules, setMode, addDirectories or removeDirectories");
  PermissionUpdate update{.kind = *kind};
  const auto destination = look_up(kDestinations, find_string(entry, "destination").value_or("session"));
  if (!destination)
    return fail(Errc::invalid_input,
                "destination must be userSettings, projectSettings, localSettings, session or cliArg");
  update.destination = *destination;
  switch (*kind) {
    case Kind::set_mode: {
      const auto mode = parse_mode(find_string(entry, "mode").value_or(""));
      if (!mode) return fail(Errc::invalid_input, "mode must name a permission mode");
      update.mode = *mode;
      return update;
    }
    case Kind::add_directories:
    case Kind::remove_directories: {
      auto directories = directories_of(entry);
      if (!directories) return std::unexpected(directories.error());
      update.directories = std::move(*directories);
      return update;
    }
    case Kind::add_rules:
    case Kind::replace_rules:
    case Kind::remove_rules: break;
  }
  const auto list = look_up(kLists, find_string(entry, "behavior"));
  if (!list) return fail(Errc::invalid_input, "behavior must be allow, deny or ask");
  auto rules = rules_of(entry);
  if (!rules) return std::unexpected(rules.error());
  update.list = *list;
  update.rules = std::move(*rules);
  return update;
}

Result<PermissionSetup> with_update(PermissionSetup setup, const PermissionUpdate& update) {
  switch (update.kind) {
    case Kind::add_rules:
      if (auto added = add_rules(setup, update); !added) return std::unexpected(added.error());
      return setup;
    case Kind::replace_rules:
      remove_rules(setup, update.list, nullptr);
      if (auto added = add_rules(setup, update); !added) return std::unexpected(added.error());
      return setup;
    case Kind::remove_rules: remove_rules(setup, update.list, &update.rules); return setup;
    case Kind::set_mode:
      // Who starts deft decides whether nobody may be asked.
      if (update.mode == Mode::bypass && setup.mode != Mode::bypass) {
        return fail(Errc::denied, "bypassPermissions is chosen at the start, not later on");
      }
      setup.mode = update.mode;
      return setup;
    case Kind::add_directories:
      for (const std::string& directory : update.directories) {
        if (std::ranges::find(setup.directories, directory) == setup.directories.end()) {
          setup.directories.push_back(directory);
        }
      }
      return setup;
    case Kind::remove_directories:
      std::erase_if(setup.directories, [&](const std::string& directory) {
        return directory != setup.directory &&
               std::ranges::find(update.directories, directory) != update.directories.end();
      });
      return setup;
  }
  return setup;
}

}  // namespace deft
