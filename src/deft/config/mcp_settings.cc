#include "deft/config/mcp_settings.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>

#include "deft/base/text.h"
#include "deft/base/url.h"
#include "deft/config/settings.h"

namespace deft {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kArgumentsMax = 1000;
constexpr int kPortMax = 65535;

bool is_server_name(std::string_view name) {
  return !name.empty() && name.size() <= kMcpServerNameCharactersMax && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

std::unexpected<Error> wrong(std::string_view name, const std::string& why) {
  return fail(Errc::invalid_input, "the MCP server " + json_quote(name) + " " + why);
}

Result<std::vector<std::pair<std::string, std::string>>> read_pairs(std::string_view name, const Json& entry,
                                                                    std::string_view key) {
  std::vector<std::pair<std::string, std::string>> out;
  const Json* pairs = find(entry, key);
  if (pairs == nullptr) return out;
  if (!pairs->is_object()) return wrong(name, std::string(key) + " must be an object of texts");
  for (const auto& [word, value] : pairs->get_object()) {
    if (!value.is_string()) return wrong(name, std::string(key) + " must be an object of texts");
    out.emplace_back(std::string(word.data(), word.size()), std::string(view(value.get_string())));
  }
  return out;
}

Result<void> read_stdio(std::string_view name, const Json& entry, McpServerSettings& out) {
  const auto command = find_string(entry, "command");
  if (!command || command->empty()) {
    const bool has_url = find(entry, "url") != nullptr;
    return wrong(name, has_url ? R"(has a url: it needs "type": "http" or "sse" as well)" : "needs a command");
  }
  out.command = *command;
  if (const Json* args = find(entry, "args")) {
    if (!args->is_array() || args->get_array().size() > kArgumentsMax)
      return wrong(name, "args must be a list of texts");
    for (const Json& argument : args->get_array()) {
      if (!argument.is_string()) return wrong(name, "args must be a list of texts");
      out.args.emplace_back(view(argument.get_string()));
    }
  }
  auto env = read_pairs(name, entry, "env");
  if (!env) return std::unexpected(std::move(env.error()));
  out.env = *std::move(env);
  return {};
}

Result<void> read_remote(std::string_view name, const Json& entry, McpServerSettings& out) {
  const auto url = find_string(entry, "url");
  if (!url || url->empty()) return wrong(name, "needs a url");
  out.url = *url;
  auto headers = read_pairs(name, entry, "headers");
  if (!headers) return std::unexpected(std::move(headers.error()));
  out.headers = *std::move(headers);
  out.headers_helper = find_string(entry, "headersHelper").value_or("");
  const Json* oauth = find(entry, "oauth");
  if (oauth == nullptr) return {};
  out.oauth.client_id = find_string(*oauth, "clientId").value_or("");
  out.oauth.client_metadata_url = find_string(*oauth, "clientMetadataUrl").value_or("");
  out.oauth.server_metadata_url = find_string(*oauth, "authServerMetadataUrl").value_or("");
  if (const auto scopes = find_string(*oauth, "scopes")) out.oauth.scopes = std::string(*scopes);
  const std::string_view grant = find_string(*oauth, "grant").value_or("authorization_code");
  if (grant != "authorization_code" && grant != "client_credentials") {
    return wrong(name, "oauth.grant must be authorization_code or client_credentials");
  }
  out.oauth.client_credentials = grant == "client_credentials";
  out.oauth.private_key_file = find_string(*oauth, "privateKeyFile").value_or("");
  out.oauth.signing_algorithm = find_string(*oauth, "signingAlgorithm").value_or("ES256");
  if (const Json* enterprise = find(*oauth, "enterprise")) {
    out.oauth.enterprise_token_endpoint = find_string(*enterprise, "tokenEndpoint").value_or("");
    out.oauth.enterprise_client_id = find_string(*enterprise, "clientId").value_or("");
  }
  if (const auto port = find_int(*oauth, "callbackPort")) {
    if (*port < 1 || *port > kPortMax) return wrong(name, "oauth.callbackPort must be a port");
    out.oauth.callback_port = static_cast<int>(*port);
  }
  return {};
}

std::string expanded(std::string_view text, const VariableLookup& lookup, std::vector<std::string>& missing) {
  std::string out;
  while (true) {
    const auto begin = text.find("${");
    const auto end = begin == std::string_view::npos ? begin : text.find('}', begin);
    if (end == std::string_view::npos) return out + std::string(text);
    out += text.substr(0, begin);
    const std::string_view inner = text.substr(begin + 2, end - begin - 2);
    const auto colon = inner.find(":-");
    const std::string variable(inner.substr(0, colon));
    if (const auto value = lookup(variable); value && (!value->empty() || colon == std::string_view::npos)) {
      out += *value;
    } else if (colon != std::string_view::npos) {
      out += inner.substr(colon + 2);
    } else {
      out += text.substr(begin, end - begin + 1);
      missing.push_back(variable);
    }
    text.remove_prefix(end + 1);
  }
}

// A file of a repository is a stranger's: no more of it is read than may be used.
Result<std::optional<std::string>> read_text(const std::string& path, std::size_t bytes_max) {
  std::error_code ec;
  const auto status = fs::status(path, ec);
  if (status.type() == fs::file_type::not_found) return std::nullopt;
  if (!fs::is_regular_file(status)) return fail(Errc::io, path + " is not a file");
  std::ifstream file(path, std::ios::binary);
  if (!file) return fail(Errc::io, path + " cannot be read");
  std::string text;
  std::array<char, 16384> piece{};
  while (file.read(piece.data(), piece.size()) || file.gcount() > 0) {
    text.append(piece.data(), static_cast<std::size_t>(file.gcount()));
    if (text.size() > bytes_max) return fail(Errc::limit, path + " is longer than " + human_bytes(bytes_max));
  }
  if (file.bad()) return fail(Errc::io, path + " cannot be read");
  return text;
}

// Reads the files of a session one after another; of one name the first counts.
class Reader {
 public:
  void read_list(const Json* list, McpScope scope, const std::string& file) {
    if (list == nullptr) return;
    if (!list->is_object()) return problem(file + ": mcpServers must be an object");
    for (const auto& [key, entry] : list->get_object()) {
      const std::string name(key.data(), key.size());
      if (std::ranges::any_of(out_.servers, [&](const McpServerSettings& other) { return other.name == name; }))
        continue;
      if (out_.servers.size() == kMcpServersMax) {
        return problem(file + ": a session has at most " + std::to_string(kMcpServersMax) + " MCP servers");
      }
      auto server = read_mcp_server(name, entry);
      if (!server) {
        problem(file + ": " + server.error().message);
        continue;
      }
      server->scope = scope;
      server->file = file;
      out_.servers.push_back(*std::move(server));
    }
  }

  // A file that is not there says nothing. `own_key`: the list stands in a member of that name.
  bool read_file(const std::string& path, McpScope scope, std::size_t bytes_max = kSettingsBytesMax) {
    const Json* json = load(path, bytes_max);
    if (json == nullptr) return false;
    read_list(find(*json, "mcpServers"), scope, path);
    return true;
  }

  const Json* load(const std::string& path, std::size_t bytes_max) {
    const auto text = read_text(path, bytes_max);
    if (!text) {
      problem(text.error().message);
      return nullptr;
    }
    if (!*text) return nullptr;
    auto json = parse_json(**text, {.bytes_max = bytes_max});
    if (!json) {
      problem(path + ": " + json.error().message);
      return nullptr;
    }
    last_ = *std::move(json);
    return &last_;
  }

  void problem(std::string text) { out_.problems.push_back(std::move(text)); }
  McpServersRead take() { return std::move(out_); }
  void set_managed_only() { out_.managed_only = true; }

 private:
  McpServersRead out_;
  Json last_;
};

// Claude Code keeps its state and its servers in one file, which may be large.
constexpr std::size_t kClaudeStateBytesMax = std::size_t{32} << 20;

std::string claude_state_file(const SettingsPlaces& places) {
  if (places.home.empty()) return "";
  const bool is_usual = places.claude_home == places.home + "/.claude";
  return (is_usual ? places.home : places.claude_home) + "/.claude.json";
}

void append_pretty(std::string& out, const Json& value, std::size_t depth) {
  const auto line = [&](std::size_t level) { out += '\n' + std::string(level * 2, ' '); };
  if (value.is_object() && !value.get_object().empty()) {
    out += '{';
    bool is_first = true;
    for (const auto& [key, member] : value.get_object()) {
      if (!is_first) out += ',';
      is_first = false;
      line(depth + 1);
      append_json_string(out, {key.data(), key.size()});
      out += ": ";
      append_pretty(out, member, depth + 1);
    }
    line(depth);
    out += '}';
  } else if (value.is_array() && !value.get_array().empty()) {
    out += '[';
    bool is_first = true;
    for (const Json& element : value.get_array()) {
      if (!is_first) out += ',';
      is_first = false;
      line(depth + 1);
      append_pretty(out, element, depth + 1);
    }
    line(depth);
    out += ']';
  } else {
    out += to_json(value);
  }
}

Result<Json> parse_file_text(std::string_view text) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) return Json(JsonObject{});
  auto json = parse_json(text);
  if (!json) return std::unexpected(std::move(json.error()));
  if (!json->is_object()) return fail(Errc::invalid_input, "the file holds no JSON object");
  const Json* servers = find(*json, "mcpServers");
  if (servers != nullptr && !servers->is_object()) return fail(Errc::invalid_input, "mcpServers must be an object");
  return json;
}

