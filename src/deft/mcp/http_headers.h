#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "deft/base/json.h"
#include "deft/base/result.h"
#include "deft/os/http_client.h"

// What revision 2026-07-28 repeats of a request in its HTTP headers, so that servers between us and the server can see
// where it goes without reading it. Pure.

namespace deft {

inline constexpr std::size_t kMcpParamHeadersMax = 64;
inline constexpr std::size_t kMcpHeaderValueBytesMax = std::size_t{8} << 10;

// An argument that a tool wants to see in a header: "x-mcp-header" of its input schema.
struct McpParamHeader {
  std::vector<std::string> path;  // of keys, from the arguments down
  std::string header;             // "Mcp-Param-Region"
};

// Error: the schema's annotations are against the rules, and the tool is not to be used.
Result<std::vector<McpParamHeader>> param_headers(const Json& input_schema);

// The value that a header stands for; null: it is not there, or is null.
const Json* header_argument(const McpParamHeader& header, const Json& arguments);

// Of the arguments of one call. What is null or missing has no header.
HttpHeaders param_header_values(const std::vector<McpParamHeader>& headers, const Json& arguments);

// Does Mcp-Name name a task? Other methods of tasks are not of this revision.
bool is_named_by_task(std::string_view method);

// Mcp-Method, and Mcp-Name where a request names a tool, a prompt or a resource.
HttpHeaders standard_headers(std::string_view method, const Json* params);

// As it may stand in a header: in base64 with a mark around it where plain text would be changed on its way.
std::string header_value(std::string_view text);

}  // namespace deft
