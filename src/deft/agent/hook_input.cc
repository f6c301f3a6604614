#include "deft/agent/hook_input.h"

#include <utility>

namespace deft {
namespace {

HookMoment moment_of(HookEvent event, const HookScene& scene, std::string_view subject, JsonObject fields) {
  return {.event = event,
          .subject = std::string(subject),
          .directory = scene.directory,
          .mode = scene.mode,
          .agent_id = scene.agent_id,
          .agent_type = scene.agent_type,
          .fields = std::move(fields)};
}

HookMoment of_call(HookEvent event, const HookScene& scene, const ToolCall& call, JsonObject more) {
  JsonObject fields{{"tool_name", call.name}, {"tool_input", call.input}};
  for (auto& field : more) fields[field.key()] = std::move(field.value());
  HookMoment moment = moment_of(event, scene, call.name, std::move(fields));
  moment.call = &call;
  return moment;
}

Json response_of(const ToolResult& result) { return result.details.is_null() ? Json(result.text) : result.details; }

}  // namespace

HookMoment pre_tool_use(const HookScene& scene, const ToolCall& call) {
  return of_call(HookEvent::pre_tool_use, scene, call, {{"tool_use_id", call.id}});
}

HookMoment permission_request(const HookScene& scene, const ToolCall& call, const std::vector<std::string>& rules) {
  JsonObject more;
  JsonArray suggested;
  for (const std::string& rule : rules) {
    const std::size_t open = rule.find('(');
    JsonObject entry{{"toolName", rule.substr(0, open)}};
    if (open != std::string::npos && rule.ends_with(')')) {
      entry["ruleContent"] = rule.substr(open + 1, rule.size() - open - 2);
    }
    suggested.push_back(std::move(entry));
  }
  if (!suggested.empty()) {
    more["permission_suggestions"] = JsonArray{JsonObject{{"type", "addRules"},
                                                          {"rules", std::move(suggested)},
                                                          {"behavior", "allow"},
                                                          {"destination", "localSettings"}}};
  }
  return of_call(HookEvent::permission_request, scene, call, std::move(more));
}

HookMoment permission_denied(const HookScene& scene, const ToolCall& call, std::string_view reason) {
  return of_call(HookEvent::permission_denied, scene, call, {{"tool_use_id", call.id}, {"reason", reason}});
}

HookMoment after_tool_use(const HookScene& scene, const ToolCall& call, const ToolResult& result,
                          std::optional<std::chrono::milliseconds> duration) {
  JsonObject more;
  if (!result.is_error()) more["tool_response"] = response_of(result);
  more["tool_use_id"] = call.id;
  if (result.is_error()) {
    more["error"] = result.text;
    more["is_interrupt"] = false;
  }
  if (duration) more["duration_ms"] = duration->count();
  const HookEvent event = result.is_error() ? HookEvent::post_tool_use_failure : HookEvent::post_tool_use;
  return of_call(event, scene, call, std::move(more));
}

JsonObject batch_entry(const ToolCall& call, const ToolResult& result) {
  return {
      {"tool_name", call.name}, {"tool_input", call.input}, {"tool_use_id", call.id}, {"tool_response", result.text}};
}

HookMoment post_tool_batch(const HookScene& scene, JsonArray calls) {
  return moment_of(HookEvent::post_tool_batch, scene, "", {{"tool_calls", std::move(calls)}});
}

HookMoment user_prompt_submit(const HookScene& scene, std::string_view prompt, std::string_view source) {
  return moment_of(HookEvent::user_prompt_submit, scene, "", {{"prompt", prompt}, {"source", source}});
}

HookMoment user_prompt_expansion(const HookScene& scene, std::string_view type, std::string_view command,
                                 std::string_view arguments, std::string_view source, std::string_view prompt) {
  return moment_of(HookEvent::user_prompt_expansion, scene, command,
                   {{"expansion_type", type},
                    {"command_name", command},
                    {"command_args", arguments},
                    {"command_source", source},
                    {"prompt", prompt}});
}

HookMoment worktree_create(const HookScene& scene, std::string_view name) {
  return moment_of(HookEvent::worktree_create, scene, "", {{"name", name}});
}

HookMoment directory_added(const HookScene& scene, std::string_view directory, std::string_view source) {
  return moment_of(HookEvent::directory_added, scene, source, {{"directory", directory}, {"source", source}});
}

HookMoment task_moment(HookEvent event, const HookScene& scene, std::string_view id, std::string_view subject,
                       std::string_view description) {
  JsonObject fields{{"task_id", id}, {"task_subject", subject}};
  if (!description.empty()) fields["task_description"] = description;
  return moment_of(event, scene, "", std::move(fields));
}

HookMoment worktree_remove(const HookScene& scene, std::string_view path) {
  return moment_of(HookEvent::worktree_remove, scene, "", {{"worktree_path", path}});
}

HookMoment notification(const HookScene& scene, std::string_view type, std::string_view message,
                        std::string_view title) {
  JsonObject fields{{"message", message}};
  if (!title.empty()) fields["title"] = title;
  fields["notification_type"] = type;
  return moment_of(HookEvent::notification, scene, type, std::move(fields));
}

HookMoment stop(const HookScene& scene, bool active, std::string_view last_message) {
  return moment_of(HookEvent::stop, scene, "",
                   {{"stop_hook_active", active},
                    {"last_assistant_message", last_message},
                    {"background_tasks", JsonArray()},
                    {"session_crons", JsonArray()}});
}

HookMoment subagent_start(const HookScene& scene) {
  return moment_of(HookEvent::subagent_start, scene, scene.agent_type, {});
}

HookMoment subagent_stop(const HookScene& scene, bool active, std::string_view transcript_path,
                         std::string_view last_message) {
  return moment_of(HookEvent::subagent_stop, scene, scene.agent_type,
                   {{"stop_hook_active", active},
                    {"agent_transcript_path", transcript_path},
                    {"last_assistant_message", last_message}});
}

HookMoment pre_compact(const HookScene& scene, std::string_view trigger,
                       const std::optional<std::string>& custom_instructions) {
  JsonObject fields{{"trigger", trigger}};
  fields["custom_instructions"] = custom_instructions ? Json(*custom_instructions) : Json(nullptr);
  return moment_of(HookEvent::pre_compact, scene, trigger, std::move(fields));
}

HookMoment post_compact(const HookScene& scene, std::string_view trigger, std::string_view summary) {
  return moment_of(HookEvent::post_compact, scene, trigger, {{"trigger", trigger}, {"compact_summary", summary}});
}

HookMoment session_start(const HookScene& scene, std::string_view source, std::string_view model) {
  JsonObject fields{{"source", source}};
  if (!model.empty()) fields["model"] = model;
  return moment_of(HookEvent::session_start, scene, source, std::move(fields));
}

HookMoment session_end(const HookScene& scene, std::string_view reason) {
  return moment_of(HookEvent::session_end, scene, reason, {{"reason", reason}});
}

std::string_view config_source(SettingSource source) {
  switch (source) {
    case SettingSource::managed: return "policy_settings";
    case SettingSource::project: return "project_settings";
    case SettingSource::local: return "local_settings";
    case SettingSource::command_line:
    case SettingSource::session:
    case SettingSource::user: break;
  }
  return "user_settings";
}

HookMoment config_change(const HookScene& scene, std::string_view source, std::string_view file) {
  JsonObject fields{{"source", source}};
  if (!file.empty()) fields["file_path"] = file;
  return moment_of(HookEvent::config_change, scene, source, std::move(fields));
}

JsonObject hook_input(const HookMoment& moment, std::string_view session_id, std::string_view transcript_path) {
  JsonObject input{{"session_id", session_id},
                   {"transcript_path", transcript_path},
                   {"cwd", moment.directory},
                   {"hook_event_name", to_string(moment.event)},
                   {"permission_mode", to_string(moment.mode)}};
  if (!moment.agent_id.empty()) input["agent_id"] = moment.agent_id;
  if (!moment.agent_type.empty()) input["agent_type"] = moment.agent_type;
  for (const auto& field : moment.fields) input[field.key()] = field.value();
  return input;
}

}  // namespace deft
