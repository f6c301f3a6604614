// The MCP servers of a session.
#include <utility>

#include "deft/os/uuid.h"
#include "deft/tools/shell_environment.h"
#include "deft/ui/agent_session.h"
#include "deft/ui/sampling.h"

namespace deft {

Result<void> AgentSession::start_servers(Frontend& frontend) {
  McpRequestedFiles requested = options_.mcp;
  requested.wanted = options_.settings.wanted;
  auto choice = choose_servers(options_.working_directory, requested, files_, trusted_);
  if (!choice) return std::unexpected(choice.error());
  servers_ = std::make_unique<SessionServers>(
      SessionServersOptions{
          .processes = processes_,
          .http = http_,
          .clock = clock_,
          .directory = options_.working_directory,
          .session_id = id_,
          .environment = ShellEnvironment::own(),
          .roots =
              [this] {
                std::vector<std::string> folders{options_.working_directory};
                const auto permissions = agent_->engine().permissions();  // a host may have added some
                for (const std::string& folder : permissions->setup().directories) {
                  if (folder != options_.working_directory) folders.push_back(folder);
                }
                return folders;
              },
          .host = options_.host,
          .sampling = [this, model = provider_.model](
                          const std::string& server, const Json& params,
                          const std::stop_token& stop) { return sample(server, model, params, stop); },
          // Where a message is under way the executor takes them when it has ended; the session ends before the agent
          // does.
          .tools_waiting = [this] { agent_->engine().executor().post([this] { take_server_tools(); }); },
          .noted =
              [this, &frontend](std::string text) {
                agent_->engine().executor().post(
                    [&frontend, text = std::move(text)]() mutable { frontend.show(Notice{std::move(text)}); });
              }},
      *std::move(choice));
  notices_.insert(notices_.end(), servers_->notices().begin(), servers_->notices().end());
  if (servers_->servers().connections().empty() && !options_.host) return {};
  agent_->options().take_reminders = [servers = servers_.get()] { return servers->take_reminders(); };
  for (auto& tool : servers_->resource_tools()) {
    if (!wants_tool(tool->spec().name)) continue;
    if (auto added = agent_->add_tool(std::move(tool)); !added) return added;
  }
  return {};
}

// On a thread of the server's.
Result<Json> AgentSession::sample(const std::string& server, const std::string& model, const Json& params,
                                  const std::stop_token& stop) {
  auto request = sampling_request(params, model);
  if (!request) return std::unexpected(request.error());
  Decision decision = sampling_decision(*agent_->engine().permissions(), server);
  if (decision.verdict == Verdict::ask && options_.host && options_.asking != Asking::nobody) {
    const auto reply = options_.host->ask_and_wait({{"subtype", "can_use_tool"},
                                                    {"tool_name", "McpSampling__" + server},
                                                    {"input", params},
                                                    {"tool_use_id", random_uuid()},
                                                    {"mcp_server", server}},
                                                   stop);
    if (reply && find_string(*reply, "behavior") == "allow") decision.verdict = Verdict::allow;
  }
  if (decision.verdict != Verdict::allow) {
    return fail(Errc::denied, "the user has not allowed this server to ask their model (" + decision.reason +
                                  "); the rule McpSampling__" + server + " allows it");
  }
  if (++samples_ > kSamplesMax) return fail(Errc::limit, "the server asked the model too often in one session");
  request->session_id = id_;
  const auto answer = ask_once(*client_, *request, clock_.now() + kSamplingTimeout, stop);
  if (!answer) return std::unexpected(answer.error());
  return sampling_answer(*answer, request->model);
}

void AgentSession::wait_for_servers() {
  servers_->wait_for_first(starting_.get_token());
  take_server_tools();
}

void AgentSession::take_server_tools() {
  std::vector<PublishedTools> all = servers_->take_published();
  if (!all.empty() && commands_) commands_->use(servers_->prompts());
  for (PublishedTools& published : all) {
    agent_->engine().executor().take_now(ToolsChanged{published.server, std::move(published.tools)});
  }
}

}  // namespace deft
