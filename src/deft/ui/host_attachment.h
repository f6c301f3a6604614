#pragma once

#include <string>

#include "deft/base/json.h"

namespace deft {

// A picture or a document of a host's message, as the model's API takes it: what the API would refuse, it refuses with
// every later request of the conversation as well, and the session would be lost. Names the right kind of picture
// where the host has named another one; what cannot be used becomes a text that says so. Returns what is wrong, for
// people; empty: nothing is. Pure.
std::string repair_attachment(Json& block);

}  // namespace deft
