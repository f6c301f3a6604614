#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "deft/base/json.h"

// What hooks said: one of them, and all hooks of an event together.

namespace deft {

// What a PreToolUse hook decides; the later one is the stronger one.
enum class HookVerdict : std::uint8_t { allow, ask, defer, deny };
std::string_view to_string(HookVerdict verdict);

// What a PermissionRequest hook answers in a person's place.
struct HookPermission {
  bool allow = false;
  std::optional<Json> updated_input = std::nullopt;
  JsonArray updated_permissions = {};  // as the hook wrote them
  std::string message = {};            // of a denial
  bool interrupt = false;              // a denial that ends the turn
};

// How one hook ended, for people and for events.
struct HookReport {
  enum class End : std::uint8_t { fine, blocked, failed, cancelled, in_background };
  std::string hook;    // its command, or what else people know it by
  std::string source;  // the settings file
  End end = End::fine;
  std::string error = {};                       // failed or blocked: why, in a line
  std::optional<int> exit_code = std::nullopt;  // of a program that ended by itself
  std::string output = {};                      // what it printed, bounded
  std::string errors = {};
  std::chrono::milliseconds duration{};
  std::size_t left_behind = 0;  // processes that still ran when it had ended: they were ended too
};
std::string_view to_string(HookReport::End end);

// All hooks of one event together. Without hooks, or if none has anything to say: as it is here.
struct HookOutcome {
  bool cancelled = false;  // an abort ended them: what they were asked about ends as cancelled

  // PreToolUse. `reason`: of those who decided so.
  std::optional<HookVerdict> verdict = std::nullopt;
  std::string reason = {};
  std::optional<Json> updated_input = std::nullopt;

  // Exit code 2, or decision "block". What it blocks depends on the event: a prompt is erased, a turn goes on instead
  // of stopping, compaction is left out; after a call `block_reason` is told to the model.
  bool blocked = false;
  std::string block_reason = {};

  std::vector<std::string> context = {};   // for the model
  std::vector<std::string> messages = {};  // for the user alone
  bool stops = false;                      // "continue": false: no further request to the model
  std::string stop_reason = {};            // for the user alone

  std::optional<Json> updated_output = std::nullopt;        // PostToolUse: instead of what the tool gave
  std::optional<Json> updated_mcp_output = std::nullopt;    // the same, for tools of MCP servers only
  std::optional<HookPermission> permission = std::nullopt;  // PermissionRequest
  bool retry = false;                                       // PermissionDenied: the model may try again
  std::optional<std::string> session_title = std::nullopt;  // SessionStart, UserPromptSubmit
  std::optional<std::string> first_prompt = std::nullopt;   // SessionStart: "initialUserMessage"
  bool hides_prompt = false;                                // UserPromptSubmit: "suppressOriginalPrompt"
  std::optional<std::string> worktree_path = std::nullopt;  // WorktreeCreate: where it is

  std::vector<HookReport> reports = {};  // of every hook that ran, in the order of the settings
};

}  // namespace deft
