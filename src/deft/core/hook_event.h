#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

// The moments at which the user's own programs, their hooks, are run.

namespace deft {

enum class HookEvent : std::uint8_t {
  pre_tool_use,
  permission_request,
  permission_denied,
  post_tool_use,
  post_tool_use_failure,
  post_tool_batch,
  user_prompt_submit,
  notification,
  stop,
  subagent_start,
  subagent_stop,
  pre_compact,
  post_compact,
  session_start,
  session_end,
  config_change,
  user_prompt_expansion,
  worktree_create,
  worktree_remove,
  task_created,
  task_completed,
  directory_added,
};
inline constexpr std::size_t kHookEventCount = 22;

std::string_view to_string(HookEvent event);  // "PreToolUse": as in settings
std::optional<HookEvent> parse_hook_event(std::string_view name);
std::array<HookEvent, kHookEventCount> all_hook_events();

// Of a call: matchers see the tool's name, and `if` is allowed.
bool is_tool_event(HookEvent event);
// What a hook prints as plain text is context for the model.
bool takes_text_as_context(HookEvent event);

}  // namespace deft
