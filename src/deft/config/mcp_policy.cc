#include "deft/config/mcp_policy.h"

#include <algorithm>
#include <cstdlib>

#include "deft/base/content_hash.h"
#include "deft/base/url.h"
#include "deft/base/whole_file.h"

namespace deft {
namespace {

constexpr std::size_t kApprovalsBytesMax = std::size_t{16} << 20;

// '*' stands for any characters but those of `never`.
bool fits(std::string_view pattern, std::string_view text, std::string_view never = "") {
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t star = std::string_view::npos;
  std::size_t from = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      from = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos && never.find(text[from]) == std::string_view::npos) {
      p = star + 1;
      t = ++from;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

// The end of "https://host:port": what comes behind it says nothing of whose server it is.
std::size_t end_of_host(std::string_view url) {
  const std::size_t scheme = url.find("://");
  if (scheme == std::string_view::npos) return 0;
  return std::min(url.find_first_of("/?#", scheme + 3), url.size());
}

// "https://*.example.com/*" is a host of example.com: not a path on another host that looks so.
bool fits_address(std::string_view pattern, std::string_view url) {
  const std::size_t pattern_end = end_of_host(pattern);
  const std::size_t url_end = end_of_host(url);
  if (pattern_end == 0) return fits(pattern, url);
  if (!fits(pattern.substr(0, pattern_end), url.substr(0, url_end), "/?#@\\")) return false;
  const std::string_view path = url.substr(url_end);
  const std::string_view rest = pattern.substr(pattern_end);
  return fits(rest, path) || (rest.empty() && (path == "/" || pattern.ends_with('*')));
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

// Hosts and schemes are the same in any case.
std::string with_lower_host(std::string_view url) {
  const std::size_t end = end_of_host(url);
  return lower(url.substr(0, end)) + std::string(url.substr(end));
}

// False: the list has an entry that cannot be read.
bool read_patterns(const Json& list, std::vector<McpServerPattern>& out) {
  if (!list.is_array()) return false;
  for (const Json& entry : list.get_array()) {
    McpServerPattern pattern;
    pattern.name = find_string(entry, "serverName").value_or("");
    pattern.url = find_string(entry, "serverUrl").value_or("");
    if (const JsonArray* command = find_array(entry, "serverCommand")) {
      for (const Json& word : *command) {
        if (!word.is_string()) return false;
        pattern.command.emplace_back(view(word.get_string()));
      }
    }
    if (pattern.name.empty() && pattern.url.empty() && pattern.command.empty()) return false;
    out.push_back(std::move(pattern));
  }
  return true;
}

void add_names(const Json& settings, std::string_view key, std::vector<std::string>& out) {
  const JsonArray* list = find_array(settings, key);
  if (list == nullptr) return;
  for (const Json& name : *list) {
    if (name.is_string()) out.emplace_back(view(name.get_string()));
  }
}

bool contains(const std::vector<std::string>& list, std::string_view text) {
  return std::ranges::find(list, text) != list.end();
}

std::string identity(const McpServerSettings& server) { return content_hash(server.entry); }

}  // namespace

bool McpServerPattern::covers(const McpServerSettings& server) const {
  if (!name.empty()) return name == server.name;
  if (!command.empty()) {
    std::vector<std::string> words{server.command};
    words.insert(words.end(), server.args.begin(), server.args.end());
    return server.kind == McpKind::stdio && words == command;
  }
  if (server.kind != McpKind::http && server.kind != McpKind::sse) return false;
  const auto address = parse_web_url(server.url);  // as it will be dialled
  return address && fits_address(with_lower_host(url), address->text());
}

McpPolicy read_mcp_policy(const std::vector<LoadedFile>& files, bool trusted) {
  McpPolicy out;
  const bool managed_only = std::ranges::any_of(files, [](const LoadedFile& file) {
    return file.file.source == SettingSource::managed &&
           find_bool(file.json, "allowManagedMcpServersOnly").value_or(false);
  });
  for (const LoadedFile& file : files) {
    const bool is_project = file.file.source == SettingSource::project;
    const bool is_folder = is_project || file.file.source == SettingSource::local;
    const bool may_allow = file.file.source == SettingSource::managed || !managed_only;
    if (const Json* denied = find(file.json, "deniedMcpServers"); denied && !read_patterns(*denied, out.denied)) {
      out.has_allowed = true;  // what is denied is not known: nothing is allowed that is not allowed explicitly
    }
    if (const Json* allowed = find(file.json, "allowedMcpServers"); allowed && may_allow && !is_project) {
      out.has_allowed = true;
      read_patterns(*allowed, out.allowed);
    }
    add_names(file.json, "disabledMcpjsonServers", out.disabled_project_servers);
    if (is_project || (is_folder && !trusted)) continue;
    if (find_bool(file.json, "enableAllProjectMcpServers").value_or(false)) out.enable_all_project_servers = true;
    add_names(file.json, "enabledMcpjsonServers", out.enabled_project_servers);
  }
  if (managed_only) out.has_allowed = true;
  return out;
}

std::string McpApprovals::default_file() {
  const char* state = std::getenv("XDG_STATE_HOME");
  if (state && *state == '/') return std::string(state) + "/deft/mcp-approvals.json";
  const char* home = std::getenv("HOME");
  return home && *home == '/' ? std::string(home) + "/.local/state/deft/mcp-approvals.json" : "";
}

Json McpApprovals::read() const {
  const auto text = read_whole_file(file_, kApprovalsBytesMax);
  auto json = parse_json(text ? *text : "");
  return json ? *std::move(json) : Json(JsonObject{});
}

bool McpApprovals::has(const std::string& folder, const McpServerSettings& server) const {
  const Json json = read();
  const Json* servers = find(json, folder);
  return servers != nullptr && find_string(*servers, server.name) == identity(server);
}

bool McpApprovals::had(const std::string& folder, const McpServerSettings& server) const {
  const Json json = read();
  const Json* servers = find(json, folder);
  const auto known = servers == nullptr ? std::nullopt : find_string(*servers, server.name);
  return known && *known != identity(server);
}

Result<void> McpApprovals::add(const std::string& folder, const McpServerSettings& server) const {
  if (file_.empty()) return fail(Errc::not_found, "there is no home folder to keep the approval in");
  return change_file_(file_, [&](const std::string& text) -> Result<std::string> {
    auto json = text.empty() ? Result<Json>(JsonObject{}) : parse_json(text);
    if (!json || !json->is_object()) return fail(Errc::invalid_json, file_ + " cannot be read; remove it");
    Json& servers = json->get_object()[folder];
    if (!servers.is_object()) servers = JsonObject{};
    servers.get_object()[server.name] = identity(server);
    return to_json(*json) + "\n";
  });
}

Result<void> McpApprovals::remove_all(const std::string& folder) const {
  return change_file_(file_, [&](const std::string& text) -> Result<std::string> {
    auto json = text.empty() ? Result<Json>(JsonObject{}) : parse_json(text);
    if (!json || !json->is_object()) return fail(Errc::invalid_json, file_ + " cannot be read; remove it");
    json->get_object().erase(folder);
    return to_json(*json) + "\n";
  });
}

McpAdmitted admit(const McpServerSettings& server, const McpPolicy& policy, const McpApprovals& approvals,
                  const std::string& folder, bool trusted, const VariableLookup& lookup) {
  McpServerSettings started = server;
  expand_variables(started, lookup);
  const auto covers = [&](const McpServerPattern& pattern) { return pattern.covers(started); };
  if (std::ranges::any_of(policy.denied, covers)) return {McpAdmission::denied, "deniedMcpServers forbids it"};
  const bool is_odd = (started.kind == McpKind::http || started.kind == McpKind::sse) && !parse_web_url(started.url);
  const auto names_address = [](const McpServerPattern& pattern) { return !pattern.url.empty(); };
  if (is_odd && std::ranges::any_of(policy.denied, names_address)) {
    return {McpAdmission::denied, "its address cannot be compared with deniedMcpServers"};
  }
  if (policy.has_allowed && server.scope != McpScope::managed && std::ranges::none_of(policy.allowed, covers)) {
    return {McpAdmission::denied, "it is not among allowedMcpServers"};
  }
  if (server.scope != McpScope::project) return {};
  if (contains(policy.disabled_project_servers, server.name)) {
    return {McpAdmission::disabled, "disabledMcpjsonServers turns it off"};
  }
  if (!trusted) {
    return {McpAdmission::needs_trust,
            "this folder is not trusted: run `deft trust`, then `deft mcp approve " + server.name + "`"};
  }
  if (policy.enable_all_project_servers || contains(policy.enabled_project_servers, server.name)) return {};
  if (approvals.has(folder, server)) return {};
  const bool changed = approvals.had(folder, server);
  return {McpAdmission::needs_approval,
          std::string(changed ? "it has changed since it was approved" : "it comes from the project") +
              ": look at `deft mcp get " + server.name + "`, then run `deft mcp approve " + server.name + "`"};
}

}  // namespace deft
