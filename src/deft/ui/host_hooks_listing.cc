#include <algorithm>
#include <utility>

#include "deft/base/secret_mask.h"
#include "deft/config/hook_settings.h"
#include "deft/os/secrecy.h"
#include "deft/ui/host_requests.h"
#include "deft/ui/safe_display.h"

// What `deft hooks list` knows, in the words in which a host is told it.

namespace deft {
namespace {

std::string_view summary_of(HookEvent event) {
  switch (event) {
    case HookEvent::pre_tool_use: return "Before a tool runs";
    case HookEvent::permission_request: return "When somebody would be asked about a call";
    case HookEvent::permission_denied: return "When auto mode has denied a call";
    case HookEvent::post_tool_use: return "After a tool has run";
    case HookEvent::post_tool_use_failure: return "After a tool has failed";
    case HookEvent::post_tool_batch: return "When all calls of a message are answered";
    case HookEvent::user_prompt_submit: return "When a prompt is sent";
    case HookEvent::notification: return "When somebody is told something";
    case HookEvent::stop: return "When the model wants to end its turn";
    case HookEvent::subagent_start: return "When a subagent begins";
    case HookEvent::subagent_stop: return "When a subagent wants to end";
    case HookEvent::pre_compact: return "Before the conversation is compacted";
    case HookEvent::post_compact: return "After the conversation was compacted";
    case HookEvent::session_start: return "When a session begins";
    case HookEvent::session_end: return "When a session ends";
    case HookEvent::config_change: return "When settings have changed";
    case HookEvent::user_prompt_expansion: return "When a prompt calls a command";
    case HookEvent::worktree_create: return "When a worktree is to be made";
    case HookEvent::worktree_remove: return "When a worktree is to be removed";
    case HookEvent::task_created: return "When a task was made";
    case HookEvent::task_completed: return "When a task is to count as completed";
    case HookEvent::directory_added: return "When a directory was added to the session";
  }
  return "";
}

bool takes_matcher(HookEvent event) {
  switch (event) {
    case HookEvent::post_tool_batch:
    case HookEvent::user_prompt_submit:
    case HookEvent::stop:
    case HookEvent::worktree_create:
    case HookEvent::worktree_remove:
    case HookEvent::task_created:
    case HookEvent::task_completed: return false;
    default: return true;
  }
}

struct SourceName {
  std::string_view word;
  std::string_view label;
};
SourceName source_of(const Hook& hook) {
  if (hook.type == HookType::callback) return {"sessionHook", "The host"};
  switch (hook.source) {
    case SettingSource::managed: return {"policySettings", "Managed settings"};
    case SettingSource::command_line: return {"flagSettings", "Settings of the command line"};
    case SettingSource::session: return {"sessionHook", "The session"};
    case SettingSource::local: return {"localSettings", "Local settings"};
    case SettingSource::project: return {"projectSettings", "Project settings"};
    case SettingSource::user: return {"userSettings", "User settings"};
  }
  return {"sessionHook", "The session"};
}

std::string_view content_label(HookType type) {
  switch (type) {
    case HookType::command: return "Command";
    case HookType::http: return "URL";
    case HookType::mcp_tool: return "MCP tool";
    case HookType::prompt:
    case HookType::agent: return "Prompt";
    case HookType::callback: return "Callback";
  }
  return "Command";
}

JsonObject catalog_row(HookEvent event) {
  return {{"name", to_string(event)}, {"summary", summary_of(event)}, {"supportsMatcher", takes_matcher(event)}};
}

JsonObject hook_row(const Hook& hook, const SecretMask& mask) {
  const SourceName source = source_of(hook);
  const std::string text = mask.masked(safe_display(hook.name));
  const std::string label(source.label);
  JsonObject row{{"event", to_string(hook.event)},
                 {"matcher", safe_display(hook.matcher.text())},
                 {"source", source.word},
                 {"sourceLabel", hook.origin.empty() ? label : label + " (" + safe_display(hook.origin) + ")"},
                 {"type", to_string(hook.type)},
                 {"displayText", hook.status_message.empty() ? text : safe_display(hook.status_message)},
                 {"commandText", text},
                 {"contentLabel", content_label(hook.type)}};
  if (hook.condition) row["condition"] = safe_display(hook.condition->text);
  if (hook.timeout) row["timeout"] = std::chrono::duration<double>(*hook.timeout).count();
  if (!hook.status_message.empty()) row["statusMessage"] = safe_display(hook.status_message);
  if (hook.is_async) row["runsInBackground"] = true;
  return row;
}

}  // namespace

HostRequests::Answer HostRequests::hooks_listing(const Json&) {
  const auto settings = parts_.session.current_settings();
  if (!settings) return std::unexpected(settings.error());
  const HookPolicy policy = hook_policy(settings->files, settings->trusted);
  const HookConfig config = parts_.session.hooks_in_force();
  const SecretMask mask(secrets_of_environment());
  JsonArray events, hooks, catalog;
  std::size_t managed = 0;
  for (const HookEvent event : all_hook_events()) {
    catalog.push_back(catalog_row(event));
    const std::vector<Hook>& of_event = config.of(event);
    if (of_event.empty()) continue;
    JsonObject row = catalog_row(event);
    row["hookCount"] = of_event.size();
    events.push_back(std::move(row));
    for (const Hook& hook : of_event) hooks.push_back(hook_row(hook, mask));
    managed += static_cast<std::size_t>(std::ranges::count_if(of_event, &Hook::is_managed));
  }
  return JsonObject{{"events", std::move(events)},
                    {"hooks", std::move(hooks)},
                    {"eventCatalog", std::move(catalog)},
                    {"policy", JsonObject{{"disabledByPolicy", policy.disabled_by_managed},
                                          {"managedOnly", policy.managed_only},
                                          {"pluginOnly", false},
                                          {"allDisabled", policy.disabled},
                                          {"policyHookCount", managed}}}};
}

}  // namespace deft
