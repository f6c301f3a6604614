#include "deft/agent/hook_stages.h"

#include <utility>

#include "deft/base/text.h"

namespace deft {
namespace {

bool is_content_list(const Json& output) {
  if (!output.is_array() || output.get_array().empty()) return false;
  for (const Json& block : output.get_array()) {
    if (!find_string(block, "type")) return false;
  }
  return true;
}

// Of the outputs of our tools: what hooks that know the published outputs leave away, since it is ours or need not be.
constexpr std::string_view kOptionalFields =
    "exitCode backgroundTaskId rawOutputPath returnCodeInterpretation replacements startCell totalCells "
    "truncatedByTokenCap "
    "staleReadFileStateHint";

// An object keeps its fields, each with the kind of value that it had; more fields do no harm.
bool has_shape_of(const Json& original, const Json& updated) {
  if (original.is_number() && updated.is_number()) return true;
  if (original.kind() != updated.kind()) return false;
  if (!original.is_object()) return true;
  for (const auto& field : original.get_object()) {
    const Json* value = updated.get_object().if_contains(field.key());
    if (!value && is_among_words(std::string_view(field.key()), kOptionalFields)) continue;
    if (!value || (!field.value().is_null() && !has_shape_of(field.value(), *value))) return false;
  }
  return true;
}

void take_content(const JsonArray& blocks, ToolResult& result) {
  for (const Json& block : blocks) {
    const auto text = find_string(block, "type") == "text" ? find_string(block, "text") : std::nullopt;
    if (!text) {
      result.blocks.push_back(block);
      continue;
    }
    if (!result.text.empty()) result.text += "\n";
    result.text += *text;
  }
}

}  // namespace

std::string_view to_string(HookSpoke::Kind kind) {
  switch (kind) {
    case HookSpoke::Kind::permission_decision: return "hook_permission_decision";
    case HookSpoke::Kind::cancelled: return "hook_cancelled";
    case HookSpoke::Kind::error_during_execution: return "hook_error_during_execution";
    case HookSpoke::Kind::stopped_continuation: return "hook_stopped_continuation";
    case HookSpoke::Kind::additional_context: return "hook_additional_context";
    case HookSpoke::Kind::system_message: return "hook_system_message";
  }
  return "hook_system_message";
}

void show_hooks(Frontend& frontend, HookEvent event, const std::string& call_id, const HookOutcome& outcome) {
  const auto show = [&](HookSpoke::Kind kind, std::string hook, std::string text, std::string decision = {}) {
    frontend.show(HookSpoke{.kind = kind,
                            .event = event,
                            .call_id = call_id,
                            .hook = std::move(hook),
                            .text = std::move(text),
                            .decision = std::move(decision)});
  };
  if (frontend.wants_hooks()) {
    for (const HookReport& report : outcome.reports) frontend.show(HookRan{event, call_id, report});
  }
  using Kind = HookSpoke::Kind;
  if (outcome.cancelled) show(Kind::cancelled, {}, "The hooks were cancelled.");
  for (const HookReport& report : outcome.reports) {
    if (report.end == HookReport::End::failed) show(Kind::error_during_execution, report.hook, report.error);
  }
  if (outcome.verdict) show(Kind::permission_decision, {}, outcome.reason, std::string(to_string(*outcome.verdict)));
  if (outcome.permission) {
    show(Kind::permission_decision, {}, outcome.permission->message, outcome.permission->allow ? "allow" : "deny");
  }
  for (const std::string& context : outcome.context) show(Kind::additional_context, {}, context);
  for (const std::string& message : outcome.messages) show(Kind::system_message, {}, message);
  if (outcome.stops) show(Kind::stopped_continuation, {}, outcome.stop_reason);
}

std::string hook_context_text(HookEvent event, std::string_view text) {
  return std::string(to_string(event)) + " hook additional context: " + std::string(text);
}

std::string hook_block_text(HookEvent event, std::string_view reason) {
  return std::string(to_string(event)) + " hook blocking error: " + std::string(reason);
}

void add_hook_words(HookEvent event, const HookOutcome& outcome, ToolResult& result) {
  const bool is_after_call = event == HookEvent::post_tool_use || event == HookEvent::post_tool_use_failure;
  if (outcome.blocked && is_after_call) {
    result.new_messages.emplace_back(hook_block_text(event, outcome.block_reason));
  }
  for (const std::string& context : outcome.context) {
    result.new_messages.emplace_back(hook_context_text(event, context));
  }
  if (outcome.stops && !result.stop_after) result.stop_after = outcome.stop_reason;
}

bool is_failure_for_hooks(Errc error) {
  switch (error) {
    case Errc::unknown_tool:
    case Errc::tool_disabled:
    case Errc::invalid_json:
    case Errc::invalid_input:
    case Errc::duplicate_id:
    case Errc::denied:
    case Errc::cancelled: return false;
    default: return true;
  }
}

OutputChange replace_output(const HookOutcome& outcome, bool has_known_shape, ToolResult& result) {
  const Json* output = outcome.updated_output ? &*outcome.updated_output : nullptr;
  if (!has_known_shape && outcome.updated_mcp_output) output = &*outcome.updated_mcp_output;
  if (!output) return OutputChange::none;
  const Json original = result.details.is_null() ? Json(result.text) : result.details;
  if (has_known_shape && !has_shape_of(original, *output)) return OutputChange::refused;
  result.text.clear();
  result.blocks.clear();
  result.mcp.reset();
  if (output->is_string()) {
    result.text = view(output->get_string());
    result.details = Json();
  } else if (is_content_list(*output)) {
    take_content(output->get_array(), result);
    result.details = *output;
  } else {
    result.details = *output;
  }
  return OutputChange::replaced;
}

std::string text_of_output(const Json& details) {
  if (const auto content = find_string(details, "content")) return std::string(*content);
  if (const JsonArray* content = find_array(details, "content"); content && is_content_list(*content)) {
    ToolResult shown;
    take_content(*content, shown);
    return shown.text;
  }
  const auto output = find_string(details, "stdout");
  if (!output) return to_json(details);
  std::string text(*output);
  const std::string_view errors = find_string(details, "stderr").value_or("");
  if (!errors.empty()) text += (text.empty() ? "" : "\n") + std::string(errors);
  return text;
}

JsonObject stop_hook_summary(const HookOutcome& outcome) {
  JsonArray infos, errors;
  for (const HookReport& report : outcome.reports) {
    infos.push_back(JsonObject{{"command", report.hook}, {"end", to_string(report.end)}});
    const bool is_error = report.end == HookReport::End::failed || report.end == HookReport::End::blocked;
    if (is_error) errors.emplace_back(report.error);
  }
  return {{"hookCount", outcome.reports.size()},
          {"hookInfos", std::move(infos)},
          {"hookErrors", std::move(errors)},
          {"preventedContinuation", outcome.stops},
          {"stopReason", outcome.stop_reason}};
}

}  // namespace deft
