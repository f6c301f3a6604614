#pragma once

#include <string>

#include "deft/core/history.h"

namespace deft {

// What ran in the background ends with the process. What the model of a conversation that is gone on with has to be
// told of that: the words, or nothing if nothing of it was begun since it was last told.
std::string background_notice(const History& history);

}  // namespace deft
