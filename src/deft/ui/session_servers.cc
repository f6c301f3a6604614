#include "deft/ui/session_servers.h"

#include <algorithm>
#include <utility>

#include "deft/base/utf8.h"
#include "deft/mcp/host_transport.h"
#include "deft/os/change_file.h"

namespace deft {
namespace {

std::string_view word_of(McpState state) {
  switch (state) {
    case McpState::ready: return "connected";
    case McpState::starting: return "pending";
    case McpState::needs_login: return "needs-auth";
    case McpState::down:
    case McpState::failed:
    case McpState::stopped: break;
  }
  return "failed";
}

// A question of a server as the host is asked it; without a host nobody is asked.
Result<Json> ask_host(const HostAccess& host, const McpElicitation& elicitation, std::stop_token stop) {
  JsonObject request{{"subtype", "elicitation"},
                     {"mcp_server_name", elicitation.server},
                     {"message", elicitation.message},
                     {"mode", elicitation.is_url ? "url" : "form"}};
  if (elicitation.is_url) {
    request["url"] = elicitation.url;
    if (!elicitation.id.empty()) request["elicitation_id"] = elicitation.id;
  } else {
    request["requested_schema"] = elicitation.schema;
  }
  return host.ask_and_wait(std::move(request), std::move(stop));
}

std::unique_ptr<McpTransport> host_transport(const HostAccess& host, const std::string& server) {
  return std::make_unique<HostTransport>(
      [ask = host.ask, server](Json message, std::function<void(Result<Json>)> then) {
        ask({{"subtype", "mcp_message"}, {"server_name", server}, {"message", std::move(message)}},
            [then = std::move(then)](Result<Json> answer) {
              if (!answer) return then(std::move(answer));
              const Json* response = find(*answer, "mcp_response");
              if (response == nullptr) return then(fail(Errc::failed, "the host's answer has no mcp_response"));
              then(*response);
            });
      });
}

constexpr std::size_t kPromptTextBytesMax = std::size_t{1} << 20;
constexpr std::size_t kPromptsMax = 1000;

// The messages of prompts/get as one text.
Result<std::string> prompt_text(const Json& result) {
  std::string text;
  const JsonArray* messages = find_array(result, "messages");
  if (messages == nullptr) return fail(Errc::failed, "the server's prompt has no messages");
  for (const Json& message : *messages) {
    const Json* content = find(message, "content");
    if (content == nullptr) continue;
    const Json* resource = find(*content, "resource");
    const auto words = resource ? find_string(*resource, "text") : find_string(*content, "text");
    if (!text.empty()) text += "\n\n";
    text += words ? to_valid_utf8(*words) : "[something that is no text]";
    if (text.size() > kPromptTextBytesMax) return fail(Errc::limit, "the server's prompt is too long");
  }
  return text;
}

ServerPrompt server_prompt(const std::shared_ptr<McpConnection>& server, const Json& entry) {
  const std::string name(find_string(entry, "name").value_or(""));
  ServerPrompt out{.name = mcp_tool_name(server->name(), name, {}),
                   .description = tamed_text(find_string(entry, "description").value_or(""), kMcpDescriptionBytesMax)};
  if (const JsonArray* arguments = find_array(entry, "arguments")) {
    for (const Json& argument : *arguments) {
      if (const auto word = find_string(argument, "name")) out.arguments.emplace_back(*word);
    }
  }
  out.expand = [server, name](const std::map<std::string, std::string>& given,
                              std::stop_token stop) -> Result<std::string> {
    JsonObject arguments;
    for (const auto& [key, value] : given) arguments[key] = value;
    const auto outcome = server->get_prompt(name, arguments, std::move(stop));
    if (!outcome) return std::unexpected(mcp_call_error(server->name(), outcome.error()));
    return prompt_text(*outcome);
  };
  return out;
}

}  // namespace

struct SessionServers::Mailbag {
  std::mutex mutex;
  std::vector<PublishedTools> published;  // under mutex
  std::function<void()> waiting;
};

SessionServers::SessionServers(SessionServersOptions options)
    : memory_(McpMemory::default_file()), logins_(OauthFile::default_file()), mailbag_(std::make_shared<Mailbag>()) {
  mailbag_->waiting = options.tools_waiting;
  McpServersOptions servers{.processes = options.processes,
                            .http = options.http,
                            .clock = options.clock,
                            .memory = memory_,
                            .logins = logins_,
                            .environment = std::move(options.environment),
                            .directory = options.directory,
                            .session_id = options.session_id,
                            .roots = options.roots,
                            .sampling = options.sampling};
  if (options.host) {
    servers.elicitation = [host = *options.host](const McpElicitation& elicitation, std::stop_token stop) {
      return ask_host(host, elicitation, std::move(stop));
    };
    servers.make_sdk_transport = [host = *options.host](const std::string& server) {
      return host_transport(host, server);
    };
  }
  servers.publish = [bag = mailbag_](const std::string& server, std::vector<std::shared_ptr<Tool>> tools) {
    {
      const std::lock_guard lock(bag->mutex);
      bag->published.push_back({server, std::move(tools)});
    }
    if (bag->waiting) bag->waiting();
  };
  servers.noted = options.noted;
  servers_ = std::make_unique<McpServers>(std::move(servers));
}

SessionServers::~SessionServers() = default;

Result<std::unique_ptr<SessionServers>> SessionServers::open(SessionServersOptions options) {
  const SettingsPlaces places = settings_places(options.directory);
  auto read = read_mcp_servers(places, options.requested);
  if (!read) return std::unexpected(std::move(read.error()));
  const McpPolicy policy = read_mcp_policy(options.files, options.trusted);
  const McpApprovals approvals(McpApprovals::default_file(), change_file);
  const std::string directory = options.directory;
  const bool trusted = options.trusted;
  std::unique_ptr<SessionServers> out(new SessionServers(std::move(options)));
  out->notices_ = std::move(read->problems);
  for (McpServerSettings& server : read->servers) {
    McpAdmitted admitted = admit(server, policy, approvals, directory, trusted);
    if (admitted.admission == McpAdmission::allowed) {
      out->configured_.push_back(std::move(server));
      continue;
    }
    if (admitted.admission != McpAdmission::disabled) {
      out->notices_.push_back("the MCP server " + server.name + " is not started: " + admitted.reason);
    }
    out->not_started_.emplace_back(std::move(server.name), std::move(admitted.reason));
  }
  out->restart();
  return out;
}

void SessionServers::restart() {
  std::vector<McpServerSettings> wanted;
  const auto add = [&](const McpServerSettings& server) {
    const bool is_known = std::ranges::find(wanted, server.name, &McpServerSettings::name) != wanted.end();
    const bool is_off = std::ranges::find(disabled_, server.name) != disabled_.end();
    if (!is_known && !is_off) wanted.push_back(server);
  };
  {
    const std::lock_guard lock(mutex_);
    std::ranges::for_each(of_host_, add);
    std::ranges::for_each(configured_, add);
  }
  servers_->change(std::move(wanted));
}

std::vector<PublishedTools> SessionServers::take_published() {
  const std::lock_guard lock(mailbag_->mutex);
  return std::exchange(mailbag_->published, {});
}

void SessionServers::wait_for_first(std::stop_token stop) { servers_->wait(kMcpFirstWait, std::move(stop)); }

std::vector<std::shared_ptr<Tool>> SessionServers::resource_tools() const {
  const McpCallers callers = [servers = servers_.get()] { return servers->callers(); };
  return {make_list_mcp_resources_tool(callers), make_read_mcp_resource_tool(callers)};
}

std::vector<ServerPrompt> SessionServers::prompts() const {
  std::vector<ServerPrompt> out;
  for (const auto& server : servers_->connections()) {
    for (const Json& entry : server->prompts()) {
      if (out.size() < kPromptsMax && find_string(entry, "name")) out.push_back(server_prompt(server, entry));
    }
  }
  return out;
}

JsonArray SessionServers::statuses() const {
  JsonArray out;
  for (const McpStatus& status : servers_->statuses()) {
    JsonObject row{{"name", status.name}, {"status", word_of(status.state)}};
    if (status.state == McpState::ready) {
      row["serverInfo"] = {{"name", status.facts.name}, {"version", status.facts.version}};
    }
    if (!status.detail.empty()) row["error"] = status.detail;
    out.push_back(std::move(row));
  }
  for (const auto& [name, reason] : not_started_) {
    out.push_back(JsonObject{{"name", name}, {"status", "disabled"}, {"error", reason}});
  }
  const std::lock_guard lock(mutex_);
  for (const std::string& name : disabled_) out.push_back(JsonObject{{"name", name}, {"status", "disabled"}});
  return out;
}

void SessionServers::add_host_servers(const std::vector<std::string>& names) {
  std::unique_lock lock(mutex_);
  for (const std::string& name : names) {
    auto server = read_mcp_server(name, JsonObject{{"type", "sdk"}});
    const bool is_known = std::ranges::find(of_host_, name, &McpServerSettings::name) != of_host_.end() ||
                          std::ranges::find(configured_, name, &McpServerSettings::name) != configured_.end();
    if (!server || is_known) continue;
    server->scope = McpScope::command_line;
    of_host_.push_back(*std::move(server));
  }
  lock.unlock();
  restart();
}

Result<JsonObject> SessionServers::set_servers(const Json& servers) {
  if (!servers.is_object()) return fail(Errc::invalid_input, "\"servers\" must be an object");
  std::vector<McpServerSettings> wanted;
  JsonObject errors;
  for (const auto& [key, entry] : servers.get_object()) {
    const std::string name(key.data(), key.size());
    auto server = read_mcp_server(name, entry);
    if (!server) {
      errors[name] = server.error().message;
      continue;
    }
    server->scope = McpScope::command_line;
    wanted.push_back(*std::move(server));
  }
  std::unique_lock lock(mutex_);
  const auto names_missing_in = [](const std::vector<McpServerSettings>& from,
                                   const std::vector<McpServerSettings>& in) {
    JsonArray names;
    for (const McpServerSettings& server : from) {
      if (std::ranges::find(in, server.name, &McpServerSettings::name) == in.end()) names.emplace_back(server.name);
    }
    return names;
  };
  JsonObject answer{{"added", names_missing_in(wanted, of_host_)},
                    {"removed", names_missing_in(of_host_, wanted)},
                    {"errors", std::move(errors)}};
  of_host_ = std::move(wanted);
  lock.unlock();
  restart();
  return answer;
}

Result<void> SessionServers::reconnect(const std::string& name) {
  if (servers_->reconnect(name)) return {};
  return fail(Errc::not_found, "there is no MCP server " + json_quote(name.substr(0, 60)));
}

Result<void> SessionServers::enable(const std::string& name, bool enabled) {
  std::unique_lock lock(mutex_);
  const bool is_off = std::ranges::find(disabled_, name) != disabled_.end();
  if (!is_off && !servers_->find(name)) {
    return fail(Errc::not_found, "there is no MCP server " + json_quote(name.substr(0, 60)));
  }
  std::erase(disabled_, name);
  if (!enabled) disabled_.push_back(name);
  lock.unlock();
  restart();
  return {};
}

}  // namespace deft
