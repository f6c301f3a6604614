#pragma once

#include <string>
#include <string_view>

#include "deft/agent/hook_runner.h"
#include "deft/core/hook_config.h"

// What `deft hooks` shows: as values, for people and as JSON.

namespace deft {

// What would happen, in a sentence: "the call is denied: no".
std::string describe_outcome(HookEvent event, const HookOutcome& outcome);

JsonObject trial_json(const HookMoment& moment, const HookOutcome& outcome);
std::string trial_text(const HookMoment& moment, const HookOutcome& outcome);

JsonArray hooks_json(const HookConfig& config);
std::string hooks_text(const HookConfig& config);

}  // namespace deft