JsonObject& object_in(JsonObject& parent, std::string_view key) {
  Json& member = parent[key];
  if (!member.is_object()) member = JsonObject{};
  return member.get_object();
}

// Where the servers of a folder stand; without a folder, those for everywhere.
JsonObject& place_of(Json& file, std::string_view folder) {
  JsonObject& root = file.get_object();
  return folder.empty() ? root : object_in(object_in(root, "projects"), folder);
}

std::string pretty(const Json& value) {
  std::string out;
  append_pretty(out, value, 0);
  return out + '\n';
}

}  // namespace

std::string_view to_string(McpScope scope) {
  switch (scope) {
    case McpScope::managed: return "managed";
    case McpScope::command_line: return "cli";
    case McpScope::local: return "local";
    case McpScope::project: return "project";
    case McpScope::user: return "user";
  }
  return "";
}

std::string_view to_string(McpKind kind) {
  switch (kind) {
    case McpKind::stdio: return "stdio";
    case McpKind::http: return "http";
    case McpKind::sse: return "sse";
    case McpKind::sdk: return "sdk";
  }
  return "";
}

std::string McpServerSettings::shown() const {
  if (kind == McpKind::sdk) return "inside of the host";
  if (kind != McpKind::stdio) return url;
  std::string out = command;
  for (const std::string& argument : args) out += ' ' + argument;
  return out;
}

