#pragma once

#include <string>
#include <string_view>

namespace deft {

// How people know a tool of an MCP server: by the server's name and the tool's own. They are kept apart, because
// "mcp__a__b__c" could be a tool of "a" as well as one of "a__b", and because models call the tool by a name that may
// have been shortened. Rules, hooks and lists of tools go by this.
struct McpToolName {
  std::string server;       // as rules write it, see plain_mcp_word()
  std::string tool;         // as the server calls it
  bool is_alone = true;     // no other tool of the server is written like it in plain characters
  std::string source = {};  // where the server is configured: "user", "project" …

  std::string server_word() const;  // "mcp__server"
  std::string full() const;         // "mcp__server__tool"
  std::string plain() const;        // the same in plain characters
};

// Letters, digits, '_' and '-' as they are, every other byte as '_'.
std::string plain_mcp_word(std::string_view text);

// Does a rule that was written like this mean the tool, for certain? `written` is a name or a pattern in which '*' is
// any text, and begins with server_word() + "__".
bool means_mcp_tool(std::string_view written, const McpToolName& tool);

}  // namespace deft
