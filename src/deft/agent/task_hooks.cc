#include "deft/agent/task_hooks.h"

#include <utility>

namespace deft {

decltype(SharedTaskList::Parts::hook) task_hooks(HookRunner& hooks, std::function<HookScene()> scene) {
  return [&hooks, scene = std::move(scene)](TaskMoment moment, const ListedTask& task,
                                            std::stop_token stop) -> std::optional<std::string> {
    const HookEvent event = moment == TaskMoment::created ? HookEvent::task_created : HookEvent::task_completed;
    if (!hooks.listens(event)) return std::nullopt;
    const HookOutcome outcome =
        hooks.run(task_moment(event, scene(), task.id, task.subject, task.description), std::move(stop));
    if (outcome.cancelled) return "it was cancelled while its hooks ran";
    if (!outcome.blocked) return std::nullopt;
    return outcome.block_reason.empty() ? "no reason was given" : outcome.block_reason;
  };
}

}  // namespace deft
