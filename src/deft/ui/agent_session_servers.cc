// The MCP servers of a session.
#include <utility>

#include "deft/tools/shell_environment.h"
#include "deft/ui/agent_session.h"

namespace deft {

Result<void> AgentSession::start_servers(Frontend& frontend) {
  McpRequestedFiles requested = options_.mcp;
  requested.wanted = options_.settings.wanted;
  auto servers = SessionServers::open(
      {.processes = processes_,
       .http = http_,
       .clock = clock_,
       .directory = options_.working_directory,
       .session_id = id_,
       .environment = ShellEnvironment::own(),
       .requested = std::move(requested),
       .files = files_,
       .trusted = trusted_,
       .roots =
           [this] {
             std::vector<std::string> folders{options_.working_directory};
             folders.insert(folders.end(), options_.directories.begin(), options_.directories.end());
             return folders;
           },
       .host = options_.host,
       // Where a message is under way the executor takes them when it has ended; the session ends before the agent
       // does.
       .tools_waiting = [this] { agent_->engine().executor().post([this] { take_server_tools(); }); },
       .noted =
           [this, &frontend](std::string text) {
             agent_->engine().executor().post(
                 [&frontend, text = std::move(text)]() mutable { frontend.show(Notice{std::move(text)}); });
           }});
  if (!servers) return std::unexpected(servers.error());
  servers_ = std::move(*servers);
  notices_.insert(notices_.end(), servers_->notices().begin(), servers_->notices().end());
  if (servers_->servers().connections().empty() && !options_.host) return {};
  for (auto& tool : servers_->resource_tools()) {
    if (auto added = agent_->add_tool(std::move(tool)); !added) return added;
  }
  return {};
}

void AgentSession::take_server_tools() {
  std::vector<PublishedTools> all = servers_->take_published();
  if (!all.empty() && commands_) commands_->use(servers_->prompts());
  for (PublishedTools& published : all) {
    agent_->engine().executor().take_now(ToolsChanged{published.server, std::move(published.tools)});
  }
}

}  // namespace deft
