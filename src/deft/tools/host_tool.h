#pragma once

#include <memory>

#include "deft/base/json.h"
#include "deft/base/result.h"
#include "deft/tools/tool.h"

namespace deft {

// A tool that the host program offers and runs itself. For deft it is a call that waits: the host is told, and its
// answer is {"content": text or content blocks, "is_error"?, "structured_content"?}.
// Annotations are hints: readOnlyHint lets it run beside other safe calls and grants nothing.
Result<std::shared_ptr<Tool>> make_host_tool(const Json& definition);

}  // namespace deft
