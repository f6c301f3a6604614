#pragma once

#include <memory>

#include "deft/tools/tool.h"

namespace deft {

// The agent's list of what it means to do (core/todo_list.h), replaced as a whole.
std::shared_ptr<Tool> make_todo_write_tool();

}  // namespace deft
