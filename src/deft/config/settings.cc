#include "deft/config/settings.h"

#include <charconv>
#include <utility>

#include "deft/config/wrong_setting.h"

namespace deft {
namespace {

constexpr std::size_t kConcurrencyMax = 1'000;

// One of two words; booleans count as the first and the second.
Result<bool> parse_choice(const Json& settings, std::string_view key, std::string_view yes, std::string_view no,
                          bool otherwise) {
  const Json* value = find(settings, key);
  if (!value) return otherwise;
  if (value->is_bool()) return value->get_bool();
  if (value->is_string() && view(value->get_string()) == yes) return true;
  if (value->is_string() && view(value->get_string()) == no) return false;
  return wrong_setting(key, "\"" + std::string(yes) + "\" or \"" + std::string(no) + "\"", *value);
}

Result<void> parse_permissions(const Json& permissions, UnusableRules unusable, Settings& settings) {
  if (!permissions.is_object()) return wrong_setting("permissions", "an object", permissions);
  auto rules = parse_permission_rules(permissions);
  if (!rules) return std::unexpected(rules.error());
  const bool refuses = unusable == UnusableRules::refuse;
  if (auto problem = first_problem(*rules); problem && refuses) return fail(Errc::invalid_input, std::move(*problem));
  settings.rules = std::move(*rules);
  if (const Json* mode = find(permissions, "defaultMode")) {
    settings.default_mode = mode->is_string() ? parse_mode(view(mode->get_string())) : std::nullopt;
    if (!settings.default_mode) {
      return wrong_setting("permissions.defaultMode", "default, acceptEdits, plan, auto, dontAsk or bypassPermissions",
                           *mode);
    }
  }
  const Json* directories = find(permissions, "additionalDirectories");
  if (!directories) return {};
  if (!directories->is_array())
    return wrong_setting("permissions.additionalDirectories", "a list of paths", *directories);
  for (const Json& directory : directories->get_array()) {
    if (!directory.is_string())
      return wrong_setting("permissions.additionalDirectories", "a list of paths", *directories);
    settings.additional_directories.emplace_back(view(directory.get_string()));
  }
  return {};
}

Result<std::optional<Duration>> parse_question_time(const Json& settings) {
  constexpr std::string_view kKey = "askUserQuestionTimeout";
  const Json* value = find(settings, kKey);
  if (!value) return std::nullopt;
  const std::string_view word = value->is_string() ? view(value->get_string()) : std::string_view();
  if (word == "never") return std::nullopt;
  if (word == "60s") return std::chrono::seconds(60);
  if (word == "5m") return std::chrono::minutes(5);
  if (word == "10m") return std::chrono::minutes(10);
  return wrong_setting(kKey, "\"60s\", \"5m\", \"10m\" or \"never\"", *value);
}

}  // namespace

Result<Settings> parse_settings(std::string_view json_text, UnusableRules unusable) {
  const auto json = parse_json(json_text, {.bytes_max = kSettingsBytesMax});
  if (!json) return std::unexpected(json.error());
  if (!json->is_object()) return wrong_setting("the settings", "a JSON object", *json);
  Settings settings;
  if (const Json* permissions = find(*json, "permissions")) {
    if (auto parsed = parse_permissions(*permissions, unusable, settings); !parsed)
      return std::unexpected(parsed.error());
  }
  const auto exclusive = parse_choice(*json, "scheduling", "exclusive", "footprints", settings.exclusive_scheduling);
  if (!exclusive) return std::unexpected(exclusive.error());
  settings.exclusive_scheduling = *exclusive;
  const auto streaming = parse_choice(*json, "streaming", "on", "off", settings.streaming);
  if (!streaming) return std::unexpected(streaming.error());
  settings.streaming = *streaming;
  const auto cancel = parse_choice(*json, "cancelSiblingsOnFailure", "on", "off", settings.cancel_siblings_on_failure);
  if (!cancel) return std::unexpected(cancel.error());
  settings.cancel_siblings_on_failure = *cancel;
  if (const Json* durability = find(*json, "durability")) {
    const std::string_view word = durability->is_string() ? view(durability->get_string()) : std::string_view();
    if (word != "disk" && word != "process") return wrong_setting("durability", "\"process\" or \"disk\"", *durability);
    settings.waits_for_disk = word == "disk";
  }
  const auto question_time = parse_question_time(*json);
  if (!question_time) return std::unexpected(question_time.error());
  settings.question_time = *question_time;
  auto shell = parse_shell_settings(*json);
  if (!shell) return std::unexpected(shell.error());
  settings.shell = std::move(*shell);
  auto results = parse_result_settings(*json);
  if (!results) return std::unexpected(results.error());
  settings.results = std::move(*results);
  auto model = parse_model_settings(*json);
  if (!model) return std::unexpected(model.error());
  settings.model = std::move(*model);
  auto prices = parse_price_settings(*json);
  if (!prices) return std::unexpected(prices.error());
  settings.prices = std::move(*prices);
  auto telemetry = parse_telemetry_settings(*json);
  if (!telemetry) return std::unexpected(telemetry.error());
  settings.telemetry = std::move(*telemetry);
  auto web = parse_web_settings(*json);
  if (!web) return std::unexpected(web.error());
  settings.web = std::move(*web);
  auto worktree = parse_worktree_settings(*json);
  if (!worktree) return std::unexpected(worktree.error());
  settings.worktree = std::move(*worktree);
  auto lsp = parse_lsp_settings(*json);
  if (!lsp) return std::unexpected(lsp.error());
  settings.lsp = std::move(*lsp);
  auto tools = parse_tool_settings(*json);
  if (!tools) return std::unexpected(tools.error());
  settings.tools = std::move(*tools);
  auto auto_mode = parse_auto_settings(*json);
  if (!auto_mode) return std::unexpected(auto_mode.error());
  settings.auto_mode = std::move(*auto_mode);
  auto agent = parse_agent_settings(*json);
  if (!agent) return std::unexpected(agent.error());
  settings.agent = std::move(*agent);
  return settings;
}

Result<std::size_t> parse_concurrency(std::string_view text, std::string_view source) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number == 0 || number > kConcurrencyMax) {
    return fail(Errc::invalid_input, std::string(source) + " must be a whole number from 1 to " +
                                         std::to_string(kConcurrencyMax) + ", not " + json_quote(text));
  }
  return number;
}

}  // namespace deft
