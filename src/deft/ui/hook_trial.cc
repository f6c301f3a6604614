#include "deft/ui/hook_trial.h"

#include <utility>
#include <vector>

#include "deft/base/text.h"
#include "deft/ui/safe_display.h"

namespace deft {
namespace {

std::string with_reason(std::string_view what, std::string_view reason) {
  return std::string(what) + (reason.empty() ? "" : ": " + std::string(reason));
}

std::string verdict_sentence(const HookOutcome& outcome) {
  switch (*outcome.verdict) {
    case HookVerdict::allow:
      return with_reason("the call is allowed unless a deny or ask rule says otherwise", outcome.reason);
    case HookVerdict::ask: return with_reason("a person is asked", outcome.reason);
    case HookVerdict::defer: return with_reason("the call is left for later", outcome.reason);
    case HookVerdict::deny: return with_reason("the call is denied", outcome.reason);
  }
  return {};
}

std::string block_sentence(HookEvent event, const std::string& reason) {
  switch (event) {
    case HookEvent::user_prompt_expansion:
    case HookEvent::user_prompt_submit: return with_reason("the prompt is taken back", reason);
    case HookEvent::stop: return with_reason("the turn goes on, and the model is told", reason);
    case HookEvent::subagent_stop: return with_reason("the subagent goes on, and is told", reason);
    case HookEvent::pre_compact: return with_reason("the conversation is not compacted", reason);
    case HookEvent::config_change: return with_reason("the changed settings do not count", reason);
    default: return with_reason("the model is told", reason);
  }
}

JsonObject report_json(const HookReport& report) {
  JsonObject json{{"hook", report.hook},
                  {"source", report.source},
                  {"end", to_string(report.end)},
                  {"duration_ms", report.duration.count()}};
  if (report.exit_code) json["exit_code"] = *report.exit_code;
  if (!report.error.empty()) json["error"] = report.error;
  if (!report.output.empty()) json["stdout"] = report.output;
  if (!report.errors.empty()) json["stderr"] = report.errors;
  if (report.left_behind > 0) json["processes_left_behind"] = report.left_behind;
  return json;
}

std::string indented(std::string_view title, const std::string& text) {
  if (text.empty()) return {};
  std::string out;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    out += "      " + std::string(title) + safe_display(std::string_view(text).substr(start, end - start)) + "\n";
    start = end + 1;
  }
  return out;
}

std::string report_text(const HookReport& report) {
  std::string text = "  " + safe_display(report.hook) + "\n      from " + safe_display(report.source) + "\n      ";
  text += std::string(to_string(report.end)) + " after " + std::to_string(report.duration.count()) + " ms";
  if (report.exit_code) text += ", exit code " + std::to_string(*report.exit_code);
  if (report.end == HookReport::End::failed && !report.error.empty()) text += ": " + safe_display(report.error);
  text += "\n" + indented("stdout: ", report.output) + indented("stderr: ", report.errors);
  if (report.left_behind > 0) {
    text += "      it left " + std::to_string(report.left_behind) + " processes behind, which were ended\n";
  }
  return text;
}

std::string seconds(Duration time) {
  std::string text = std::to_string(std::chrono::duration<double>(time).count());
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text + " s";
}

}  // namespace

