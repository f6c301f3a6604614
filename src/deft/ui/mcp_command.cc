#include "deft/ui/mcp_command.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "deft/base/text.h"
#include "deft/config/mcp_policy.h"
#include "deft/config/mcp_settings.h"
#include "deft/mcp/known_server.h"
#include "deft/mcp/login.h"
#include "deft/mcp/servers.h"
#include "deft/os/change_file.h"
#include "deft/os/http_network.h"
#include "deft/os/system_http_client.h"
#include "deft/os/warden_processes.h"
#include "deft/ui/mcp_add.h"
#include "deft/ui/mcp_serve_command.h"
#include "deft/ui/meant_word.h"
#include "deft/ui/safe_display.h"
#include "deft/ui/session_settings.h"

extern char** environ;  // NOLINT(readability-redundant-declaration): unistd.h has it only for GNU

namespace deft {
namespace {

constexpr const char* kHelp = R"(MCP servers: programs and web addresses that bring tools of their own.

Usage: deft mcp list [--json] [--offline]     all servers, and how they are
       deft mcp get NAME [--json]             one server: what it is, where it is configured
       deft mcp test NAME [--json]            starts it, and shows what it offers
       deft mcp add [OPTIONS] NAME COMMAND [ARGS…]
       deft mcp add [OPTIONS] NAME URL
       deft mcp add-json [-s SCOPE] NAME JSON
       deft mcp remove [-s SCOPE] NAME
       deft mcp approve NAME                  agrees to a server of the project's .mcp.json, exactly as it is now, and
                                              to what the tools of any server say of themselves now
       deft mcp reset-project-choices         takes all such agreements of this folder back
       deft mcp login NAME | logout NAME
       deft mcp serve                         offers deft's own tools: deft mcp serve --help

Options of add:
  -s, --scope local|project|user   for you in this folder (the default), for everybody in .mcp.json, for you everywhere
  -t, --transport stdio|http|sse   a URL is http unless it is said
  -e, --env NAME=VALUE             may be repeated; ${NAME} is put in when the server starts
  -H, --header "Name: value"       may be repeated
      --headers-helper COMMAND     prints the headers as a JSON object
      --client-id ID, --callback-port N   for a login at a server that registers no clients
      --timeout MILLISECONDS       of one call

Example:
  deft mcp add files -- npx -y @modelcontextprotocol/server-filesystem .
  deft mcp list

Exit code: 0, 1 if a server cannot be used, 2 unusable arguments.
)";

int complain(const std::string& what) {
  std::fprintf(stderr, "deft mcp: %s\n", what.c_str());
  return 2;
}

std::string shown(std::string_view text) { return safe_display(text); }

std::vector<std::string> own_environment() {
  std::vector<std::string> out;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) out.emplace_back(*entry);
  return out;
}

