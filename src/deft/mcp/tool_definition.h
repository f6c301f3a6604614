#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "deft/base/json.h"
#include "deft/base/result.h"
#include "deft/mcp/http_headers.h"

// What a server says of its tools, made fit for a model. All of it is a stranger's text: validated, cut, and never able
// to be taken for something of ours. Pure.

namespace deft {

inline constexpr std::size_t kMcpDescriptionBytesMax = 2048;
inline constexpr std::size_t kMcpToolNameBytesMax = 256;     // the server's own name of it
inline constexpr std::size_t kMcpApiNameCharactersMax = 64;  // of mcp__server__tool: APIs take no longer one
inline constexpr std::size_t kMcpSearchHintCharactersMax = 120;

struct McpToolDefinition {
  std::string name{};  // as the server knows it
  std::string title{};
  std::string description{};
  Json input_schema{};  // root type object, without a combination at its root
  std::optional<Json> output_schema{};
  std::vector<McpParamHeader> param_headers{};
  // Hints: they steer when a tool runs, never whether.
  bool read_only_hint = false;
  bool destructive_hint = false;
  // What `_meta` asks for.
  bool always_load = false;
  bool requires_user_interaction = false;
  std::string search_hint{};
  std::optional<std::size_t> result_characters_max{};
  std::string identity{};  // another one when what the model is told of it, or what it takes, is another
};

// From one entry of tools/list. An error says why the tool cannot be used.
Result<McpToolDefinition> read_tool_definition(const Json& entry);

// "mcp__server__tool": other characters than letters, digits, '_' and '-' become '_'; a name that is too long ends in a
// hash of all of it. `taken` are names that are in use: another tool that would have one of them gets a hash too.
std::string mcp_tool_name(std::string_view server, std::string_view tool, const std::set<std::string>& taken);
// The first part of it: what rules call the server by.
std::string mcp_server_word(std::string_view server);

// A schema whose root is anyOf, oneOf or allOf as one plain object: models' APIs take nothing else. It allows more
// than the original, which the server checks itself.
Json flattened_schema(const Json& schema);

// A stranger's text: control characters and invisible ones are dropped, the rest cut.
std::string tamed_text(std::string_view text, std::size_t bytes_max);

}  // namespace deft
