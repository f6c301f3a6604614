#include "deft/ui/mcp_proxy.h"

#include <optional>
#include <string_view>
#include <utility>

#include "deft/config/change_file.h"
#include "deft/config/mcp_policy.h"
#include "deft/config/mcp_settings.h"
#include "deft/mcp/login.h"
#include "deft/mcp/memory.h"
#include "deft/mcp/servers.h"
#include "deft/os/change_file.h"
#include "deft/os/curl_http_client.h"
#include "deft/os/http_network.h"
#include "deft/os/warden_processes.h"

extern char** environ;  // NOLINT(readability-redundant-declaration): unistd.h has it only for GNU

namespace deft {
namespace {

std::vector<std::string> own_environment() {
  std::vector<std::string> out;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) out.emplace_back(*entry);
  return out;
}

}  // namespace

// What the servers run in.
struct McpProxy::Ground {
  SystemClock clock;
  WardenProcesses processes{clock};
  CurlHttpClient http{http_network(own_environment())};
  McpMemory memory{McpMemory::default_file()};
  OauthFile logins{OauthFile::default_file()};
  std::optional<McpServers> servers;  // last: it uses all the others
};

McpProxy::McpProxy(std::unique_ptr<Ground> ground) : ground_(std::move(ground)) {}
McpProxy::~McpProxy() = default;

Result<std::unique_ptr<McpProxy>> McpProxy::start(Options options) {
  const SettingsPlaces places = settings_places(options.settings.directory);
  auto settings = load_session_settings(options.settings);
  if (!settings) return std::unexpected(std::move(settings.error()));
  auto read = read_mcp_servers(places, {.wanted = options.settings.wanted});
  if (!read) return std::unexpected(std::move(read.error()));
  for (const std::string& problem : read->problems) options.notice(problem);
  const McpPolicy policy = read_mcp_policy(settings->files, settings->trusted);
  const McpApprovals approvals(McpApprovals::default_file(), change_file);
  std::vector<McpServerSettings> allowed;
  for (McpServerSettings& server : read->servers) {
    const McpAdmitted admitted = admit(server, policy, approvals, places.directory, settings->trusted);
    if (admitted.admission == McpAdmission::allowed) {
      allowed.push_back(std::move(server));
    } else {
      options.notice("the server " + server.name + " is not offered: " + admitted.reason);
    }
  }
  auto ground = std::make_unique<Ground>();
  McpServersOptions servers{.processes = ground->processes,
                            .http = ground->http,
                            .clock = ground->clock,
                            .memory = ground->memory,
                            .logins = ground->logins};
  servers.environment = own_environment();
  servers.environment.push_back(std::string(kMcpProxyVariable) + "=1");
  servers.directory = places.directory;
  servers.session_id = options.session_id;
  servers.roots = [directory = places.directory] { return std::vector<std::string>{directory}; };
  servers.publish = [publish = std::move(options.publish)](const std::string& server,
                                                           const std::vector<std::shared_ptr<Tool>>& tools) {
    publish(server, tools);
  };
  servers.noted = [notice = options.notice](const std::string& text) { notice(text); };
  ground->servers.emplace(std::move(servers));
  ground->servers->start(std::move(allowed));
  return std::unique_ptr<McpProxy>(new McpProxy(std::move(ground)));
}

}  // namespace deft
