#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "deft/base/result.h"
#include "deft/ui/session_settings.h"

namespace deft {

class Tool;

// In the environment of servers that a proxy starts: a proxy among them would start itself for ever.
inline constexpr const char* kMcpProxyVariable = "DEFT_MCP_PROXY";

// The configured MCP servers of a folder, whose tools `deft mcp serve --proxy` offers too: one gate before all of them.
class McpProxy {
 public:
  struct Options {
    SettingsRequest settings;  // which servers, and which of them may be started
    std::string session_id;
    // All tools of a server, whenever they change; for people, what is to be said. From any thread.
    std::function<void(const std::string& server, const std::vector<std::shared_ptr<Tool>>& tools)> publish;
    std::function<void(const std::string&)> notice;
  };
  // Returns at once; servers that are slow come later.
  static Result<std::unique_ptr<McpProxy>> start(Options options);
  ~McpProxy();  // none of the servers survives

 private:
  struct Ground;
  explicit McpProxy(std::unique_ptr<Ground> ground);
  std::unique_ptr<Ground> ground_;
};

}  // namespace deft
