#pragma once

#include <string>
#include <string_view>

#include "deft/core/tool_result.h"
#include "deft/os/walker.h"
#include "deft/tools/grep_query.h"
#include "deft/tools/grep_results.h"

namespace deft {

// What a finished search answers, in words and as structured output.
Result<ToolResult> grep_answer(const GrepQuery& query, GrepResults& results, const WalkReport& walked, bool timed_out);

}  // namespace deft
