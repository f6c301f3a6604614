#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "deft/agent/event.h"
#include "deft/mcp/mcp_tool.h"
#include "deft/ui/agent_session.h"

namespace deft {

inline constexpr std::size_t kPermissionTextBytesMax = std::size_t{1} << 20;  // of the tool's answer

// What a tool that was asked has to say, in the host's words ({"behavior":"allow"|"deny" …}). Errors: it is none.
Result<Json> permission_reply(const Json& tool_result);

// `--permission-prompt-tool mcp__server__tool`: questions about the model's calls go to a tool of an MCP server, which
// the model itself never sees. Whatever goes wrong with it is a denial that says so. Each question waits on a thread of
// its own, until it is answered or withdrawn.
class PermissionTool final : public Frontend {
 public:
  // `session` outlives it.
  PermissionTool(std::string name, AgentSession& session) : name_(std::move(name)), session_(session) {}
  void show(Event event) override;
  void stop();  // before the session ends: nobody is asked any more

 private:
  struct Found {
    std::shared_ptr<McpCaller> server;
    std::string tool;  // as the server calls it
  };
  void ask(const PermissionAsked& asked);
  Result<Json> reply_to(const PermissionAsked& asked, const std::stop_token& stop);
  Result<Found> find_tool(const std::stop_token& stop);

  const std::string name_;
  AgentSession& session_;
  const SystemClock clock_;
  std::mutex mutex_;
  std::vector<std::string> answered_;           // questions whose threads are over; under mutex_
  bool has_stopped_ = false;                    // under mutex_
  std::map<std::string, std::jthread> asking_;  // by question; under mutex_
};

}  // namespace deft
