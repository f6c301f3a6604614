#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "deft/mcp/client.h"
#include "deft/mcp/tool_definition.h"
#include "deft/tools/tool.h"

namespace deft {

inline constexpr Duration kMcpProgressPause = std::chrono::milliseconds(100);  // between two that are shown

// A configured server, as its tools see it: whoever is behind it may die and come back.
class McpCaller {
 public:
  virtual ~McpCaller() = default;
  virtual const std::string& name() const = 0;
  // Why its tools cannot be used now, in a sentence for the model; nothing if they can.
  virtual std::optional<std::string> down() const = 0;
  virtual McpOutcome call_tool(const std::string& tool, const Json& arguments, McpCallOptions options,
                               std::stop_token stop) = 0;
  virtual std::expected<McpList, McpFailure> list(McpListKind kind, std::stop_token stop) = 0;
  virtual McpOutcome read_resource(const std::string& uri, std::stop_token stop) = 0;
  // Whether it shall tell when this resource changes; as long as the session lasts, whatever happens to the server.
  virtual std::expected<void, McpFailure> watch_resource(const std::string& uri, bool watch, std::stop_token stop) = 0;
};

// One tool of a server. It is a stranger's: whether it may run is asked as for any other, whatever it says of itself;
// its hint that it only reads lets it run beside others, nothing more.
//
// `changed`: what the model is told of it is not what it was when it was last allowed; the next question says so.
std::shared_ptr<Tool> make_mcp_tool(std::shared_ptr<McpCaller> server, McpToolDefinition definition, McpToolName name,
                                    bool changed, std::function<void()> was_run);

// ListMcpResourcesTool and ReadMcpResourceTool, over all servers. `servers` is asked at each call.
using McpCallers = std::function<std::vector<std::shared_ptr<McpCaller>>()>;
std::shared_ptr<Tool> make_list_mcp_resources_tool(McpCallers servers);
std::shared_ptr<Tool> make_read_mcp_resource_tool(McpCallers servers);

// Why a call failed, for the model: what it can do now. Says when nobody knows what the server has done.
Error mcp_call_error(const std::string& server, const McpFailure& failure);

}  // namespace deft