std::optional<std::string> own_variable(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

struct Ground {
  SettingsPlaces places;
  SessionSettings settings;
  McpServersRead read;
  McpPolicy policy;
  McpApprovals approvals{McpApprovals::default_file(), change_file};

  McpAdmitted admission(const McpServerSettings& server) const {
    return admit(server, policy, approvals, places.directory, settings.trusted, own_variable);
  }
  const McpServerSettings* find(std::string_view name) const {
    const auto found = std::ranges::find(read.servers, name, &McpServerSettings::name);
    return found == read.servers.end() ? nullptr : &*found;
  }
};

Result<Ground> look_around() {
  std::error_code ec;
  const std::string directory = std::filesystem::canonical(".", ec).string();
  if (ec) return fail(Errc::io, "the current folder is gone");
  Ground ground{.places = settings_places(directory)};
  auto settings = load_session_settings({.directory = directory});
  if (!settings) return std::unexpected(std::move(settings.error()));
  ground.settings = *std::move(settings);
  auto read = read_mcp_servers(ground.places, {});
  if (!read) return std::unexpected(std::move(read.error()));
  ground.read = *std::move(read);
  ground.policy = read_mcp_policy(ground.settings.files, ground.settings.trusted);
  return ground;
}

// What servers run in, for as long as a command lasts.
struct Bench {
  SystemClock clock;
  WardenProcesses processes{clock};
  SystemHttpClient http{http_network(own_environment())};
  McpMemory memory{McpMemory::default_file()};
  OauthFile logins{OauthFile::default_file()};
  std::unique_ptr<LoopbackBrowser> browser;

  McpServersOptions options(const std::string& directory) {
    McpServersOptions out{.processes = processes, .http = http, .clock = clock, .memory = memory, .logins = logins};
    out.environment = own_environment();
    out.directory = directory;
    out.roots = [directory] { return std::vector<std::string>{directory}; };
    out.browser = browser.get();
    return out;
  }
};

std::string state_line(const McpStatus& status) {
  std::string out(to_string(status.state));
  if (status.state == McpState::ready) {
    const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(status.took.value_or(Duration{})).count();
    out += ", " + std::to_string(status.tools) + (status.tools == 1 ? " tool, " : " tools, ") + std::to_string(took) +
           " ms, " + status.facts.protocol;
  }
  if (!status.detail.empty()) out += ": " + status.detail;
  return out;
}

JsonArray texts(const std::vector<std::string>& list) {
  JsonArray out;
  for (const std::string& text : list) out.emplace_back(text);
  return out;
}

JsonObject settings_row(const McpServerSettings& server) {
  return {{"name", server.name},
          {"scope", to_string(server.scope)},
          {"type", to_string(server.kind)},
          {"target", server.shown()},
          {"file", server.file}};
}

void add_status(JsonObject& row, const McpStatus& status) {
  row["state"] = to_string(status.state);
  row["detail"] = status.detail;
  row["protocol"] = status.facts.protocol;
  if (status.took) row["milliseconds"] = std::chrono::duration_cast<std::chrono::milliseconds>(*status.took).count();
  row["problems"] = texts(status.problems);
}

int list_servers(std::span<const std::string> words) {
  const bool as_json = std::ranges::find(words, "--json") != words.end();
  const bool offline = std::ranges::find(words, "--offline") != words.end();
  for (const std::string& word : words) {
    if (word != "--json" && word != "--offline") return complain("unknown option " + word + "; see deft mcp --help");
  }
  auto ground = look_around();
  if (!ground) return complain(ground.error().message);
  Bench bench;
  McpServersOptions options = bench.options(ground->places.directory);
  options.noted = [](const std::string& text) { std::fprintf(stderr, "note: %s\n", shown(text).c_str()); };
  McpServers servers(std::move(options));
  std::vector<McpServerSettings> started;
  for (const McpServerSettings& server : ground->read.servers) {
    if (!offline && ground->admission(server).admission == McpAdmission::allowed) started.push_back(server);
  }
  servers.start(std::move(started));
  servers.wait(kMcpConnectTimeout, {});
  bool all_well = ground->read.problems.empty();
  JsonArray rows;
  for (const McpServerSettings& server : ground->read.servers) {
    const McpAdmitted admitted = ground->admission(server);
    const auto connection = servers.find(server.name);
    std::string state = offline ? "not tried" : "not started";
    JsonObject row = settings_row(server);
    row["state"] = state;
    if (connection) {
      const McpStatus status = connection->status();
      state = state_line(status);
      add_status(row, status);
      row["tools"] = status.tools;
      all_well = all_well && status.state == McpState::ready;
    } else if (admitted.admission != McpAdmission::allowed) {
      state = "not started: " + admitted.reason;
      row["state"] = "not started";
      row["detail"] = admitted.reason;
      all_well = false;
    }
    if (!as_json) {
      std::printf("%-20s %-7s %s\n%20s   %s\n", server.name.c_str(), std::string(to_string(server.scope)).c_str(),
                  shown(one_line(server.shown(), 200)).c_str(), "", shown(state).c_str());
    }
    rows.push_back(std::move(row));
  }
  if (as_json) {
    std::printf("%s\n",
                to_json(JsonObject{{"servers", std::move(rows)}, {"problems", texts(ground->read.problems)}}).c_str());
    return all_well ? 0 : 1;
  }
  for (const std::string& problem : ground->read.problems) std::printf("problem: %s\n", shown(problem).c_str());
  if (ground->read.servers.empty()) std::printf("No MCP servers. Add one: deft mcp add --help\n");
  return all_well ? 0 : 1;
}

int unknown_server(const std::string& name) {
  complain("there is no MCP server " + json_quote(name) + "; see deft mcp list");
  return 1;
}

int get_server(const std::string& name, bool as_json) {
  auto ground = look_around();
  if (!ground) return complain(ground.error().message);
  const McpServerSettings* server = ground->find(name);
  if (server == nullptr) return unknown_server(name);
  const McpAdmitted admitted = ground->admission(*server);
  const bool is_allowed = admitted.admission == McpAdmission::allowed;
  if (as_json) {
    JsonObject row = settings_row(*server);
    row["entry"] = parse_json(server->entry).value_or(Json());
    row["allowed"] = is_allowed;
    if (!is_allowed) row["detail"] = admitted.reason;
    std::printf("%s\n", to_json(row).c_str());
    return is_allowed ? 0 : 1;
  }
  std::printf("%s\n  scope   %s\n  file    %s\n  type    %s\n  runs    %s\n  entry   %s\n", server->name.c_str(),
              std::string(to_string(server->scope)).c_str(), shown(server->file).c_str(),
              std::string(to_string(server->kind)).c_str(), shown(server->shown()).c_str(),
              shown(server->entry).c_str());
  if (is_allowed) return 0;
  std::printf("  is not started: %s\n", admitted.reason.c_str());
  return 1;
}

// All that a server offers, for programs.
JsonObject offer_json(const McpConnection& connection, const std::vector<std::shared_ptr<Tool>>& tools) {
  const McpStatus status = connection.status();
  JsonObject out{{"name", status.name}};
  add_status(out, status);
  if (status.state != McpState::ready) {
    out["last_words"] = connection.last_words();
    return out;
  }
  out["server"] = JsonObject{{"name", status.facts.name}, {"version", status.facts.version}};
  out["instructions"] = status.facts.instructions;
  JsonArray offered, prompts;
  for (const auto& tool : tools) {
    offered.push_back(JsonObject{{"name", tool->spec().name}, {"description", tool->spec().description}});
  }
  for (const Json& prompt : connection.prompts()) prompts.emplace_back(find_string(prompt, "name").value_or(""));
  out["tools"] = std::move(offered);
  out["prompts"] = std::move(prompts);
  return out;
}

int show_offer(const McpConnection& connection, const std::vector<std::shared_ptr<Tool>>& tools) {
  const McpStatus status = connection.status();
  std::printf("%s: %s\n", status.name.c_str(), shown(state_line(status)).c_str());
  if (status.state != McpState::ready) {
    const std::string words = connection.last_words();
    if (!words.empty()) std::printf("it last wrote:\n%s\n", shown(words).c_str());
    return 1;
  }
  std::printf("  calls itself %s %s\n", shown(json_quote(status.facts.name)).c_str(),
              shown(status.facts.version).c_str());
  if (!status.facts.instructions.empty()) {
    std::printf("  instructions: %s\n", shown(one_line(status.facts.instructions, 300)).c_str());
  }
  for (const auto& tool : tools) {
    std::printf("  %s\n      %s\n", tool->spec().name.c_str(), shown(one_line(tool->spec().description, 150)).c_str());
  }
  for (const Json& prompt : connection.prompts()) {
    std::printf("  prompt %s\n", shown(one_line(find_string(prompt, "name").value_or(""), 100)).c_str());
  }
  for (const std::string& problem : status.problems) std::printf("  problem: %s\n", shown(problem).c_str());
  return 0;
}

int test_server(const std::string& name, bool as_json) {
  auto ground = look_around();
  if (!ground) return complain(ground.error().message);
  const McpServerSettings* server = ground->find(name);
  if (server == nullptr) return unknown_server(name);
  const McpAdmitted admitted = ground->admission(*server);
  if (admitted.admission != McpAdmission::allowed) return complain(name + " is not started: " + admitted.reason), 1;
  Bench bench;
  auto options = bench.options(ground->places.directory);
  std::vector<std::shared_ptr<Tool>> tools;
  std::mutex mutex;
  options.publish = [&](const std::string&, std::vector<std::shared_ptr<Tool>> published) {
    const std::lock_guard lock(mutex);
    tools = std::move(published);
  };
  options.noted = [as_json](const std::string& text) {
    std::fprintf(as_json ? stderr : stdout, "note: %s\n", shown(text).c_str());
  };
  McpServers servers(std::move(options));
  servers.start({*server});
  servers.wait(kMcpConnectTimeout + kMcpDiscoverWait, {});
  const auto connection = servers.find(name);
  const std::lock_guard lock(mutex);
  if (!as_json) return show_offer(*connection, tools);
  const JsonObject offer = offer_json(*connection, tools);
  std::printf("%s\n", to_json(offer).c_str());
  return find_string(offer, "state") == to_string(McpState::ready) ? 0 : 1;
}

int write_addition(Result<McpAddition> addition) {
  if (!addition) return complain(addition.error().message + "; see deft mcp --help");
  auto ground = look_around();
  if (!ground) return complain(ground.error().message);
  const std::string file = mcp_settings_file(ground->places, addition->scope);
  if (file.empty()) return complain("there is no home folder to write to");
  const std::string folder = addition->scope == McpScope::local ? local_settings_root(ground->places) : "";
  const auto written = change_file(
      file, [&](const std::string& text) { return with_mcp_server(text, folder, addition->name, addition->entry); });
  if (!written) return complain(file + ": " + written.error().message);
  std::printf("%s is in %s\n", addition->name.c_str(), file.c_str());
  if (addition->scope != McpScope::project) return 0;
  // Whoever writes it has agreed to it.
  auto server = read_mcp_server(addition->name, addition->entry);
  if (server) {
    if (auto kept = ground->approvals.add(ground->places.directory, *server); !kept)
      return complain(kept.error().message);
  }
  if (!ground->settings.trusted) std::printf("It starts when this folder is trusted: deft trust\n");
  return 0;
}

int remove_server(std::span<const std::string> words) {
  std::optional<McpScope> scope;
  std::string name;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if ((words[i] == "-s" || words[i] == "--scope") && i + 1 < words.size()) {
      auto parsed = parse_mcp_scope(words[++i]);
      if (!parsed) return complain(parsed.error().message);
      scope = *parsed;
    } else if (name.empty() && !words[i].starts_with('-')) {
      name = words[i];
    } else {
      return complain("remove takes a name and perhaps --scope; see deft mcp --help");
    }
  }
  if (name.empty()) return complain("remove takes a name; see deft mcp --help");
  auto ground = look_around();
  if (!ground) return complain(ground.error().message);
  if (!scope) {
    const McpServerSettings* server = ground->find(name);
    if (server == nullptr) return unknown_server(name);
    scope = server->scope;
    if (server->file != mcp_settings_file(ground->places, *scope)) {
      return complain(name + " stands in " + server->file + ", which deft does not change"), 1;
    }
  }
  const std::string file = mcp_settings_file(ground->places, *scope);
  const std::string folder = *scope == McpScope::local ? local_settings_root(ground->places) : "";
  const auto written =
      change_file(file, [&](const std::string& text) { return without_mcp_server(text, folder, name); });
  if (!written) return complain(file + ": " + written.error().message), 1;
  std::printf("%s is no longer in %s\n", name.c_str(), file.c_str());
  return 0;
}

