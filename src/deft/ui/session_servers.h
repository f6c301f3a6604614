#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "deft/agent/hook_services.h"
#include "deft/agent/prompt_commands.h"
#include "deft/config/mcp_policy.h"
#include "deft/config/mcp_settings.h"
#include "deft/mcp/login.h"
#include "deft/mcp/memory.h"
#include "deft/mcp/servers.h"
#include "deft/tools/tool.h"

namespace deft {

// For a server of --mcp-config, which was named for this very run; see kMcpFirstWait.
inline constexpr Duration kMcpNamedWait = std::chrono::seconds(30);

// How the program that drives us is asked something (ui/control_port.h).
struct HostAccess {
  std::function<Result<Json>(JsonObject request, std::stop_token stop)> ask_and_wait{};
  std::function<void(JsonObject request, std::function<void(Result<Json>)> then)> ask{};
};

// Which servers are started, and which are not.
struct ServerChoice {
  std::vector<McpServerSettings> servers{};
  std::vector<std::pair<std::string, std::string>> not_started{};  // and why
  std::vector<std::string> notices{};                              // for people
  McpPolicy policy{};
  bool trusted = false;  // the folder
};
// Reads the settings of all sources. An error only for what the command line says.
Result<ServerChoice> choose_servers(const std::string& directory, const McpRequestedFiles& requested,
                                    const std::vector<LoadedFile>& settings, bool trusted);

struct SessionServersOptions {
  Processes& processes;
  HttpClient& http;
  const Clock& clock;
  std::string directory{};  // canonical
  std::string session_id{};
  std::vector<std::string> environment{};
  std::function<std::vector<std::string>()> roots{};
  std::optional<HostAccess> host{};
  // A server's question to a person, where no host is asked; nothing: not offered to servers.
  std::function<Result<Json>(const McpElicitation&, std::stop_token)> elicitation{};
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
  // They are started at once.
  SessionServers(SessionServersOptions options, ServerChoice choice);
  ~SessionServers();

  // What was published since the last time; in the order of publishing.
  std::vector<PublishedTools> take_published();
  // Until all servers have been tried, but no longer than the first request may be delayed: for those that the command
  // line names, that is longer.
  void wait_for_first(const std::stop_token& stop);
  const std::vector<std::string>& notices() const { return notices_; }
  std::vector<std::shared_ptr<Tool>> resource_tools() const;
  // A hook that is a tool of a server: the text that it gives.
  Result<std::string> call_for_hook(const HookServices::ToolRequest& request, std::stop_token stop) const;
  // For the model, with its next request: which resources that it wanted to hear of have changed. Each once.
  std::vector<std::string> take_reminders() const;
  // What prompts can call: "/mcp__server__prompt".
  std::vector<ServerPrompt> prompts() const;

  // [{"name","status"}…], as hosts know it: connected, failed, needs-auth, pending.
  JsonArray statuses() const;
  // What a server inside of the host says by itself. False: there is no such server.
  bool take_host_message(const std::string& server, Json message);
  // Whether it is inside of the host; the name as rules write it.
  bool is_of_host(std::string_view server) const;
  // Servers inside of the host, beside those that there are.
  void add_host_servers(const std::vector<std::string>& names);
  // Servers as those that the command line names, {name: entry}: what is wrong with one is told by its status.
  void add_named_servers(const JsonObject& servers);
  // Other servers of the host's choice, instead of those that it chose before: {name: entry}.
  Result<JsonObject> set_servers(const Json& servers);
  Result<void> reconnect(const std::string& name);
  Result<void> enable(const std::string& name, bool enabled);
  McpServers& servers() { return *servers_; }

  // Servers for one agent alone, each {name: entry}, beside those of the session. `source`: who wrote them, for the
  // approval that they need as any other. They are waited for, and end with what is returned.
  struct OfAgent {
    std::vector<std::shared_ptr<Tool>> tools = {};
    std::vector<std::string> notices = {};
    std::shared_ptr<void> servers = nullptr;
  };
  OfAgent start_for_agent(const JsonArray& entries, SettingSource source, const std::string& origin,
                          std::stop_token stop) const;

 private:
  struct Mailbag;  // also of servers' threads
  struct Doors;    // the same: of servers inside of the host

  void restart();
  // Those that may be started; why the others may not goes into `errors`, by name.
  std::vector<McpServerSettings> admitted(const JsonObject& servers, JsonObject& errors) const;

  const Clock& clock_;
  McpMemory memory_;
  OauthFile logins_;
  std::vector<McpServerSettings> configured_;  // changed by the turn's thread alone, and under mutex_
  mutable std::mutex mutex_;
  std::vector<McpServerSettings> of_host_;                        // under mutex_
  std::vector<std::string> disabled_;                             // under mutex_
  std::vector<std::pair<std::string, std::string>> not_started_;  // and why; under mutex_
  std::vector<std::string> notices_;
  std::shared_ptr<Mailbag> mailbag_;
  std::shared_ptr<Doors> doors_;
  std::optional<McpServersOptions> common_;  // of all servers, without where their tools go
  const McpPolicy policy_;
  const std::string directory_;
  const bool trusted_;
  std::unique_ptr<McpServers> servers_;
};

}  // namespace deft
