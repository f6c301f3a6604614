#pragma once

#include <memory>

#include "deft/agent/hook_input.h"
#include "deft/base/result.h"

namespace deft {

// A moment to try hooks on, with the call that it is about.
struct HookSample {
  std::shared_ptr<ToolCall> call = nullptr;  // the moment points to it
  HookMoment moment = {};
};

// What could happen at such an event: a call of Bash that lists files, a prompt, the end of a turn …
HookSample sample_of(HookEvent event, const HookScene& scene);

// The same with fields of one's own, as a hook reads them ({"tool_name": "Write", "tool_input": {…}} …): they stand in
// the place of the sample's.
Result<HookSample> sample_of(HookEvent event, const HookScene& scene, const Json& fields);

}  // namespace deft
