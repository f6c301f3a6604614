#pragma once

#include <string>

#include "deft/core/cancel_scope.h"

namespace deft {

// What the model is told about a call that was stopped, or never started.
std::string cancel_text(const Cancellation& why, bool started);

// Follows the results after an abort.
inline constexpr const char* kAbortNotice = "The user interrupted the work here. Wait for what they say next.";

}  // namespace deft
