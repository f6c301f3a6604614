#pragma once

#include <string>

#include "deft/tools/registry.h"

namespace deft {

// The page docs/tools.md, from what the tools declare. A test compares the two.
std::string tools_markdown(const ToolPool& pool);

}  // namespace deft