int approve_server(const std::string& name) {
  auto ground = look_around();
  if (!ground) return complain(ground.error().message);
  const McpServerSettings* server = ground->find(name);
  if (server == nullptr) return unknown_server(name);
  if (auto accepted = accept_descriptions(McpMemory::default_file(), *server); !accepted) {
    return complain(accepted.error().message);
  }
  if (server->scope != McpScope::project) {
    std::printf("What the tools of %s say of themselves is accepted.\n", name.c_str());
    return 0;
  }
  if (auto kept = ground->approvals.add(ground->places.directory, *server); !kept)
    return complain(kept.error().message);
  std::printf("%s may be started in this folder: %s\n", name.c_str(), shown(server->shown()).c_str());
  if (!ground->settings.trusted) std::printf("It starts when this folder is trusted: deft trust\n");
  return 0;
}

int reset_choices() {
  auto ground = look_around();
  if (!ground) return complain(ground.error().message);
  if (auto done = ground->approvals.remove_all(ground->places.directory); !done) return complain(done.error().message);
  std::printf("The project's MCP servers need approval again.\n");
  return 0;
}

int log_in_or_out(const std::string& name, bool in) {
  auto ground = look_around();
  if (!ground) return complain(ground.error().message);
  const McpServerSettings* found = ground->find(name);
  if (found == nullptr) return unknown_server(name);
  McpServerSettings server = *found;
  if (server.kind != McpKind::http && server.kind != McpKind::sse) return complain(name + " is no server on the web");
  const McpAdmitted admitted = ground->admission(server);
  if (in && admitted.admission != McpAdmission::allowed) return complain(name + " is not used: " + admitted.reason), 1;
  expand_variables(server, variables_for(server, own_variable));
  Bench bench;
  bench.browser = std::make_unique<LoopbackBrowser>(
      bench.clock, static_cast<std::uint16_t>(server.oauth.callback_port.value_or(0)), [](const std::string& url) {
        std::printf("Open this page in your browser, and log in there:\n\n  %s\n\n", shown(url).c_str());
        std::fflush(stdout);
      });
  OauthAuthorizer login(bench.http, bench.clock, bench.logins,
                        oauth_options(server, own_variable, bench.browser.get()));
  if (!in) {
    login.log_out();
    std::printf("%s is logged out here.\n", name.c_str());
    return 0;
  }
  if (auto done = login.log_in({}); !done) return complain(done.error().message), 1;
  std::printf("Logged in to %s.\n", name.c_str());
  return 0;
}

}  // namespace

