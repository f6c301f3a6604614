#pragma once

#include <string_view>

#include "deft/core/powershell_line.h"

namespace deft {

// Does this PowerShell line only look at things? Conservative: plain calls of a few cmdlets that are known to change
// nothing, by their own names (an alias may be a program elsewhere), in a pipe or one after another; whatever else is
// in it, the answer is no.
bool is_read_only_powershell(std::string_view line);

// Are all of its commands such that look, by whatever name? Good enough to say that a path in it is not written; not
// that nothing is.
bool names_only_readers(const PowerShellLine& line);

}  // namespace deft