Result<McpServerSettings> read_mcp_server(std::string_view name, const Json& entry) {
  McpServerSettings out{.name = std::string(name)};
  if (!is_server_name(name)) {
    return wrong(
        name.substr(0, kMcpServerNameCharactersMax),
        "needs a name of at most " + std::to_string(kMcpServerNameCharactersMax) + " letters, digits, '-' and '_'");
  }
  if (!entry.is_object()) return wrong(name, "must be an object");
  const std::string_view type = find_string(entry, "type").value_or("stdio");
  Result<void> read;
  if (type == "stdio") {
    read = read_stdio(name, entry, out);
  } else if (type == "http" || type == "streamable-http" || type == "sse") {
    out.kind = type == "sse" ? McpKind::sse : McpKind::http;
    read = read_remote(name, entry, out);
  } else if (type == "sdk") {
    out.kind = McpKind::sdk;
  } else {
    return wrong(name, "is of the type " + json_quote(type) + "; deft knows stdio, http and sse");
  }
  if (!read) return std::unexpected(std::move(read.error()));
  if (const Json* timeout = find(entry, "timeout")) {
    const auto milliseconds = find_int(entry, "timeout");
    if (!timeout->is_int64() || !milliseconds || *milliseconds < kMcpTimeoutMillisecondsMin) {
      return wrong(name, "timeout must be a number of milliseconds, at least 1000");
    }
    out.timeout = std::chrono::milliseconds(*milliseconds);
  }
  out.always_load = find_bool(entry, "alwaysLoad").value_or(false);
  out.entry = to_json(entry);
  return out;
}

