#include "deft/ui/headless_host.h"

// Questions to a host and its answers, as values.

namespace deft {
namespace {

std::string_view reason_type(PermissionStage stage) {
  switch (stage) {
    case PermissionStage::hook: return "hook";
    case PermissionStage::deny_rule:
    case PermissionStage::ask_rule:
    case PermissionStage::allow_rule: return "rule";
    case PermissionStage::plan_mode:
    case PermissionStage::bypass_mode:
    case PermissionStage::accept_edits: return "mode";
    case PermissionStage::policy:
    case PermissionStage::protected_path: return "safetyCheck";
    case PermissionStage::classifier: return "classifier";
    case PermissionStage::tool_check:
    case PermissionStage::read_only:
    case PermissionStage::nobody_allowed_it: break;
  }
  return "other";
}

// What "always" would write, as the host may send it back.
JsonArray suggestions(const std::vector<std::string>& rules) {
  JsonArray entries;
  for (const std::string& rule : rules) {
    const auto open = rule.find('(');
    JsonObject entry{{"toolName", rule.substr(0, open)}};
    if (open != std::string::npos && rule.ends_with(')')) {
      entry["ruleContent"] = rule.substr(open + 1, rule.size() - open - 2);
    }
    entries.push_back(std::move(entry));
  }
  if (entries.empty()) return {};
  return {JsonObject{
      {"type", "addRules"}, {"rules", std::move(entries)}, {"behavior", "allow"}, {"destination", "localSettings"}}};
}

PermissionAnswer denial(const std::string& question, std::string why) {
  return {.id = question, .verdict = Verdict::deny, .feedback = std::move(why), .updated_input = std::nullopt};
}

}  // namespace

JsonObject can_use_tool(const PermissionAsked& asked) {
  JsonObject request{{"subtype", "can_use_tool"},
                     {"tool_name", asked.call.name},
                     {"display_name", asked.call.name},
                     {"title", asked.title},
                     {"input", asked.call.input},
                     {"tool_use_id", asked.call.id},
                     {"decision_reason", asked.decision.reason},
                     {"decision_reason_type", reason_type(asked.decision.stage)}};
  if (JsonArray suggested = suggestions(asked.proposal); !suggested.empty()) {
    request["permission_suggestions"] = std::move(suggested);
  }
  // The tool itself wants a person: AskUserQuestion, ExitPlanMode.
  if (asked.decision.stage == PermissionStage::tool_check) request["requires_user_interaction"] = true;
  if (asked.is_destructive) request["default_to_no"] = true;
  if (!asked.agent_id.empty()) request["agent_id"] = asked.agent_id;
  return request;
}

PermissionAnswer answer_of_host(const std::string& question, Result<Json> reply) {
  if (!reply) return denial(question, "nobody could be asked: " + reply.error().message);
  const auto behavior = find_string(*reply, "behavior");
  if (behavior == "deny") {
    PermissionAnswer answer = denial(question, std::string(find_string(*reply, "message").value_or("")));
    answer.ends_turn = find_bool(*reply, "interrupt").value_or(false);
    return answer;
  }
  if (behavior != "allow") return denial(question, "the host gave an answer that is neither allow nor deny");
  PermissionAnswer answer{.id = question, .verdict = Verdict::allow, .feedback = {}, .updated_input = std::nullopt};
  if (const Json* input = find(*reply, "updatedInput"); input && !input->is_null()) {
    if (!input->is_object()) return denial(question, "the host gave an input that is no object");
    answer.updated_input = *input;
  }
  if (const JsonArray* updates = find_array(*reply, "updatedPermissions")) answer.updated_permissions = *updates;
  return answer;
}

}  // namespace deft
