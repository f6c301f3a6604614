#pragma once

#include <functional>
#include <string_view>

#include "deft/shell/commands.h"

namespace deft {

// Does what a command prints depend on a variable of its environment? A call that was judged read-only gets only a few
// of them, and must not tell that the others are not set. `is_withheld`: such a call would miss this one.
bool uses_withheld_variable(std::string_view command, const shell::Commands& commands,
                            const std::function<bool(std::string_view name)>& is_withheld);

// Does the text name the variable other than by its value, as in x=1, for x in, read x? Then it has it from itself.
bool sets_variable(std::string_view command, std::string_view name);

}  // namespace deft
