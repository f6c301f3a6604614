#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <string>

#include "deft/base/clock.h"
#include "deft/base/json.h"
#include "deft/base/result.h"
#include "deft/core/hook_event.h"
#include "deft/core/hook_outcome.h"

namespace deft {

// One hook as it goes: told when it starts, and again when it has ended, also one in the background.
struct HookLife {
  std::string id;  // the same both times, and no other hook's
  HookEvent event = HookEvent::pre_tool_use;
  std::string name;                                // of the event and what it is about: "PreToolUse:Bash"
  std::optional<HookReport> ended = std::nullopt;  // how; nothing: it starts
};

// Hooks that are neither programs nor addresses need somebody who can carry them out. Each function blocks, on a
// worker's thread, ends soon after a stop is requested and at the deadline (error `timeout`). A missing function is a
// hook that failed: it never counts as a yes.
struct HookServices {
  struct ToolRequest {
    std::string server;
    std::string tool;
    JsonObject input;
    TimePoint deadline;
  };
  // The text that the tool gave: read like what a program prints. An error result is an error here.
  std::function<Result<std::string>(const ToolRequest& request, std::stop_token stop)> call_mcp_tool = nullptr;

  struct Callback {
    std::string id;
    JsonObject input;
    std::string call_id;  // empty: it is not about one call
    TimePoint deadline;
  };
  // What a function of the host's own program answers: the JSON object that a hook may print.
  std::function<Result<Json>(const Callback& callback, std::stop_token stop)> call_host = nullptr;

  struct Question {
    std::string prompt;  // with what the hook is told of
    std::string model;   // empty: a small one
    TimePoint deadline;
  };
  // The model's reply, which should be {"ok": …}: agent/hook_model.h.
  std::function<Result<std::string>(const Question& question, std::stop_token stop)> ask_model = nullptr;
  // The same, by an agent that may look around.
  std::function<Result<std::string>(const Question& question, std::stop_token stop)> ask_agent = nullptr;

  // Hears of every hook, on the thread that runs it; the one that returns at once. Nothing: nobody wants to know.
  std::function<void(const HookLife& life)> tell = nullptr;
};

}  // namespace deft
