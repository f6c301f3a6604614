#include "deft/config/tool_settings.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "deft/config/wrong_setting.h"

namespace deft {
namespace {

Result<void> parse_edit_tool(const Json& settings, ToolSettings& tools) {
  const Json* value = find(settings, "editTool");
  if (!value) return {};
  const std::string_view word = value->is_string() ? view(value->get_string()) : std::string_view();
  if (word == "auto") return {};
  if (word != "Edit" && word != "apply_patch") {
    return wrong_setting("editTool", "\"auto\", \"Edit\" or \"apply_patch\"", *value);
  }
  tools.edit_tool = word == "Edit" ? ToolSettings::EditTool::edit : ToolSettings::EditTool::apply_patch;
  return {};
}

Result<void> parse_limit(const Json& object, std::string_view key, std::string_view full_key,
                         std::optional<std::int64_t>& into) {
  const Json* value = find(object, key);
  if (!value) return {};
  into = find_int(object, key);
  if (!into || *into <= 0) return wrong_setting(full_key, "a whole number above 0", *value);
  return {};
}

Result<void> parse_advisor(const Json& settings, ToolSettings& tools) {
  const Json* advisor = find(settings, "advisor");
  if (!advisor) return {};
  if (!advisor->is_object()) return wrong_setting("advisor", "an object", *advisor);
  if (const Json* enabled = find(*advisor, "enabled")) {
    if (!enabled->is_bool()) return wrong_setting("advisor.enabled", "true or false", *enabled);
    tools.advisor_enabled = enabled->get_bool();
  }
  if (auto parsed = parse_limit(*advisor, "maxCalls", "advisor.maxCalls", tools.advisor_calls_max); !parsed) {
    return parsed;
  }
  return parse_limit(*advisor, "maxTokens", "advisor.maxTokens", tools.advisor_tokens_max);
}

bool is_variable_name(std::string_view name) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !name.empty() && is_letter(name[0]) &&
         std::ranges::all_of(name, [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

Result<void> parse_targets(const Json& settings, ToolSettings& tools) {
  const Json* targets = find(settings, "remoteTriggers");
  if (!targets) return {};
  if (!targets->is_object()) return wrong_setting("remoteTriggers", "an object of hosts", *targets);
  for (const auto& member : targets->get_object()) {
    RemoteTarget target{.host = std::string(member.key().data(), member.key().size()), .token_variable = {}};
    std::ranges::transform(target.host, target.host.begin(),
                           [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    const std::string key = "remoteTriggers." + target.host;
    if (target.host.empty() || target.host.find_first_of("/:@* ") != std::string::npos) {
      return wrong_setting(key, "named by a host alone", member.value());
    }
    if (!member.value().is_object()) return wrong_setting(key, "an object", member.value());
    if (const Json* variable = find(member.value(), "tokenVariable")) {
      const std::string_view name = variable->is_string() ? view(variable->get_string()) : std::string_view();
      if (!is_variable_name(name)) {
        return wrong_setting(key + ".tokenVariable", "the name of an environment variable", *variable);
      }
      target.token_variable = name;
    }
    tools.remote_targets.push_back(std::move(target));
  }
  return {};
}

Result<void> parse_skills(const Json& settings, ToolSettings& tools) {
  if (const Json* disabled = find(settings, "disableSkillShellExecution")) {
    if (!disabled->is_bool()) return wrong_setting("disableSkillShellExecution", "true or false", *disabled);
    tools.skill_commands = !disabled->get_bool();
  }
  const Json* overrides = find(settings, "skillOverrides");
  if (!overrides) return {};
  if (!overrides->is_object()) return wrong_setting("skillOverrides", "an object of skills", *overrides);
  using Use = ToolSettings::SkillUse;
  static constexpr std::array<std::pair<std::string_view, Use>, 4> kUses = {
      {{"on", Use::on}, {"name-only", Use::name_only}, {"user-invocable-only", Use::user_only}, {"off", Use::off}}};
  for (const auto& member : overrides->get_object()) {
    const std::string name(member.key().data(), member.key().size());
    const std::string_view word = member.value().is_string() ? view(member.value().get_string()) : std::string_view();
    const auto* use = std::ranges::find(kUses, word, [](const auto& entry) { return entry.first; });
    if (use == kUses.end()) {
      return wrong_setting("skillOverrides." + name, "\"on\", \"name-only\", \"user-invocable-only\" or \"off\"",
                           member.value());
    }
    tools.skill_overrides.emplace(name, use->second);
  }
  return {};
}

}  // namespace

Result<ToolSettings> parse_tool_settings(const Json& settings) {
  ToolSettings tools;
  for (const auto parse : {parse_edit_tool, parse_advisor, parse_skills, parse_targets}) {
    if (auto parsed = parse(settings, tools); !parsed) return std::unexpected(parsed.error());
  }
  return tools;
}

}  // namespace deft
