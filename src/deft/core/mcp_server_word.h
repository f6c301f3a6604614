#pragma once

#include "deft/core/mcp_tool_name.h"

namespace deft {

// "mcp__server": what the names of a server's tools begin with, whatever characters the server's name has.
inline std::string mcp_server_word(std::string_view server) {
  return McpToolName{.server = plain_mcp_word(server), .tool = {}}.server_word();
}

}  // namespace deft
