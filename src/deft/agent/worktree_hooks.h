#pragma once

#include <functional>

#include "deft/agent/hook_input.h"
#include "deft/agent/hook_runner.h"
#include "deft/tools/worktree.h"

namespace deft {

// WorktreeCreate hooks make worktrees in git's place, if there are any; WorktreeRemove hooks then remove them. `hooks`
// outlives the tools.
WorktreeToolOptions with_worktree_hooks(WorktreeToolOptions options, HookRunner& hooks,
                                        std::function<HookScene()> scene);

}  // namespace deft
