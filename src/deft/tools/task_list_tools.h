#pragma once

#include <memory>
#include <vector>

#include "deft/tools/shared_task_list.h"
#include "deft/tools/tool.h"

namespace deft {

// TaskCreate, TaskGet, TaskList and TaskUpdate on one list, which the agents of a session share.
std::vector<std::shared_ptr<Tool>> make_task_list_tools(const std::shared_ptr<SharedTaskList>& list);

}  // namespace deft
