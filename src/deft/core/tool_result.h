#pragma once

#include <optional>
#include <string>
#include <vector>

#include "deft/base/json.h"
#include "deft/base/result.h"
#include "deft/core/session_state.h"

namespace deft {

// What a call gave.
struct ToolResult {
  std::string text;                 // for the model
  JsonArray blocks;                 // content beside the text, as API content blocks: images, documents
  Json details;                     // the structured output: for hooks, hosts and the screen
  std::optional<Errc> error;        // set: this is an error result
  std::vector<Modifier> modifiers;  // what it changed in the session
  JsonArray new_messages;           // to be added to the conversation after the results
  std::string meta_text;            // protocol metadata (MCP `_meta`) as it came, passed through untouched

  bool is_error() const { return error.has_value(); }
};

// Errors made by the engine, not by a tool, are marked as such for the model.
inline ToolResult engine_error(Errc code, std::string_view message) {
  return {.text = "<tool_use_error>" + std::string(message) + "</tool_use_error>", .error = code};
}

}  // namespace deft
