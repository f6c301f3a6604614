#pragma once

#include <string>

#include "deft/base/result.h"
#include "deft/config/mcp_settings.h"

// What is remembered of a server (mcp/memory.h), from outside of a session.

namespace deft {

// By what a server is remembered: another command or address is another server.
std::string known_server_key(const McpServerSettings& server);

// Forgets how the tools of a server described themselves: what they say now is what the user has seen. `file`:
// McpMemory::default_file().
Result<void> accept_descriptions(const std::string& file, const McpServerSettings& server);

}  // namespace deft
