#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "deft/agent/hook_runner.h"
#include "deft/core/tool_result.h"

// What hooks are told of each event. Field names are those that existing hooks read.

namespace deft {

// Where and for whom something happens.
struct HookScene {
  std::string directory;
  Mode mode = Mode::normal;
  std::string agent_id = {};  // only inside a subagent
  std::string agent_type = {};
};

HookMoment pre_tool_use(const HookScene& scene, const ToolCall& call);
// `rules`: what "always" would write.
HookMoment permission_request(const HookScene& scene, const ToolCall& call, const std::vector<std::string>& rules);
HookMoment permission_denied(const HookScene& scene, const ToolCall& call, std::string_view reason);
// For a result that is an error: PostToolUseFailure.
HookMoment after_tool_use(const HookScene& scene, const ToolCall& call, const ToolResult& result,
                          std::optional<std::chrono::milliseconds> duration);
// `calls`: made with batch_entry().
HookMoment post_tool_batch(const HookScene& scene, JsonArray calls);
JsonObject batch_entry(const ToolCall& call, const ToolResult& result);

// `source`: "user", "sdk", "system" …
HookMoment user_prompt_submit(const HookScene& scene, std::string_view prompt, std::string_view source);
// A prompt that calls a command. `type`: "slash_command", "mcp_prompt"; `source`: where the command stands.
HookMoment user_prompt_expansion(const HookScene& scene, std::string_view type, std::string_view command,
                                 std::string_view arguments, std::string_view source, std::string_view prompt);
HookMoment worktree_create(const HookScene& scene, std::string_view name);
HookMoment worktree_remove(const HookScene& scene, std::string_view path);
// `source`: "register_repo_root".
HookMoment directory_added(const HookScene& scene, std::string_view directory, std::string_view source);
// A task of the shared list was made, or is to count as completed.
HookMoment task_moment(HookEvent event, const HookScene& scene, std::string_view id, std::string_view subject,
                       std::string_view description);
// `type`: "permission_prompt", "idle_prompt" …
HookMoment notification(const HookScene& scene, std::string_view type, std::string_view message,
                        std::string_view title = {});
// `active`: the turn goes on already because a hook said so.
HookMoment stop(const HookScene& scene, bool active, std::string_view last_message);
HookMoment subagent_start(const HookScene& scene);
HookMoment subagent_stop(const HookScene& scene, bool active, std::string_view transcript_path,
                         std::string_view last_message);
// `trigger`: "manual", "auto".
HookMoment pre_compact(const HookScene& scene, std::string_view trigger,
                       const std::optional<std::string>& custom_instructions);
HookMoment post_compact(const HookScene& scene, std::string_view trigger, std::string_view summary);
// `source`: "startup", "resume", "clear", "compact", "fork".
HookMoment session_start(const HookScene& scene, std::string_view source, std::string_view model = {});
// `reason`: "clear", "logout", "prompt_input_exit", "other" …
HookMoment session_end(const HookScene& scene, std::string_view reason);
// `source`: "user_settings", "project_settings", "local_settings", "policy_settings".
std::string_view config_source(SettingSource source);
HookMoment config_change(const HookScene& scene, std::string_view source, std::string_view file);

// The JSON that a hook reads: common fields first, in one line.
JsonObject hook_input(const HookMoment& moment, std::string_view session_id, std::string_view transcript_path);

}  // namespace deft
