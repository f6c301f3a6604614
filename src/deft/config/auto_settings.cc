#include "deft/config/auto_settings.h"

#include <array>
#include <utility>

#include "deft/base/utf8.h"
#include "deft/config/wrong_setting.h"

namespace deft {
namespace {

Result<void> parse_entries(const Json& object, std::string_view key, AutoModeSettings::Entries& into) {
  const Json* value = find(object, key);
  if (!value) return {};
  const std::string full_key = "autoMode." + std::string(key);
  const JsonArray* array = value->if_array();
  if (!array || array->size() > kAutoRulesMax) {
    return wrong_setting(full_key, "a list of at most " + std::to_string(kAutoRulesMax) + " sentences", *value);
  }
  into.emplace();
  for (const Json& entry : *array) {
    const bool is_sentence =
        entry.is_string() &&
        first_characters(view(entry.get_string()), kAutoRuleCharactersMax).size() == entry.get_string().size();
    if (!is_sentence) return wrong_setting(full_key, "a list of sentences, none over 2000 characters", entry);
    into->emplace_back(view(entry.get_string()));
  }
  return {};
}

}  // namespace

Result<AutoModeSettings> parse_auto_settings(const Json& settings) {
  AutoModeSettings parsed;
  const Json* object = find(settings, "autoMode");
  if (!object) return parsed;
  if (!object->is_object()) return wrong_setting("autoMode", "an object", *object);
  const std::array<std::pair<std::string_view, AutoModeSettings::Entries*>, 4> lists = {
      {{"allow", &parsed.allow},
       {"soft_deny", &parsed.soft_deny},
       {"hard_deny", &parsed.hard_deny},
       {"environment", &parsed.environment}}};
  for (const auto& [key, into] : lists) {
    if (auto read = parse_entries(*object, key, *into); !read) return std::unexpected(read.error());
  }
  if (const Json* all = find(*object, "classifyAllShell")) {
    if (!all->is_bool()) return wrong_setting("autoMode.classifyAllShell", "true or false", *all);
    parsed.classify_all_shell = all->get_bool();
  }
  return parsed;
}

}  // namespace deft
