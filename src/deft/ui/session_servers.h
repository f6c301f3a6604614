#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "deft/agent/prompt_commands.h"
#include "deft/config/mcp_policy.h"
#include "deft/config/mcp_settings.h"
#include "deft/mcp/login.h"
#include "deft/mcp/memory.h"
#include "deft/mcp/servers.h"
#include "deft/tools/tool.h"

namespace deft {

// How the program that drives us is asked something (ui/control_port.h).
struct HostAccess {
  std::function<Result<Json>(JsonObject request, std::stop_token stop)> ask_and_wait{};
  std::function<void(JsonObject request, std::function<void(Result<Json>)> then)> ask{};
};

struct SessionServersOptions {
  Processes& processes;
  HttpClient& http;
  const Clock& clock;
  std::string directory{};  // canonical
  std::string session_id{};
  std::vector<std::string> environment{};
  McpRequestedFiles requested{};
  const std::vector<LoadedFile>& files;  // the settings; read at once
  bool trusted = false;
  std::function<std::vector<std::string>()> roots{};
  std::optional<HostAccess> host{};
  // A server's question to the user's model, approved or refused there; nothing: not offered to servers.
  std::function<Result<Json>(const std::string& server, const Json& params, std::stop_token)> sampling{};
  // There are tools to be taken: from any thread.
  std::function<void()> tools_waiting{};
  std::function<void(std::string)> noted{};
};

// The tools of one server as they are from now on.
struct PublishedTools {
  std::string server;
  std::vector<std::shared_ptr<Tool>> tools;
};

// The MCP servers of one session of an agent: read from the settings, admitted or said to be not, started, and their
// tools handed over where no message is under way.
class SessionServers {
 public:
  // An error only for what the command line says.
  static Result<std::unique_ptr<SessionServers>> open(SessionServersOptions options);
  ~SessionServers();

  // What was published since the last time; in the order of publishing.
  std::vector<PublishedTools> take_published();
  // Until all servers have been tried, but no longer than the first request may be delayed.
  void wait_for_first(std::stop_token stop);
  const std::vector<std::string>& notices() const { return notices_; }
  std::vector<std::shared_ptr<Tool>> resource_tools() const;
  // What prompts can call: "/mcp__server__prompt".
  std::vector<ServerPrompt> prompts() const;

  // [{"name","status"}…], as hosts know it: connected, failed, needs-auth, pending.
  JsonArray statuses() const;
  // Servers inside of the host, beside those that there are.
  void add_host_servers(const std::vector<std::string>& names);
  // Other servers of the host's choice, instead of those that it chose before: {name: entry}.
  Result<JsonObject> set_servers(const Json& servers);
  Result<void> reconnect(const std::string& name);
  Result<void> enable(const std::string& name, bool enabled);
  McpServers& servers() { return *servers_; }

 private:
  struct Mailbag;  // also of servers' threads

  explicit SessionServers(SessionServersOptions options);
  void restart();

  McpMemory memory_;
  OauthFile logins_;
  std::vector<McpServerSettings> configured_;
  mutable std::mutex mutex_;
  std::vector<McpServerSettings> of_host_;                        // under mutex_
  std::vector<std::string> disabled_;                             // under mutex_
  std::vector<std::pair<std::string, std::string>> not_started_;  // and why
  std::vector<std::string> notices_;
  std::shared_ptr<Mailbag> mailbag_;
  std::unique_ptr<McpServers> servers_;
};

}  // namespace deft
