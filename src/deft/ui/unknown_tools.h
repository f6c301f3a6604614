#pragma once

#include <optional>
#include <string>
#include <vector>

#include "deft/core/permission.h"

namespace deft {

// For people: which deny and ask rules, and which words of --tools, name a tool that there is nowhere, and so forbid or
// choose nothing. `known`: the names of ours. Tools of servers may come later, so what looks like one is not judged.
std::vector<std::string> notices_of_unknown_tools(const std::vector<PermissionSource>& sources,
                                                  const std::optional<std::vector<std::string>>& chosen,
                                                  const std::vector<std::string>& known);

}  // namespace deft
