#include "deft/agent/agent_hooks.h"

#include <optional>
#include <utility>

#include "deft/agent/hook_stages.h"

namespace deft {

void AgentHooks::ask(HookMoment moment, Then then) {
  const std::stop_token stop = asked_.get_token();
  parts_.runner.start([parts = parts_, stop, its_moment = std::move(moment), what_follows = std::move(then)]() mutable {
    HookOutcome outcome = parts.hooks.run(its_moment, stop);
    show_hooks(parts.frontend, its_moment.event, {}, outcome);
    parts.executor.post([stop, said = std::move(outcome), go_on = std::move(what_follows)]() mutable {
      if (!stop.stop_requested()) go_on(std::move(said));
    });
  });
}

HookOutcome AgentHooks::ask_and_wait(HookMoment moment) {
  if (!listens(moment.event)) return {};
  const std::stop_token stop = asked_.get_token();
  std::optional<HookOutcome> said;
  ask(std::move(moment), [&said](HookOutcome outcome) { said = std::move(outcome); });
  while (!said && !stop.stop_requested()) parts_.executor.step();
  return said ? std::move(*said) : HookOutcome{.cancelled = true};
}

void AgentHooks::stop() {
  asked_.request_stop();
  asked_ = {};
}

}  // namespace deft
