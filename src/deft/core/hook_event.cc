#include "deft/core/hook_event.h"

#include <algorithm>

namespace deft {
namespace {

constexpr std::array<std::string_view, kHookEventCount> kNames = {
    "PreToolUse",    "PermissionRequest",   "PermissionDenied", "PostToolUse",    "PostToolUseFailure",
    "PostToolBatch", "UserPromptSubmit",    "Notification",     "Stop",           "SubagentStart",
    "SubagentStop",  "PreCompact",          "PostCompact",      "SessionStart",   "SessionEnd",
    "ConfigChange",  "UserPromptExpansion", "WorktreeCreate",   "WorktreeRemove", "TaskCreated",
    "TaskCompleted", "DirectoryAdded"};

}  // namespace

std::string_view to_string(HookEvent event) { return kNames[static_cast<std::size_t>(event)]; }

std::optional<HookEvent> parse_hook_event(std::string_view name) {
  const auto* const found = std::ranges::find(kNames, name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<HookEvent>(found - kNames.begin());
}

std::array<HookEvent, kHookEventCount> all_hook_events() {
  std::array<HookEvent, kHookEventCount> events{};
  for (std::size_t i = 0; i < kHookEventCount; ++i) events[i] = static_cast<HookEvent>(i);
  return events;
}

bool is_tool_event(HookEvent event) { return event <= HookEvent::post_tool_use_failure; }

bool takes_text_as_context(HookEvent event) {
  return event == HookEvent::session_start || event == HookEvent::user_prompt_submit ||
         event == HookEvent::user_prompt_expansion;
}

}  // namespace deft
