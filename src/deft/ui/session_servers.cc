#include "deft/ui/session_servers.h"

#include <algorithm>
#include <cstdlib>
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

std::unique_ptr<HostTransport> host_transport(const HostAccess& host, const std::string& server) {
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

std::optional<std::string> own_variable(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

McpScope scope_of(SettingSource source) {
  switch (source) {
    case SettingSource::managed: return McpScope::managed;
    case SettingSource::command_line:
    case SettingSource::session: return McpScope::command_line;
    case SettingSource::local: return McpScope::local;
    case SettingSource::project: return McpScope::project;
    case SettingSource::user: return McpScope::user;
  }
  return McpScope::project;
}

constexpr std::size_t kPromptTextBytesMax = std::size_t{1} << 20;
constexpr std::size_t kPromptsMax = 1000;
constexpr std::size_t kPromptArgumentsMax = 50;
constexpr std::size_t kPromptArgumentBytesMax = 200;
constexpr std::size_t kResourceUriBytesShown = 1000;

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
  ServerPrompt out{.name = mcp_api_name({.server = plain_mcp_word(server->name()), .tool = name}),
                   .description = tamed_text(find_string(entry, "description").value_or(""), kMcpDescriptionBytesMax)};
  if (const JsonArray* arguments = find_array(entry, "arguments")) {
    for (const Json& argument : *arguments) {
      if (out.arguments.size() == kPromptArgumentsMax) break;
      const auto word = find_string(argument, "name");
      if (word && tamed_text(*word, kPromptArgumentBytesMax) == *word) out.arguments.emplace_back(*word);
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

struct SessionServers::Doors {
  std::mutex mutex;
  std::map<std::string, std::function<void(Json)>> by_server;  // under mutex
};

Result<ServerChoice> choose_servers(const std::string& directory, const McpRequestedFiles& requested,
                                    const std::vector<LoadedFile>& settings, bool trusted) {
  auto read = read_mcp_servers(settings_places(directory), requested);
  if (!read) return std::unexpected(std::move(read.error()));
  ServerChoice choice{
      .notices = std::move(read->problems), .policy = read_mcp_policy(settings, trusted), .trusted = trusted};
  if (read->servers.empty()) return choice;
  const McpApprovals approvals(McpApprovals::default_file(), change_file);
  for (McpServerSettings& server : read->servers) {
    McpAdmitted admitted = admit(server, choice.policy, approvals, directory, trusted, own_variable);
    if (admitted.admission == McpAdmission::allowed) {
      choice.servers.push_back(std::move(server));
      continue;
    }
    if (admitted.admission != McpAdmission::disabled) {
      choice.notices.push_back("the MCP server " + server.name + " is not started: " + admitted.reason);
    }
    choice.not_started.emplace_back(std::move(server.name), std::move(admitted.reason));
  }
  return choice;
}

SessionServers::SessionServers(SessionServersOptions options, ServerChoice choice)
    : clock_(options.clock),
      memory_(McpMemory::default_file()),
      logins_(OauthFile::default_file()),
      configured_(std::move(choice.servers)),
      not_started_(std::move(choice.not_started)),
      notices_(std::move(choice.notices)),
      mailbag_(std::make_shared<Mailbag>()),
      doors_(std::make_shared<Doors>()),
      policy_(std::move(choice.policy)),
      directory_(options.directory),
      trusted_(choice.trusted) {
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
                            .sampling = options.sampling,
                            .elicitation = options.elicitation};
  if (options.host) {
    servers.elicitation = [host = *options.host](const McpElicitation& elicitation, std::stop_token stop) {
      return ask_host(host, elicitation, std::move(stop));
    };
    servers.make_sdk_transport = [host = *options.host, doors = doors_](const std::string& server) {
      auto transport = host_transport(host, server);
      const std::lock_guard lock(doors->mutex);
      doors->by_server.insert_or_assign(server, transport->door());
      return transport;
    };
  }
  servers.noted = options.noted;
  common_.emplace(servers);
  servers.publish = [bag = mailbag_](const std::string& server, std::vector<std::shared_ptr<Tool>> tools) {
    {
      const std::lock_guard lock(bag->mutex);
      bag->published.push_back({server, std::move(tools)});
    }
    if (bag->waiting) bag->waiting();
  };
  servers_ = std::make_unique<McpServers>(std::move(servers));
  restart();
}

SessionServers::~SessionServers() = default;

SessionServers::OfAgent SessionServers::start_for_agent(const JsonArray& entries, SettingSource source,
                                                        const std::string& origin, std::stop_token stop) const {
  OfAgent out;
  std::vector<McpServerSettings> wanted;
  const McpApprovals approvals(McpApprovals::default_file(), change_file);
  for (const Json& one : entries) {
    const JsonObject* named = one.if_object();
    for (auto entry = named ? named->begin() : nullptr; named && entry != named->end(); ++entry) {
      const std::string name(entry->key());
      auto server = read_mcp_server(name, entry->value());
      if (!server) {
        out.notices.push_back(origin + ": the MCP server " + name + ": " + server.error().message);
        continue;
      }
      server->scope = scope_of(source);
      server->file = origin;
      const McpAdmitted admitted = admit(*server, policy_, approvals, directory_, trusted_, own_variable);
      if (admitted.admission == McpAdmission::allowed) {
        wanted.push_back(*std::move(server));
      } else {
        out.notices.push_back(origin + ": the MCP server " + name + " is not started: " + admitted.reason);
      }
    }
  }
  if (wanted.empty()) return out;
  struct Published {
    std::mutex mutex;
    std::map<std::string, std::vector<std::shared_ptr<Tool>>> tools;  // by server; under mutex
  };
  const auto published = std::make_shared<Published>();
  McpServersOptions options = *common_;
  options.publish = [published](const std::string& server, std::vector<std::shared_ptr<Tool>> tools) {
    const std::lock_guard lock(published->mutex);
    published->tools.insert_or_assign(server, std::move(tools));
  };
  const auto servers = std::make_shared<McpServers>(std::move(options));
  servers->start(std::move(wanted));
  servers->wait(kMcpFirstWait, std::move(stop));
  for (const McpStatus& status : servers->statuses()) {
    if (status.state != McpState::ready) {
      out.notices.push_back(origin + ": the MCP server " + status.name +
                            " is not there: " + (status.detail.empty() ? "it did not answer in time" : status.detail));
    }
  }
  const std::lock_guard lock(published->mutex);
  for (auto& [server, tools] : published->tools) out.tools.insert(out.tools.end(), tools.begin(), tools.end());
  out.servers = servers;
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

void SessionServers::wait_for_first(const std::stop_token& stop) {
  const TimePoint latest = clock_.now() + kMcpNamedWait;
  servers_->wait(kMcpFirstWait, stop);
  for (const McpServerSettings& server : configured_) {
    if (server.scope != McpScope::command_line) continue;
    if (const auto connection = servers_->find(server.name)) connection->wait_until_settled(latest, stop);
  }
}

std::vector<std::shared_ptr<Tool>> SessionServers::resource_tools() const {
  const McpCallers callers = [servers = servers_.get()] { return servers->callers(); };
  return {make_list_mcp_resources_tool(callers), make_read_mcp_resource_tool(callers)};
}

Result<std::string> SessionServers::call_for_hook(const HookServices::ToolRequest& request,
                                                  std::stop_token stop) const {
  const auto server = servers_->find(request.server);
  if (!server) return fail(Errc::not_found, "there is no MCP server " + json_quote(request.server.substr(0, 60)));
  const Duration left = request.deadline - clock_.now();
  const auto outcome = server->call_tool(request.tool, request.input, {.timeout = left}, std::move(stop));
  if (!outcome) return std::unexpected(mcp_call_error(request.server, outcome.error()));
  std::string text;
  if (const JsonArray* content = find_array(*outcome, "content")) {
    for (const Json& block : *content) {
      if (const auto words = find_string(block, "text")) text += (text.empty() ? "" : "\n") + std::string(*words);
    }
  }
  if (find_bool(*outcome, "isError").value_or(false)) return fail(Errc::failed, std::move(text));
  return text;
}

std::vector<std::string> SessionServers::take_reminders() const {
  std::string changed;
  for (const auto& server : servers_->connections()) {
    for (const std::string& uri : server->take_changed_resources()) {
      changed += tamed_text(uri, kResourceUriBytesShown) + " of the server " + server->name() + "\n";
    }
  }
  if (changed.empty()) return {};
  return {
      "<system-reminder>\nThese resources have changed since you read them; read them again with "
      "ReadMcpResourceTool if they matter for what you do:\n" +
      changed + "</system-reminder>"};
}

std::vector<ServerPrompt> SessionServers::prompts() const {
  std::vector<ServerPrompt> out;
  const auto all = servers_->connections();
  for (const auto& server : all) {
    // "/mcp__a__b__c" of the server "a" would be taken for the "c" of the server "a__b", if there is one.
    const auto is_of_another = [&](const std::string& name) {
      return std::ranges::any_of(all, [&](const auto& other) {
        return other->name().size() > server->name().size() &&
               name.starts_with("mcp__" + plain_mcp_word(other->name()) + "__");
      });
    };
    for (const Json& entry : server->prompts()) {
      if (out.size() == kPromptsMax || !find_string(entry, "name")) continue;
      ServerPrompt prompt = server_prompt(server, entry);
      if (!is_of_another(prompt.name)) out.push_back(std::move(prompt));
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
  const std::lock_guard lock(mutex_);
  for (const auto& [name, reason] : not_started_) {
    out.push_back(JsonObject{{"name", name}, {"status", "disabled"}, {"error", reason}});
  }
  for (const std::string& name : disabled_) out.push_back(JsonObject{{"name", name}, {"status", "disabled"}});
  return out;
}

bool SessionServers::take_host_message(const std::string& server, Json message) {
  std::function<void(Json)> door;
  {
    const std::lock_guard lock(doors_->mutex);
    const auto found = doors_->by_server.find(server);
    if (found == doors_->by_server.end()) return false;
    door = found->second;
  }
  door(std::move(message));
  return true;
}

bool SessionServers::is_of_host(std::string_view server) const {
  const std::lock_guard lock(mutex_);
  return std::ranges::any_of(of_host_, [&](const McpServerSettings& one) {
    return one.kind == McpKind::sdk && plain_mcp_word(one.name) == server;
  });
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

void SessionServers::add_named_servers(const JsonObject& servers) {
  JsonObject errors;
  std::vector<McpServerSettings> added = admitted(servers, errors);
  {
    const std::lock_guard lock(mutex_);
    for (const auto& error : errors) {
      not_started_.emplace_back(error.key(), view(error.value().get_string()));
    }
    // As of the command line: before those of files, and instead of one that has the same name.
    std::erase_if(configured_, [&](const McpServerSettings& one) {
      return std::ranges::find(added, one.name, &McpServerSettings::name) != added.end();
    });
    configured_.insert(configured_.begin(), std::make_move_iterator(added.begin()),
                       std::make_move_iterator(added.end()));
  }
  restart();
}

std::vector<McpServerSettings> SessionServers::admitted(const JsonObject& servers, JsonObject& errors) const {
  std::vector<McpServerSettings> wanted;
  const McpApprovals approvals(McpApprovals::default_file(), change_file);
  for (const auto& [key, entry] : servers) {
    const std::string name(key.data(), key.size());
    auto server = read_mcp_server(name, entry);
    if (!server) {
      errors[name] = server.error().message;
      continue;
    }
    server->scope = McpScope::command_line;
    const McpAdmitted admitted = admit(*server, policy_, approvals, directory_, trusted_, own_variable);
    if (admitted.admission != McpAdmission::allowed) {
      errors[name] = "the MCP server " + name + " is not started: " + admitted.reason;
      continue;
    }
    wanted.push_back(*std::move(server));
  }
  return wanted;
}

Result<JsonObject> SessionServers::set_servers(const Json& servers) {
  if (!servers.is_object()) return fail(Errc::invalid_input, "\"servers\" must be an object");
  JsonObject errors;
  std::vector<McpServerSettings> wanted = admitted(servers.get_object(), errors);
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
