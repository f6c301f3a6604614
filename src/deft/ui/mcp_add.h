#pragma once

#include <span>
#include <string>
#include <string_view>

#include "deft/base/json.h"
#include "deft/base/result.h"
#include "deft/config/mcp_settings.h"

namespace deft {

// What `deft mcp add` and `add-json` are to write.
struct McpAddition {
  McpScope scope = McpScope::local;
  std::string name{};
  Json entry{};
};

// The words after `deft mcp add`. Everything behind the server's name belongs to the server.
Result<McpAddition> parse_mcp_add(std::span<const std::string> words);
// The words after `deft mcp add-json`.
Result<McpAddition> parse_mcp_add_json(std::span<const std::string> words);
// "local", "project" or "user".
Result<McpScope> parse_mcp_scope(std::string_view word);

}  // namespace deft
