#pragma once

namespace deft {

// `deft mcp serve`: deft's tools for any MCP client, over standard input and output or over HTTP.
int run_mcp_serve(int argc, const char* const* argv);

}  // namespace deft
