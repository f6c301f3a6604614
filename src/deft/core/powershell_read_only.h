#pragma once

#include <string_view>

namespace deft {

// Does this PowerShell line only look at things? Conservative: plain calls of a few cmdlets that are known to change
// nothing, in a pipe or one after another; whatever else is in it, the answer is no.
bool is_read_only_powershell(std::string_view line);

}  // namespace deft
