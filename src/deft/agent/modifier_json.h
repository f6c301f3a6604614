#pragma once

#include <vector>

#include "deft/base/json.h"
#include "deft/core/session_state.h"

// What a call changed in its session, as the journal keeps it: so that a resumed session knows what was read, and
// where it is. What only makes sense while the process lives is left out.

namespace deft {

// A JSON array.
std::string modifiers_json(const std::vector<Modifier>& modifiers);
// What is not understood, because another version wrote it, is left out.
std::vector<Modifier> modifiers_of(const Json& json);

}  // namespace deft
