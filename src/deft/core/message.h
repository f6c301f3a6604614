#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "deft/base/json.h"

// One answer of the model, as blocks, in the words of Anthropic's Messages API whichever API it came from.

namespace deft {

// What the model asked for. Either `input` is an object and `input_text` its JSON text, or `invalid` says why there
// is none; then `input` is null and `input_text` holds what came. An invalid call is answered, never run.
struct ToolCall {
  std::string id;
  std::string name;
  Json input;
  std::string input_text;  // as the model wrote it, so that big integers and spelling survive; "{}" if it wrote nothing
  std::optional<std::string> invalid;
};

// `extra`: fields of the block that we have no use for but must hand back (citations, caller, ids of the provider).
struct TextBlock {
  std::string text;
  JsonObject extra;
};
struct ThinkingBlock {
  std::string thinking;
  std::string signature;
  JsonObject extra;
};
struct ToolUseBlock {
  ToolCall call;
  JsonObject extra;
};
// Whatever else a provider sends (server_tool_use, web_search_tool_result, refusal …), untouched.
struct OtherBlock {
  Json json;
};
using Block = std::variant<TextBlock, ThinkingBlock, ToolUseBlock, OtherBlock>;

struct Message {
  std::string id;
  std::string model;
  std::vector<Block> blocks;
  std::string stop_reason;      // end_turn, tool_use, max_tokens, stop_sequence, refusal …; empty: none came
  std::string raw_stop_reason;  // the provider's own word
  Json usage;                   // the provider's own object, or null
  JsonObject extra;             // other fields of the message: stop_sequence, stop_details, container
};

}  // namespace deft
