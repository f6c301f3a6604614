#pragma once

#include <memory>

#include "deft/tools/tool.h"

namespace deft {

inline constexpr int kBashTimeoutMsDefault = 120'000;
inline constexpr int kBashTimeoutMsMax = 600'000;

// Runs a command line under bash. The working directory lasts from call to call, the environment does not.
std::shared_ptr<Tool> make_bash_tool();

}  // namespace deft
