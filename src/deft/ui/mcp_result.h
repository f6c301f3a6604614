#pragma once

#include <vector>

#include "deft/base/json.h"
#include "deft/core/tool_result.h"

namespace deft {

// A result's content in the words of MCP. What an MCP server gave stands there as it gave it, with whatever the gate
// has added to it; where the gate has shortened or replaced its text, that text stands in the place of the server's.
JsonArray mcp_content_of(const ToolResult& result);

// The same for the answer to resources/read.
JsonArray mcp_resource_contents_of(const ToolResult& result, std::string_view uri);

// The resources that a server's content names: its links, and what is in it.
std::vector<std::string> resources_named_in(const McpContent& content);

}  // namespace deft
