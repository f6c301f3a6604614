#pragma once

#include <memory>

#include "deft/tools/tool.h"

namespace deft {

// Finds tools that were left out of the prompt, and loads them: they can be called from the next message on.
std::shared_ptr<Tool> make_tool_search_tool();

}  // namespace deft
