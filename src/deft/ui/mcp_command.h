#pragma once

namespace deft {

// `deft mcp …`: which MCP servers there are, and what is wrong with them. Returns the exit code.
int run_mcp(int argc, const char* const* argv);

}  // namespace deft
