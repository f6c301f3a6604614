#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "deft/base/json.h"
#include "deft/base/result.h"
#include "deft/core/mcp_tool_name.h"
#include "deft/mcp/http_headers.h"

// What a server says of its tools, made fit for a model. All of it is a stranger's text: validated, cut, and never able
// to be taken for something of ours. Pure.

namespace deft {

inline constexpr std::size_t kMcpDescriptionBytesMax = 2048;
inline constexpr std::size_t kMcpToolNameBytesMax = 256;     // the server's own name of it
inline constexpr std::size_t kMcpApiNameCharactersMax = 64;  // of mcp__server__tool: APIs take no longer one
inline constexpr std::size_t kMcpSearchHintCharactersMax = 120;
inline constexpr std::size_t kMcpInputSchemaBytesMax = std::size_t{256} << 10;  // the model has to read it
// Of the definitions that one server may put before every model by its own wish (`anthropic/alwaysLoad`).
inline constexpr std::size_t kMcpAlwaysLoadBytesMax = std::size_t{64} << 10;

struct McpToolDefinition {
  std::string name{};  // as the server knows it
  std::string title{};
  std::string description{};
  Json input_schema{};  // root type object, without a combination at its root
  std::optional<Json> output_schema{};
  std::vector<McpParamHeader> param_headers{};
  // Hints: they steer when a tool runs, never whether.
  bool read_only_hint = false;
  bool destructive_hint = true;  // whoever says nothing of it may destroy something
  // What `_meta` asks for.
  bool always_load = false;
  bool requires_user_interaction = false;
  std::string search_hint{};
  std::optional<std::size_t> result_characters_max{};
  bool needs_task = false;  // it only runs as a task of the server
  std::string identity{};   // another one when what the model is told of it, or what it takes, is another
  std::size_t bytes = 0;    // of what the model is told of it
};

// From one entry of tools/list. An error says why the tool cannot be used.
Result<McpToolDefinition> read_tool_definition(const Json& entry);

// What models call a tool by: "mcp__server__tool" in plain characters. A name that is too long, or that another tool of
// the server is written by too, ends in a hash of both names.
std::string mcp_api_name(const McpToolName& name);

// The names of all tools of a server, given in any order. Of tools that are written alike in plain characters, the one
// that is called so has the name to itself.
std::vector<McpToolName> mcp_tool_names(std::string_view server, const std::vector<std::string>& tools);

// A schema whose root is anyOf, oneOf or allOf as one plain object: models' APIs take nothing else. It allows more
// than the original, which the server checks itself.
Json flattened_schema(const Json& schema);

// A stranger's text: control characters and invisible ones are dropped, the rest cut.
std::string tamed_text(std::string_view text, std::size_t bytes_max);

}  // namespace deft