std::vector<std::string> expand_variables(McpServerSettings& server, const VariableLookup& lookup) {
  std::vector<std::string> missing;
  const auto expand = [&](std::string& text) { text = expanded(text, lookup, missing); };
  expand(server.command);
  for (std::string& argument : server.args) expand(argument);
  for (auto& [name, value] : server.env) expand(value);
  expand(server.url);
  for (auto& [name, value] : server.headers) expand(value);
  std::vector<std::string> notes;
  for (const std::string& name : missing) {
    notes.push_back("the MCP server " + server.name + " uses ${" + name + "}, which is not set" +
                    (server.scope == McpScope::project ? " or not for a server of the project" : ""));
  }
  return notes;
}

Result<McpServersRead> read_mcp_servers(const SettingsPlaces& places, const McpRequestedFiles& requested) {
  Reader reader;
  bool is_managed = false;
  for (const char* folder : {"/deft", "/claude-code"}) {
    is_managed = reader.read_file(places.system + folder + "/managed-mcp.json", McpScope::managed) || is_managed;
  }
  if (is_managed) {
    reader.set_managed_only();
    return reader.take();
  }
  for (const std::string& config : requested.configs) {
    const bool is_text =
        config.find_first_not_of(" \t\r\n") != std::string::npos && config[config.find_first_not_of(" \t\r\n")] == '{';
    auto text = is_text ? Result<std::optional<std::string>>(config) : read_text(config, kSettingsBytesMax);
    if (!text) return std::unexpected(std::move(text.error()));
    if (!*text) return fail(Errc::not_found, "--mcp-config: there is no file " + config);
    const auto json = parse_json(**text, {.bytes_max = kSettingsBytesMax});
    if (!json) return fail(Errc::invalid_json, "--mcp-config: " + json.error().message);
    const Json* servers = find(*json, "mcpServers");
    if (servers == nullptr) return fail(Errc::invalid_input, "--mcp-config: there is no mcpServers in it");
    reader.read_list(servers, McpScope::command_line, is_text ? "--mcp-config" : config);
  }
  if (requested.strict) return reader.take();

  // Both files of the user have the same shape: servers for everywhere, and servers for a folder.
  const std::array<std::string, 2> own_files = {mcp_settings_file(places, McpScope::user), claude_state_file(places)};
  const std::string root = local_settings_root(places);
  for (const std::string& file : own_files) {
    const Json* json = file.empty() || !requested.wanted.local ? nullptr : reader.load(file, kClaudeStateBytesMax);
    const Json* projects = json == nullptr ? nullptr : find(*json, "projects");
    for (const std::string& folder : {places.directory, root}) {
      const Json* project = projects == nullptr ? nullptr : find(*projects, folder);
      if (project != nullptr) reader.read_list(find(*project, "mcpServers"), McpScope::local, file);
    }
  }
  if (requested.wanted.project) reader.read_file(mcp_settings_file(places, McpScope::project), McpScope::project);
  for (const std::string& file : own_files) {
    if (!file.empty() && requested.wanted.user) reader.read_file(file, McpScope::user, kClaudeStateBytesMax);
  }
  return reader.take();
}

std::string mcp_settings_file(const SettingsPlaces& places, McpScope scope) {
  switch (scope) {
    case McpScope::local:
    case McpScope::user: return places.config_home.empty() ? "" : places.config_home + "/deft/mcp.json";
    case McpScope::project: return places.directory + "/.mcp.json";
    case McpScope::managed: return places.system + "/deft/managed-mcp.json";
    case McpScope::command_line: return "";
  }
  return "";
}

Result<std::string> with_mcp_server(std::string_view text, std::string_view folder, std::string_view name,
                                    const Json& entry) {
  if (auto checked = read_mcp_server(name, entry); !checked) return std::unexpected(std::move(checked.error()));
  auto json = parse_file_text(text);
  if (!json) return std::unexpected(std::move(json.error()));
  object_in(place_of(*json, folder), "mcpServers")[name] = entry;
  return pretty(*json);
}

Result<std::string> without_mcp_server(std::string_view text, std::string_view folder, std::string_view name) {
  auto json = parse_file_text(text);
  if (!json) return std::unexpected(std::move(json.error()));
  if (object_in(place_of(*json, folder), "mcpServers").erase(name) == 0) {
    return fail(Errc::not_found, "there is no MCP server " + json_quote(name) + " in it");
  }
  return pretty(*json);
}

}  // namespace deft
