#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "deft/agent/event.h"
#include "deft/core/hook_event.h"
#include "deft/core/hook_outcome.h"
#include "deft/core/tool_result.h"

// What hooks said, carried into a call, its result and the events that people see.

namespace deft {

// One event for each thing that they said or did; none if they had nothing to say.
void show_hooks(Frontend& frontend, HookEvent event, const std::string& call_id, const HookOutcome& outcome);

// The text with which the model is told what a hook added.
std::string hook_context_text(HookEvent event, std::string_view text);
std::string hook_block_text(HookEvent event, std::string_view reason);

// Context, and after a call also why a hook objects, follow the result; a hook that stops the turn is remembered in it.
void add_hook_words(HookEvent event, const HookOutcome& outcome, ToolResult& result);

// Whether hooks are told of this error at all: only of calls that ran and failed.
bool is_failure_for_hooks(Errc error);

// Puts what a hook gave in the place of the tool's output. An output of another shape than the tool's own is not taken;
// what comes from servers and hosts has no shape to keep to.
enum class OutputChange : std::uint8_t { none, replaced, refused };
OutputChange replace_output(const HookOutcome& outcome, bool has_known_shape, ToolResult& result);
// The text of a replaced output, where the tool itself does not make it from the details.
std::string text_of_output(const Json& details);

// For the end of a turn: {hookCount, hookInfos, hookErrors, preventedContinuation, stopReason}.
JsonObject stop_hook_summary(const HookOutcome& outcome);

}  // namespace deft