int run_mcp(int argc, const char* const* argv) {
  const std::string_view action = argc > 1 ? argv[1] : "";
  if (action.empty() || action == "--help" || action == "-h" || action == "help") {
    std::fputs(kHelp, action.empty() ? stderr : stdout);
    return action.empty() ? 2 : 0;
  }
  if (action == "serve") return run_mcp_serve(argc - 1, argv + 1);
  std::vector<std::string> words;
  for (int i = 2; i < argc; ++i) words.emplace_back(argv[i]);
  if (!words.empty() && (words[0] == "--help" || words[0] == "-h")) return std::fputs(kHelp, stdout), 0;
  if (action == "list") return list_servers(words);
  if (action == "add") return write_addition(parse_mcp_add(words));
  if (action == "add-json") return write_addition(parse_mcp_add_json(words));
  if (action == "remove") return remove_server(words);
  if (action == "reset-project-choices") return reset_choices();
  const bool takes_name =
      action == "get" || action == "test" || action == "approve" || action == "login" || action == "logout";
  if (!takes_name) {
    return complain("unknown command " + json_quote(action) +
                    meant_word(action, {"list", "add", "add-json", "remove", "reset-project-choices", "get", "test",
                                        "approve", "login", "logout", "serve"}) +
                    "; see deft mcp --help");
  }
  const bool as_json = (action == "get" || action == "test") && std::erase(words, "--json") > 0;
  const bool is_name = words.size() == 1 && !words[0].starts_with('-');
  if (!is_name) return complain(std::string(action) + " takes the name of a server; see deft mcp --help");
  if (action == "get") return get_server(words[0], as_json);
  if (action == "test") return test_server(words[0], as_json);
  if (action == "approve") return approve_server(words[0]);
  return log_in_or_out(words[0], action == "login");
}

}  // namespace deft
