#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "deft/base/json.h"
#include "deft/core/message.h"
#include "deft/model/model.h"

namespace deft {

// What a person says to the model: content blocks in the words of the Messages API. Texts may be plain strings.
struct Prompt {
  JsonArray blocks;
  std::string uuid = {};     // by which a host means it later; empty: it gets one
  bool is_verbatim = false;  // a text like any other, also where it begins as a command does
  static Prompt of(std::string_view text) { return {.blocks = JsonArray{Json(boost::json::string_view(text))}}; }
};

// Why a turn is over.
enum class TurnReason : std::uint8_t {
  completed,                  // the model has said its last word
  max_turns,                  // the limit of requests was reached
  budget_exhausted,           // the limit of money or tokens
  aborted_streaming,          // by the user, while the model spoke
  aborted_tools,              // by the user, while calls ran
  hook_stopped,               // a hook said: no further request
  prompt_blocked,             // a hook took the prompt back, or the command that it calls cannot be used
  refusal,                    // the model declined
  prompt_too_long,            // the context is full and could not be made shorter
  model_error,                // the model cannot be reached, or does not take the request
  structured_output_failed,   // the answer never had the shape that was asked for
  tool_deferred,              // a hook wants a call to be decided later: the turn goes on when the session is resumed
  tool_deferred_unavailable,  // such a call, and its tool is not there any more
};
std::string_view to_string(TurnReason reason);

struct TurnEnd {
  TurnReason reason = TurnReason::completed;
  std::string text;         // of the last message
  std::string stop_reason;  // of the last message, the API's word
  std::string explanation;  // for people, if it did not complete
  std::optional<ModelFailure> failure;
  std::optional<Json> structured_output = std::nullopt;
  std::optional<ToolCall> deferred = std::nullopt;  // the call that is to be decided later
  std::size_t requests = 0;                         // answered by the model
  std::chrono::nanoseconds duration{};
  std::chrono::nanoseconds model_duration{};  // of that, with a request under way
};

}  // namespace deft
