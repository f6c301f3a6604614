#pragma once

#include <memory>

#include "deft/tools/search_root.h"
#include "deft/tools/tool.h"

namespace deft {

inline constexpr Duration kGrepTimeMax = std::chrono::seconds(60);

// Searches the contents of files with a regular expression, inside this process. Results are sorted by path.
std::shared_ptr<Tool> make_grep_tool(SearchOptions options = {});

}  // namespace deft
