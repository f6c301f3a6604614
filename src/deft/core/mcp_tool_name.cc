#include "deft/core/mcp_tool_name.h"

#include "deft/core/command_pattern.h"

namespace deft {
namespace {

constexpr std::string_view kPrefix = "mcp__";
constexpr std::string_view kSeparator = "__";

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

}  // namespace

std::string plain_mcp_word(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (!is_plain(c)) c = '_';
  }
  return out;
}

std::string McpToolName::server_word() const { return std::string(kPrefix) + server; }
std::string McpToolName::full() const { return server_word() + std::string(kSeparator) + tool; }
std::string McpToolName::plain() const { return server_word() + std::string(kSeparator) + plain_mcp_word(tool); }

bool means_mcp_tool(std::string_view written, const McpToolName& tool) {
  const std::string beginning = tool.server_word() + std::string(kSeparator);
  if (written.size() < beginning.size()) return false;
  // The server's part letter by letter: a '*' there could mean another server.
  const std::string_view server = written.substr(0, beginning.size());
  if (server.find('*') != std::string_view::npos || plain_mcp_word(server) != beginning) return false;
  const std::string_view rest = written.substr(beginning.size());
  return matches_stars(rest, tool.tool) || (tool.is_alone && matches_stars(rest, plain_mcp_word(tool.tool)));
}

}  // namespace deft