std::string describe_outcome(HookEvent event, const HookOutcome& outcome) {
  std::vector<std::string> parts;
  if (outcome.verdict) parts.push_back(verdict_sentence(outcome));
  if (outcome.updated_input) parts.push_back("the input becomes " + to_json(*outcome.updated_input));
  if (outcome.permission) {
    parts.push_back(outcome.permission->allow ? "the permission is granted"
                                              : with_reason("the permission is refused", outcome.permission->message));
    if (outcome.permission->updated_input) {
      parts.push_back("the input becomes " + to_json(*outcome.permission->updated_input));
    }
    if (!outcome.permission->updated_permissions.empty()) {
      parts.push_back("permissions change: " + to_json(outcome.permission->updated_permissions));
    }
  }
  if (outcome.blocked) parts.push_back(block_sentence(event, outcome.block_reason));
  if (outcome.updated_output) parts.push_back("the result becomes " + to_json(*outcome.updated_output));
  if (outcome.updated_mcp_output) {
    parts.push_back("the result of a server's tool becomes " + to_json(*outcome.updated_mcp_output));
  }
  for (const std::string& context : outcome.context) parts.push_back("the model is told: " + context);
  for (const std::string& message : outcome.messages) parts.push_back("the user is told: " + message);
  if (outcome.retry) parts.push_back("the model may try again");
  if (outcome.first_prompt) parts.push_back("the first prompt is: " + *outcome.first_prompt);
  if (outcome.session_title) parts.push_back("the session is called: " + *outcome.session_title);
  if (outcome.stops) parts.push_back(with_reason("no further request is sent to the model", outcome.stop_reason));
  return parts.empty() ? "nothing changes" : join(parts, "; ");
}

JsonObject trial_json(const HookMoment& moment, const HookOutcome& outcome) {
  JsonArray reports;
  for (const HookReport& report : outcome.reports) reports.push_back(report_json(report));
  JsonObject json{{"event", to_string(moment.event)},
                  {"subject", moment.subject},
                  {"hooks", std::move(reports)},
                  {"outcome", describe_outcome(moment.event, outcome)}};
  if (outcome.verdict) json["permissionDecision"] = to_string(*outcome.verdict);
  if (outcome.updated_input) json["updatedInput"] = *outcome.updated_input;
  if (outcome.permission) json["decision"] = outcome.permission->allow ? "allow" : "deny";
  json["blocked"] = outcome.blocked;
  json["continue"] = !outcome.stops;
  JsonArray context;
  for (const std::string& text : outcome.context) context.emplace_back(text);
  json["additionalContext"] = std::move(context);
  return json;
}

std::string trial_text(const HookMoment& moment, const HookOutcome& outcome) {
  std::string text(to_string(moment.event));
  if (!moment.subject.empty()) text += " of " + safe_display(moment.subject);
  const std::size_t count = outcome.reports.size();
  text += count == 0 ? ": no hook runs" : ": " + std::to_string(count) + (count == 1 ? " hook" : " hooks");
  text += "\n";
  for (const HookReport& report : outcome.reports) text += report_text(report);
  return text + "What would happen: " + safe_display(describe_outcome(moment.event, outcome)) + "\n";
}

JsonArray hooks_json(const HookConfig& config) {
  JsonArray list;
  for (const HookEvent event : all_hook_events()) {
    for (const Hook& hook : config.of(event)) {
      JsonObject json{{"event", to_string(event)},
                      {"matcher", hook.matcher.text()},
                      {"type", to_string(hook.type)},
                      {"hook", hook.name},
                      {"source", to_string(hook.source)},
                      {"file", hook.origin},
                      {"timeout", std::chrono::duration<double>(timeout_of(hook, config)).count()},
                      {"async", hook.is_async},
                      {"onFailure", hook.blocks_on_failure ? "block" : "continue"}};
      if (hook.condition) json["if"] = hook.condition->text;
      if (hook.broken) json["broken"] = *hook.broken;
      list.push_back(std::move(json));
    }
  }
  return list;
}

std::string hooks_text(const HookConfig& config) {
  std::string text;
  for (const HookEvent event : all_hook_events()) {
    if (config.of(event).empty()) continue;
    text += std::string(to_string(event)) + "\n";
    for (const Hook& hook : config.of(event)) {
      const std::string matcher = hook.matcher.text().empty() ? "*" : hook.matcher.text();
      text += "  " + safe_display(matcher) + "  " + std::string(to_string(hook.type)) + "  " + safe_display(hook.name);
      if (hook.condition) text += "  if " + safe_display(hook.condition->text);
      text += "\n      from " + safe_display(hook.origin) + ", " + seconds(timeout_of(hook, config));
      if (hook.is_async) text += ", in the background";
      if (hook.blocks_on_failure) text += ", blocks on failure";
      if (hook.broken) text += ", broken: it blocks";
      text += "\n";
    }
  }
  return text;
}

}  // namespace deft
