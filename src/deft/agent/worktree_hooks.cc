#include "deft/agent/worktree_hooks.h"

#include <algorithm>
#include <utility>

namespace deft {
namespace {

// Whatever went wrong with one of them.
std::optional<Error> failure_of(const HookOutcome& outcome, std::string_view event) {
  if (outcome.cancelled) return Error{Errc::cancelled, "The " + std::string(event) + " hook was cancelled"};
  const auto failed = std::ranges::find_if(outcome.reports, [](const HookReport& report) {
    return report.end == HookReport::End::failed || report.end == HookReport::End::blocked;
  });
  if (failed == outcome.reports.end()) return std::nullopt;
  return Error{Errc::failed, "The " + std::string(event) + " hook " + failed->hook + " failed: " + failed->error};
}

}  // namespace

WorktreeToolOptions with_worktree_hooks(WorktreeToolOptions options, HookRunner& hooks,
                                        std::function<HookScene()> scene) {
  options.create_by_hook = [&hooks, scene](const std::string& name,
                                           std::stop_token stop) -> std::optional<Result<std::string>> {
    if (!hooks.listens(HookEvent::worktree_create)) return std::nullopt;
    const HookOutcome outcome = hooks.run(worktree_create(scene(), name), std::move(stop));
    if (const auto failure = failure_of(outcome, "WorktreeCreate")) return std::unexpected(*failure);
    if (outcome.worktree_path.value_or("").empty()) {
      return fail(Errc::failed, "The WorktreeCreate hook did not print the path of the worktree.");
    }
    return *outcome.worktree_path;
  };
  options.remove_by_hook = [&hooks, scene](const std::string& path, std::stop_token stop) -> Result<void> {
    if (!hooks.listens(HookEvent::worktree_remove)) {
      return fail(Errc::unsupported, "A hook made this worktree, and there is no WorktreeRemove hook: keep it.");
    }
    const HookOutcome outcome = hooks.run(worktree_remove(scene(), path), std::move(stop));
    if (const auto failure = failure_of(outcome, "WorktreeRemove")) return std::unexpected(*failure);
    return {};
  };
  return options;
}

}  // namespace deft
