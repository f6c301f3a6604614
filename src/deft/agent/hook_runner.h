#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "deft/base/json.h"
#include "deft/core/hook_event.h"
#include "deft/core/hook_outcome.h"
#include "deft/core/message.h"
#include "deft/core/permission.h"

namespace deft {

// Something that hooks may have a word in. agent/hook_input.h makes one for each event.
struct HookMoment {
  HookEvent event = HookEvent::pre_tool_use;
  std::string subject = {};    // what matchers are compared with: the tool, the source, the trigger …
  std::string directory = {};  // the session's working directory, now
  Mode mode = Mode::normal;
  std::string agent_id = {};  // only inside a subagent
  std::string agent_type = {};
  JsonObject fields = {};          // of this event, beside the common ones
  const ToolCall* call = nullptr;  // of events about a call; its name is today's name of the tool
  // Of a server's tool: `subject` is its full name.
  std::optional<McpToolName> mcp = std::nullopt;
  std::string api_name = {};  // by which models call it
};

// What a hook that ran on in the background said since.
struct LateHookWord {
  HookEvent event = HookEvent::pre_tool_use;
  std::string hook = {};
  std::string context = {};  // for the model, with the next request
  std::string message = {};  // for the user
  std::string error = {};    // for the user: how it failed
  bool wakes_model = false;  // the turn goes on for it, even if it had ended
};

// Runs the user's hooks: all that match, in parallel, and says what came of them together. run() blocks, on a worker's
// thread; ends soon after a stop is requested, `cancelled`. Used from several threads at once.
class HookRunner {
 public:
  virtual ~HookRunner() = default;
  // Whether run() could do anything at such a moment; as good as free. Who asks first makes no input for nobody.
  virtual bool listens(HookEvent event) const = 0;
  virtual HookOutcome run(const HookMoment& moment, std::stop_token stop) = 0;
  // A turn is over: hooks that were only meant for it, those of skills, are gone.
  virtual void end_turn() {}
  // What has come from hooks in the background since the last time; each once.
  virtual std::vector<LateHookWord> take_late_words() { return {}; }
  // `tell` is called, on any thread, when there is one to take. Nothing: nobody is told any more.
  virtual void when_a_late_word_comes(std::function<void()> /*tell*/) {}
};

// No hooks configured: none run.
class NoHooks final : public HookRunner {
 public:
  bool listens(HookEvent) const override { return false; }
  HookOutcome run(const HookMoment&, std::stop_token) override { return {}; }
};

}  // namespace deft
