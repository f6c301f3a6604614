#include "deft/mcp/servers.h"

#include <algorithm>
#include <utility>

#include "deft/base/text.h"
#include "deft/mcp/headers_helper.h"
#include "deft/mcp/http_transport.h"
#include "deft/mcp/known_server.h"
#include "deft/mcp/login.h"
#include "deft/mcp/sse_transport.h"
#include "deft/mcp/stdio_transport.h"
#include "deft/os/environment.h"

namespace deft {
namespace {

constexpr std::int64_t kTimeoutMillisecondsMin = 100;
// What logs in to servers on the web is for no program.
const std::vector<std::string>& login_secrets() {
  static const std::vector<std::string> names = {"MCP_CLIENT_SECRET", "MCP_ID_TOKEN"};
  return names;
}

// What a server gets where the user wants it to get little (CLAUDE_CODE_MCP_ALLOWLIST_ENV=1).
constexpr std::string_view kBasicVariables = "HOME LOGNAME PATH SHELL TERM USER LANG LC_ALL TMPDIR XDG_RUNTIME_DIR";

void set_variable(std::vector<std::string>& environment, const std::string& name, const std::string& value) {
  std::erase_if(environment, [&](const std::string& entry) { return entry.starts_with(name + "="); });
  environment.push_back(name + "=" + value);
}

}  // namespace

VariableLookup variables_for(const McpServerSettings& server, VariableLookup all) {
  if (server.scope != McpScope::project) return all;
  return [all = std::move(all)](const std::string& name) -> std::optional<std::string> {
    const auto& secrets = login_secrets();
    if (is_secret_name(name) || std::ranges::find(secrets, name) != secrets.end()) return std::nullopt;
    return all(name);
  };
}

// Everything that one server is made of; the connection first to end.
struct McpServers::Running {
  McpServerSettings settings;  // as configured
  std::unique_ptr<OauthAuthorizer> login;
  std::unique_ptr<HeadersHelper> helper;
  std::shared_ptr<McpConnection> connection;
};

McpServers::McpServers(McpServersOptions options) : options_(std::move(options)) {}

McpServers::~McpServers() { stop(); }

std::optional<std::string> McpServers::variable(const std::string& name) const {
  for (const std::string& entry : options_.environment) {
    if (entry.size() > name.size() && entry.starts_with(name) && entry[name.size()] == '=') {
      return entry.substr(name.size() + 1);
    }
  }
  return std::nullopt;
}

void McpServers::start(std::vector<McpServerSettings> servers) { change(std::move(servers)); }

void McpServers::change(std::vector<McpServerSettings> servers) {
  std::vector<std::shared_ptr<Running>> ended;
  std::vector<std::shared_ptr<Running>> begun;
  {
    const std::lock_guard lock(mutex_);
    std::vector<std::shared_ptr<Running>> next;
    for (McpServerSettings& settings : servers) {
      const auto same = std::ranges::find_if(running_, [&](const auto& old) {
        return old && old->settings.name == settings.name && old->settings.entry == settings.entry &&
               old->settings.kind == settings.kind;
      });
      if (same != running_.end()) {
        next.push_back(std::exchange(*same, nullptr));
      } else {
        next.push_back(make(std::move(settings)));
        begun.push_back(next.back());
      }
    }
    for (auto& old : running_) {
      if (old) ended.push_back(std::move(old));
    }
    running_ = std::move(next);
  }
  for (const auto& old : ended) {
    old->connection->stop();
    if (options_.publish) options_.publish(old->settings.name, {});
  }
  for (const auto& server : begun) {
    if (options_.publish) options_.publish(server->settings.name, {});
  }
  for (const auto& server : begun) server->connection->start();
}

Command McpServers::command_of(const McpServerSettings& settings) const {
  std::vector<std::string> environment = command_environment(options_.environment, login_secrets());
  if (variable("CLAUDE_CODE_MCP_ALLOWLIST_ENV") == "1") {
    std::erase_if(environment, [](const std::string& entry) {
      return !is_among_words(entry.substr(0, entry.find('=')), kBasicVariables);
    });
  }
  set_variable(environment, "DEFT_PROJECT_DIR", options_.directory);
  set_variable(environment, "CLAUDE_PROJECT_DIR", options_.directory);
  set_variable(environment, "CLAUDECODE", "1");
  if (!options_.session_id.empty()) set_variable(environment, "CLAUDE_CODE_SESSION_ID", options_.session_id);
  for (const auto& [name, value] : settings.env) set_variable(environment, name, value);
  std::vector<std::string> argv{settings.command};
  argv.insert(argv.end(), settings.args.begin(), settings.args.end());
  return {.argv = std::move(argv), .environment = std::move(environment), .directory = options_.directory};
}

std::unique_ptr<McpTransport> McpServers::make_transport(const McpServerSettings& settings, McpAuthorizer* authorizer,
                                                         bool old_sse) const {
  switch (settings.kind) {
    case McpKind::stdio:
      if (old_sse) return nullptr;
      return std::make_unique<StdioTransport>(options_.processes, command_of(settings), options_.clock);
    case McpKind::sdk:
      if (old_sse || !options_.make_sdk_transport) return nullptr;
      return options_.make_sdk_transport(settings.name);
    case McpKind::http:
    case McpKind::sse: break;
  }
  HttpTransport::Options options{.url = settings.url, .headers = settings.headers, .authorizer = authorizer};
  if (old_sse || settings.kind == McpKind::sse) {
    return std::make_unique<SseTransport>(options_.http, options_.clock, std::move(options));
  }
  return std::make_unique<HttpTransport>(options_.http, options_.clock, std::move(options));
}

std::shared_ptr<McpServers::Running> McpServers::make(McpServerSettings settings) {
  const auto running = std::make_shared<Running>();
  running->settings = settings;
  const VariableLookup lookup = [this](const std::string& name) { return variable(name); };
  for (std::string& note : expand_variables(settings, variables_for(settings, lookup))) {
    if (options_.noted) options_.noted(std::move(note));
  }
  McpAuthorizer* authorizer = nullptr;
  if (settings.kind == McpKind::http || settings.kind == McpKind::sse) {
    const bool has_own = find_header(settings.headers, "Authorization").has_value();
    if (!has_own) {
      running->login = std::make_unique<OauthAuthorizer>(options_.http, options_.clock, options_.logins,
                                                         oauth_options(settings, lookup, options_.browser));
      authorizer = running->login.get();
    }
    if (!settings.headers_helper.empty()) {
      std::vector<std::string> environment = command_environment(options_.environment, login_secrets());
      set_variable(environment, "CLAUDE_CODE_MCP_SERVER_NAME", settings.name);
      set_variable(environment, "CLAUDE_CODE_MCP_SERVER_URL", settings.url);
      running->helper = std::make_unique<HeadersHelper>(options_.processes, options_.clock, settings.headers_helper,
                                                        std::move(environment), authorizer);
      authorizer = running->helper.get();
    }
  }
  const auto milliseconds = [this](const std::string& name, Duration fallback) {
    const auto text = variable(name);
    if (!text || text->empty() || text->size() > 12 || text->find_first_not_of("0123456789") != std::string::npos) {
      return fallback;
    }
    return Duration(std::chrono::milliseconds(std::max<std::int64_t>(std::stoll(*text), kTimeoutMillisecondsMin)));
  };
  McpHandlers handlers;
  handlers.roots = options_.roots;
  if (options_.sampling) {
    handlers.sampling = [this, name = settings.name](const Json& params, const std::stop_token& stop) {
      return options_.sampling(name, params, stop);
    };
  }
  handlers.elicitation = options_.elicitation;
  handlers.noted = options_.noted;
  if (options_.logged) {
    handlers.logged = [this, name = settings.name](std::string level, std::string text) {
      options_.logged(name, std::move(level), std::move(text));
    };
  }
  Duration call_timeout = milliseconds("MCP_TOOL_TIMEOUT", kMcpCallTimeout);
  if (settings.timeout) call_timeout = *settings.timeout;
  running->connection = std::make_shared<McpConnection>(
      options_.clock,
      McpConnectionOptions{
          .settings = settings,
          .identity = known_server_key(settings),
          .connect_timeout = milliseconds("MCP_TIMEOUT", kMcpConnectTimeout),
          .call_timeout = call_timeout,
          .make_transport = [this, settings,
                             authorizer](bool old_sse) { return make_transport(settings, authorizer, old_sse); },
          .handlers = std::move(handlers),
          .memory = &options_.memory,
          .is_of_another = [this, name = settings.name](const McpToolName& tool) { return is_of_another(tool, name); },
          .publish = options_.publish,
          .changed = options_.status_changed});
  return running;
}

// "mcp__a__b__c" of the server "a", where there is a server "a__b": whoever reads a rule could not tell.
bool McpServers::is_of_another(const McpToolName& tool, const std::string& server) const {
  const std::string name = tool.plain();
  const std::lock_guard lock(mutex_);
  return std::ranges::any_of(running_, [&](const auto& other) {
    if (other->settings.name == server) return false;
    const std::string word = McpToolName{.server = plain_mcp_word(other->settings.name), .tool = {}}.server_word();
    return word.size() > tool.server_word().size() && (name == word || name.starts_with(word + "__"));
  });
}

bool McpServers::wait(Duration at_most, std::stop_token stop) const {
  const TimePoint deadline = options_.clock.now() + at_most;
  bool all = true;
  for (const auto& connection : connections()) all = connection->wait_until_settled(deadline, stop) && all;
  return all;
}

std::vector<std::shared_ptr<McpConnection>> McpServers::connections() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<McpConnection>> out;
  for (const auto& running : running_) out.push_back(running->connection);
  return out;
}

std::vector<McpStatus> McpServers::statuses() const {
  std::vector<McpStatus> out;
  for (const auto& connection : connections()) out.push_back(connection->status());
  return out;
}

std::shared_ptr<McpConnection> McpServers::find(std::string_view name) const {
  for (auto& connection : connections()) {
    if (connection->name() == name) return connection;
  }
  return nullptr;
}

bool McpServers::reconnect(std::string_view name) {
  const auto connection = find(name);
  if (!connection) return false;
  connection->reconnect();
  return true;
}

std::vector<std::shared_ptr<McpCaller>> McpServers::callers() const {
  std::vector<std::shared_ptr<McpCaller>> out;
  for (auto& connection : connections()) out.push_back(std::move(connection));
  return out;
}

void McpServers::stop() {
  std::vector<std::shared_ptr<Running>> running;
  {
    const std::lock_guard lock(mutex_);
    running = std::move(running_);
    running_.clear();
  }
  // Side by side: each has its own time to end.
  std::vector<std::jthread> ending;
  for (const auto& server : running) {
    ending.emplace_back([server] { server->connection->stop(); });
  }
}

}  // namespace deft
