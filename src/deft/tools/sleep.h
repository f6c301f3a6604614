#pragma once

#include <memory>

#include "deft/tools/tool.h"

namespace deft {

// A wait that a new message of the user ends early. Holds neither a slot nor a thread.
std::shared_ptr<Tool> make_sleep_tool();

}  // namespace deft
