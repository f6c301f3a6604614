#pragma once

#include <cstdint>
#include <memory>

#include "deft/tools/background_tasks.h"
#include "deft/tools/bash_commands.h"
#include "deft/tools/tool.h"

namespace deft {

// Runs a command line under bash. The working directory lasts from call to call, the environment does not. What goes on
// in the background belongs to `tasks`.
std::shared_ptr<Tool> make_bash_tool(BashOptions options, std::shared_ptr<BackgroundTasks> tasks);
// The same with commands that other tools share.
std::shared_ptr<Tool> make_bash_tool(std::shared_ptr<BashCommands> commands, std::shared_ptr<BackgroundTasks> tasks);

}  // namespace deft
