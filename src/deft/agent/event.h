#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "deft/agent/prompt.h"
#include "deft/agent/turn_event.h"
#include "deft/base/clock.h"
#include "deft/base/json.h"
#include "deft/core/hook_event.h"
#include "deft/core/hook_outcome.h"
#include "deft/core/message.h"
#include "deft/core/tool_result.h"

namespace deft {

// What happens, told to whoever watches: a host, a terminal, a log.

// A call has come, and its tool is known.
struct CallAdmitted {
  std::string call_id;
  std::string tool;
  std::string title;  // "Bash(make test)"
};
struct CallProgressed {
  std::string call_id;
  Json data;
};
// When one stage of a call began and ended. Both texts are literals.
struct StageTime {
  std::string_view stage;
  std::string_view outcome;
  TimePoint begin{};
  TimePoint end{};
};
struct CallAnswered {
  std::string call_id;
  std::string tool;
  ToolResult result;
  std::chrono::nanoseconds duration{};  // from its start to its end; zero if it never started
  std::string title = {};               // "Bash(make test)"; this and what follows only for whoever wants_times()
  std::vector<StageTime> stages = {};
};
// A stage of one call has ended. `outcome` is a stable word.
struct StageEnded {
  std::string call_id;
  std::string_view stage;
  std::string outcome;
  std::string detail;
  std::chrono::nanoseconds duration{};
};
// Which calls are in progress, as it changes.
struct ProgressChanged {
  std::vector<std::string> started;
  std::vector<std::string> ended;
  std::size_t in_progress = 0;
  bool can_interrupt = false;  // every call now in progress would stop for a new message
};
// A call to a tool of the host's own.
struct HostCallMade {
  ToolCall call;
};
struct HostCallWithdrawn {
  std::string call_id;
};
struct MessageDiscarded {
  bool kept = false;  // a call that may have had an effect had started: the message stays as far as it came
  std::size_t calls = 0;
};
// What hooks did or said at some moment.
struct HookSpoke {
  enum class Kind : std::uint8_t {
    permission_decision,     // `decision`: allow, ask, defer or deny
    cancelled,               // by an abort
    error_during_execution,  // `hook` failed, and what it was asked about goes on without it
    stopped_continuation,    // no further request to the model
    additional_context,      // for the model; that of a call stands in its result too
    system_message,          // for the user alone
  };
  Kind kind = Kind::system_message;
  HookEvent event = HookEvent::pre_tool_use;
  std::string call_id = {};  // empty: it is not about one call
  std::string hook = {};     // which, if it is one
  std::string text = {};
  std::string decision = {};
};
// One hook has ended; only for those who want to know of every one.
struct HookRan {
  HookEvent event = HookEvent::pre_tool_use;
  std::string call_id = {};  // empty: it is not about one call
  HookReport report;
};
// What PostToolBatch hooks had to say when all calls of a message were answered.
struct BatchHooked {
  JsonArray new_messages = {};                           // follow the results
  std::optional<std::string> stop_after = std::nullopt;  // no further request; why, for the user
};
std::string_view to_string(HookSpoke::Kind kind);  // "hook_permission_decision" …
struct Notice {
  std::string text;
};
// Something goes on with nobody waiting for it: a subagent in the background.
struct TaskBegan {
  std::string id;
  std::string call_id;  // that started it
  std::string type;     // "local_agent"
  std::string description;
};
struct TaskEnded {
  std::string id;
  std::string call_id;
  std::string status;  // "completed", "failed", "stopped"
  std::string output_file;
  std::string summary;  // one line, for people
};
// What happens to a subagent, at any depth: the same events as for the main agent, wrapped once. Questions and calls to
// the host's tools are not wrapped: they are answered like those of the main agent.
struct EventOfAgent;
struct SubagentEvent {
  std::string parent_call_id;  // the call that started it
  std::string agent_id;
  std::string agent_type;
  std::string description;
  std::shared_ptr<const EventOfAgent> what;
};

using Event = std::variant<CallAdmitted, CallProgressed, CallAnswered, StageEnded, ProgressChanged,
                           // of the prompt queue (agent/prompt.h)
                           PermissionAsked, PermissionWithdrawn, ServerAsked, ServerAskWithdrawn, PromptChanged,
                           PromptAnswered, HostCallMade, HostCallWithdrawn, MessageDiscarded, HookSpoke, HookRan,
                           BatchHooked, Notice, TaskBegan, TaskEnded, SubagentEvent,
                           // of a turn with a model (agent/turn_event.h)
                           TurnBegan, PromptGiven, RequestSent, MessageBegan, TextArrived, ThinkingArrived,
                           RawEventArrived, BlockCompleted, MessageCompleted, ResultsGiven, RetryScheduled,
                           ModelSwitched, StopHooksRan, CompactionBegan, CompactionDone, TurnEnded>;
struct EventOfAgent {
  Event event;
};

// The people and programs that watch a turn. show() is called from the turn's thread and from workers, returns at
// once and never blocks on a slow reader.
class Frontend {
 public:
  virtual ~Frontend() = default;
  virtual void show(Event event) = 0;
  virtual bool wants_stages() const { return false; }             // CallAdmitted and StageEnded
  virtual bool wants_progress() const { return wants_stages(); }  // ProgressChanged
  virtual bool wants_times() const { return false; }              // the stages of CallAnswered
  virtual bool wants_hooks() const { return false; }              // HookRan
};

}  // namespace deft
