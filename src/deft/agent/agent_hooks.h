#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "deft/agent/call_runner.h"
#include "deft/agent/executor.h"
#include "deft/agent/hook_input.h"
#include "deft/agent/hook_runner.h"

namespace deft {

inline constexpr std::size_t kStopContinuationsMax = 8;  // in a turn: how often hooks may keep it from ending

// The hooks of an agent, beside those of its calls: asked on a worker, heard on the turn's thread. Used on the turn's
// thread only.
class AgentHooks {
 public:
  struct Parts {
    HookRunner& hooks;
    CallRunner& runner;
    Executor& executor;
    Frontend& frontend;
  };
  explicit AgentHooks(Parts parts) : parts_(parts) {}
  ~AgentHooks() { stop(); }
  AgentHooks(const AgentHooks&) = delete;
  AgentHooks& operator=(const AgentHooks&) = delete;

  bool listens(HookEvent event) const { return parts_.hooks.listens(event); }
  // What they say is shown, and goes to `then`; not after a stop().
  using Then = std::move_only_function<void(HookOutcome)>;
  void ask(HookMoment moment, Then then);
  // The same, waiting: for moments between turns. Things that happen meanwhile are taken care of.
  HookOutcome ask_and_wait(HookMoment moment);
  // Whoever is asked now ends soon, and nobody hears of it.
  void stop();

  std::vector<LateHookWord> take_late_words() { return parts_.hooks.take_late_words(); }

 private:
  Parts parts_;
  std::stop_source asked_;
};

}  // namespace deft
