#pragma once

#include "deft/core/hook_answer.h"

namespace deft {

// The JSON object that a hook printed. Fields that nobody knows are left alone. A field of a wrong type makes the whole
// answer invalid: `end` is failed, and of what it said only that counts which forbids or stops.
HookAnswer answer_of_json(HookEvent event, const Json& json);

}  // namespace deft
