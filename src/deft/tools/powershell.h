#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "deft/tools/background_tasks.h"
#include "deft/tools/bash_commands.h"
#include "deft/tools/tool.h"

namespace deft {

// Where `pwsh` is, by a PATH; never in the working directory, nor in one that is not absolute. Nothing: it is not
// there.
std::optional<std::string> find_powershell(std::string_view path_variable);

// Runs a command line under PowerShell (`program`, absolute). Limits, sandbox and environment as for Bash; it begins in
// the session's working directory and leaves it where it is.
std::shared_ptr<Tool> make_powershell_tool(std::string program, BashOptions options,
                                           std::shared_ptr<BackgroundTasks> tasks);

}  // namespace deft
