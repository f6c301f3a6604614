#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "deft/base/json.h"
#include "deft/base/result.h"
#include "deft/core/result_limits.h"
#include "deft/core/session_state.h"

namespace deft {

// Output that was too long to be kept in memory: a file has all of it, and this is what is left of it here.
struct LongOutput {
  std::string path = {};     // empty: it could not be kept
  std::string problem = {};  // why not, or why not all of it
  std::uint64_t bytes = 0;   // of all of it
  std::uint64_t bytes_kept = 0;
  std::uint64_t characters = 0;
  std::string beginning = {};
  std::string end = {};
  std::string identity = {};  // the same for the same content
  std::size_t at = 0;         // where it belongs in the result's text
};

// Where all of a result is whose text is but a preview.
struct StoredResult {
  std::string path = {};    // empty: it could not be kept
  std::string where = {};   // the sentence that says so
  std::string before = {};  // what stands around it in the text
  std::string after = {};
  std::uint64_t bytes = 0;
};

// What a call gave.
// What an MCP server gave, in its own words.
struct McpContent {
  std::string server;  // our name of it
  JsonArray blocks;    // of a tool's result, or of a resource
  std::string text;    // what they were made into; if the result has another one in the end, they are not its content
};

struct ToolResult {
  std::string text;                 // for the model
  JsonArray blocks;                 // content beside the text, as API content blocks: images, documents
  Json details;                     // the structured output: for hooks, hosts and the screen
  std::optional<Errc> error;        // set: this is an error result
  std::vector<Modifier> modifiers;  // what it changed in the session
  JsonArray new_messages;           // to be added to the conversation after the results
  // A hook said: no further request to the model once this message's calls are answered. Why, for the user.
  std::optional<std::string> stop_after = std::nullopt;
  std::string meta_text;                         // protocol metadata (MCP `_meta`) as it came, passed through untouched
  std::optional<McpContent> mcp = std::nullopt;  // only for a client that speaks MCP itself
  std::optional<LongOutput> long_output = std::nullopt;
  std::optional<StoredResult> stored = std::nullopt;
  bool is_cut = false;                        // and will not be cut again
  ResultLimit limit = {};                     // how much of it is shown
  std::string note = {};                      // what the engine adds: the end of the text, whatever becomes of the rest
  std::string identity = {};                  // the same for the same content; empty: nobody compares
  std::vector<std::string> shows_files = {};  // canonical paths of files that the model sees in it

  bool is_error() const { return error.has_value(); }
};

// Errors made by the engine, not by a tool, are marked as such for the model.
inline ToolResult engine_error(Errc code, std::string_view message) {
  return {.text = "<tool_use_error>" + std::string(message) + "</tool_use_error>", .error = code};
}

}  // namespace deft
