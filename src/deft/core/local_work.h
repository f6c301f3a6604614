#pragma once

#include <vector>

#include "deft/shell/commands.h"

namespace deft {

// The classifier that auto mode has built in: is this a command that works on the project and nowhere else? Building,
// testing, checking and formatting with well-known programs, and what git does without losing anything. Not what
// reaches the network, installs, publishes, destroys, or runs a program that it does not know. Paths are judged by the
// caller.
bool is_local_work(const std::vector<shell::Argument>& words);

}  // namespace deft
