#include "deft/agent/hook_sample.h"

#include <utility>

namespace deft {
namespace {

constexpr std::string_view kSampleId = "toolu_sample";

// What matchers are compared with, by the name of the field.
std::string_view subject_field(HookEvent event) {
  switch (event) {
    case HookEvent::notification: return "notification_type";
    case HookEvent::subagent_start:
    case HookEvent::subagent_stop: return "agent_type";
    case HookEvent::pre_compact:
    case HookEvent::post_compact: return "trigger";
    case HookEvent::session_start:
    case HookEvent::directory_added:
    case HookEvent::config_change: return "source";
    case HookEvent::session_end: return "reason";
    case HookEvent::user_prompt_expansion: return "command_name";
    default: return is_tool_event(event) ? "tool_name" : "";
  }
}

HookMoment moment_of(HookEvent event, const HookScene& scene, const ToolCall& call) {
  ToolResult result{.text = "README.md\n"};
  result.details = JsonObject{{"stdout", "README.md\n"}, {"stderr", ""}, {"interrupted", false}};
  HookScene inside = scene;
  inside.agent_id = "agent_sample";
  inside.agent_type = "general-purpose";
  switch (event) {
    case HookEvent::pre_tool_use: return pre_tool_use(scene, call);
    case HookEvent::permission_request: return permission_request(scene, call, {"Bash(ls:*)"});
    case HookEvent::permission_denied: return permission_denied(scene, call, "the classifier calls it risky");
    case HookEvent::post_tool_use: return after_tool_use(scene, call, result, std::chrono::milliseconds(12));
    case HookEvent::post_tool_use_failure:
      return after_tool_use(scene, call, {.text = "Exit code 2\nls: cannot access", .error = Errc::failed},
                            std::chrono::milliseconds(12));
    case HookEvent::post_tool_batch: return post_tool_batch(scene, {batch_entry(call, result)});
    case HookEvent::user_prompt_submit: return user_prompt_submit(scene, "Why does the build fail?", "user");
    case HookEvent::notification:
      return notification(scene, "permission_prompt", "Bash needs your permission", "Permission needed");
    case HookEvent::stop: return stop(scene, false, "The build works again.");
    case HookEvent::subagent_start: return subagent_start(inside);
    case HookEvent::subagent_stop: return subagent_stop(inside, false, "", "Found it.");
    case HookEvent::pre_compact: return pre_compact(scene, "manual", std::nullopt);
    case HookEvent::post_compact: return post_compact(scene, "manual", "What happened so far.");
    case HookEvent::session_start: return session_start(scene, "startup");
    case HookEvent::session_end: return session_end(scene, "other");
    case HookEvent::config_change:
      return config_change(scene, "project_settings", scene.directory + "/.deft/settings.json");
    case HookEvent::user_prompt_expansion:
      return user_prompt_expansion(scene, "slash_command", "review", "src", "project", "/review src");
    case HookEvent::worktree_create: return worktree_create(scene, "sample");
    case HookEvent::task_created:
    case HookEvent::task_completed:
      return task_moment(event, scene, "1", "Fix the login test", "It fails since the last release.");
    case HookEvent::worktree_remove: return worktree_remove(scene, scene.directory + "/.deft/worktrees/sample");
    case HookEvent::directory_added: return directory_added(scene, scene.directory + "/library", "register_repo_root");
  }
  return {};
}

}  // namespace

HookSample sample_of(HookEvent event, const HookScene& scene) {
  HookSample sample;
  sample.call =
      std::make_shared<ToolCall>(ToolCall{.id = std::string(kSampleId),
                                          .name = "Bash",
                                          .input = JsonObject{{"command", "ls"}, {"description", "List files"}},
                                          .input_text = {}});
  sample.moment = moment_of(event, scene, *sample.call);
  return sample;
}

Result<HookSample> sample_of(HookEvent event, const HookScene& scene, const Json& fields) {
  if (!fields.is_object()) return fail(Errc::invalid_input, "the input of a hook is a JSON object");
  HookSample sample = sample_of(event, scene);
  HookMoment& moment = sample.moment;
  for (const auto& field : fields.get_object()) {
    const std::string_view name(field.key().data(), field.key().size());
    const bool is_common = name == "session_id" || name == "transcript_path" || name == "hook_event_name";
    if (is_common) continue;
    if (name == "cwd" && field.value().is_string()) {
      moment.directory = view(field.value().get_string());
    } else if (name == "permission_mode" && field.value().is_string()) {
      const auto mode = parse_mode(view(field.value().get_string()));
      if (!mode) return fail(Errc::invalid_input, "there is no permission mode " + to_json(field.value()));
      moment.mode = *mode;
    } else if (name == "agent_id" && field.value().is_string()) {
      moment.agent_id = view(field.value().get_string());
    } else if (name == "agent_type" && field.value().is_string()) {
      moment.agent_type = view(field.value().get_string());
    } else {
      moment.fields[name] = field.value();
    }
  }
  const std::string_view subject = subject_field(event);
  if (subject == "agent_type") moment.subject = moment.agent_type;
  const Json all = moment.fields;
  if (const auto given = find_string(all, subject)) moment.subject = *given;
  if (!is_tool_event(event)) return sample;
  if (const auto tool = find_string(all, "tool_name")) sample.call->name = *tool;
  if (const Json* input = find(all, "tool_input")) sample.call->input = *input;
  return sample;
}

}  // namespace deft
