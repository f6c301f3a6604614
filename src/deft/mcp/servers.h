#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "deft/config/mcp_settings.h"
#include "deft/mcp/connection.h"
#include "deft/mcp/memory.h"
#include "deft/mcp/oauth.h"
#include "deft/os/http_client.h"
#include "deft/os/processes.h"

namespace deft {

// How long the first request to a model waits for servers that are still starting. Tools of later ones appear between
// messages.
inline constexpr Duration kMcpFirstWait = std::chrono::seconds(5);

// What may be put into the entry of this server where it names a variable: of `all`, in a repository's entry not the
// keys of model APIs, nor what logs in elsewhere. They are not for what a repository wants to start.
VariableLookup variables_for(const McpServerSettings& server, VariableLookup all);

struct McpServersOptions {
  Processes& processes;
  HttpClient& http;
  const Clock& clock;
  McpMemory& memory;
  OauthStore& logins;
  // NAME=VALUE: what deft was started with. Servers get it without the secrets of model APIs.
  std::vector<std::string> environment{};
  std::string directory{};  // of the project
  std::string session_id{};
  // What servers may ask. sampling and elicitation are called with the server's name.
  std::function<std::vector<std::string>()> roots{};
  std::function<Result<Json>(const std::string& server, const Json& params, std::stop_token)> sampling{};
  std::function<Result<Json>(const McpElicitation&, std::stop_token)> elicitation{};
  OauthBrowser* browser = nullptr;  // null: who has to log in is told to run `deft mcp login`
  // A server inside of the host (the control protocol's mcp_message).
  std::function<std::unique_ptr<McpTransport>(const std::string& server)> make_sdk_transport{};
  // A server's tools, whenever they change: all of them. From any thread. The group's name is the server's.
  std::function<void(const std::string& server, std::vector<std::shared_ptr<Tool>> tools)> publish{};
  std::function<void(const McpStatus&)> status_changed{};
  std::function<void(std::string)> noted{};  // for people
  std::function<void(const std::string& server, std::string level, std::string text)> logged{};
};

// All MCP servers of a session. They start side by side and nobody waits for them longer than they want to; each lives
// and dies for itself. None outlives this.
class McpServers {
 public:
  explicit McpServers(McpServersOptions options);
  ~McpServers();
  McpServers(const McpServers&) = delete;
  McpServers& operator=(const McpServers&) = delete;

  // Begins with these; those that may be started, variables not yet expanded. Each group is published once, empty, in
  // this order, so that it is settled which server a name belongs to.
  void start(std::vector<McpServerSettings> servers);
  // Other servers from now on: what is the same stays as it is.
  void change(std::vector<McpServerSettings> servers);
  // Until all have been tried once, or the time is over. True: all have.
  bool wait(Duration at_most, std::stop_token stop) const;

  std::vector<McpStatus> statuses() const;
  std::shared_ptr<McpConnection> find(std::string_view name) const;
  bool reconnect(std::string_view name);
  // For ListMcpResourcesTool and ReadMcpResourceTool.
  std::vector<std::shared_ptr<McpCaller>> callers() const;
  std::vector<std::shared_ptr<McpConnection>> connections() const;
  void stop();

 private:
  struct Running;
  std::shared_ptr<Running> make(McpServerSettings settings);
  std::unique_ptr<McpTransport> make_transport(const McpServerSettings& settings, McpAuthorizer* authorizer,
                                               bool old_sse) const;
  Command command_of(const McpServerSettings& settings) const;
  std::optional<std::string> variable(const std::string& name) const;
  bool is_of_another(const McpToolName& tool, const std::string& server) const;

  const McpServersOptions options_;
  mutable std::mutex mutex_;
  std::vector<std::shared_ptr<Running>> running_;  // under mutex_, in the order of the configuration
};

}  // namespace deft
