#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "deft/base/result.h"
#include "deft/config/mcp_settings.h"
#include "deft/mcp/elicitation.h"
#include "deft/ui/session_servers.h"
#include "deft/ui/session_settings.h"

namespace deft {

// In the environment of servers that a proxy starts: a proxy among them would start itself for ever.
inline constexpr const char* kMcpProxyVariable = "DEFT_MCP_PROXY";

// The configured MCP servers of a folder where there is no agent: for `deft exec`, `deft tools --mcp` and
// `deft mcp serve --proxy`. They have all that they need for themselves.
class LoneServers {
 public:
  struct Options {
    std::string directory;  // canonical
    McpRequestedFiles requested;
    const std::vector<LoadedFile>& settings;
    bool trusted = false;
    std::vector<std::string> directories = {};  // further ones that servers may know of
    std::string session_id = {};
    std::vector<std::string> environment = {};  // NAME=VALUE, beside our own
    // A server's tools, all of them, whenever they change. From any thread.
    std::function<void(PublishedTools)> publish;
    std::function<void(const std::string&)> notice;
    std::function<Result<Json>(const McpElicitation&, std::stop_token)> elicitation = nullptr;
  };
  // Returns at once; servers that are slow come later. Null: none is configured that may be started, and nothing was
  // begun. An error only for what the command line says.
  static Result<std::unique_ptr<LoneServers>> start(Options options);
  ~LoneServers();  // none of the servers survives

  // Until all servers have been tried, but no longer than calls may be delayed.
  void wait_for_first(const std::stop_token& stop = {}) { servers().wait_for_first(stop); }
  SessionServers& servers();
  // Nothing is published any more, and the servers end.
  void stop();

 private:
  struct Ground;
  explicit LoneServers(std::unique_ptr<Ground> ground);
  std::unique_ptr<Ground> ground_;
};

}  // namespace deft
