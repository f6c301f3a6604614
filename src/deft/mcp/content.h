#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "deft/base/json.h"
#include "deft/core/schema.h"
#include "deft/tools/tool.h"

namespace deft {

inline constexpr std::size_t kMcpContentBlocksMax = 1000;  // of one result; more are counted and left out
// Pictures of one result that the model sees; more are saved and named. A conversation with too many of them is refused
// by models' APIs from then on.
inline constexpr std::size_t kMcpImagesShownMax = 20;

// What a server's tool gave, as a result for the model: texts as they are, pictures as pictures, other data kept in a
// file that is named, links as links. `server` is our name of it. Structured content is checked against the output
// schema, if the tool has declared one; a server that breaks its own word has failed.
ToolResult mcp_tool_result(const Json& result, std::string_view server, const Schema* output_schema, ToolIo& io);

// The same of resources/read.
ToolResult mcp_resource_result(const Json& result, std::string_view server, std::string_view uri, ToolIo& io);

}  // namespace deft
