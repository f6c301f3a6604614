#include "deft/agent/turn.h"

namespace deft {

std::string_view to_string(TurnReason reason) {
  switch (reason) {
    case TurnReason::completed: return "completed";
    case TurnReason::max_turns: return "max_turns";
    case TurnReason::budget_exhausted: return "budget_exhausted";
    case TurnReason::aborted_streaming: return "aborted_streaming";
    case TurnReason::aborted_tools: return "aborted_tools";
    case TurnReason::hook_stopped: return "hook_stopped";
    case TurnReason::prompt_blocked: return "prompt_blocked";
    case TurnReason::refusal: return "refusal";
    case TurnReason::prompt_too_long: return "prompt_too_long";
    case TurnReason::model_error: return "model_error";
    case TurnReason::structured_output_failed: return "structured_output_retry_exhausted";
    case TurnReason::tool_deferred: return "tool_deferred";
    case TurnReason::tool_deferred_unavailable: return "tool_deferred_unavailable";
  }
  return "model_error";
}

}  // namespace deft
