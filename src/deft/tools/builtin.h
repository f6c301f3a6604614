#pragma once

#include <memory>
#include <vector>

#include "deft/tools/tool.h"

namespace deft {

// Every tool that comes with deft.
std::vector<std::shared_ptr<Tool>> make_builtin_tools();

}  // namespace deft
