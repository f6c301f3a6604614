#pragma once

#include <functional>

#include "deft/agent/hook_input.h"
#include "deft/agent/hook_runner.h"
#include "deft/tools/shared_task_list.h"

namespace deft {

// TaskCreated and TaskCompleted hooks for a task list (SharedTaskList::Parts::hook). `hooks` outlives what is made.
decltype(SharedTaskList::Parts::hook) task_hooks(HookRunner& hooks, std::function<HookScene()> scene);

}  // namespace deft
