#include "deft/mcp/memory.h"

#include <cstdlib>

#include "deft/base/whole_file.h"
#include "deft/os/change_file.h"

namespace deft {
namespace {

constexpr std::size_t kFileBytesMax = std::size_t{16} << 20;

}  // namespace

std::string McpMemory::default_file() {
  const char* state = std::getenv("XDG_STATE_HOME");
  if (state && *state == '/') return std::string(state) + "/deft/mcp-servers.json";
  const char* home = std::getenv("HOME");
  return home && *home == '/' ? std::string(home) + "/.local/state/deft/mcp-servers.json" : "";
}

void McpMemory::read() const {
  if (is_read_) return;
  is_read_ = true;
  if (file_.empty()) return;
  const auto text = read_whole_file(file_, kFileBytesMax);
  const auto json = parse_json(text ? *text : "", {.bytes_max = kFileBytesMax});
  if (!json || !json->is_object()) return;
  for (const auto& [name, entry] : json->get_object()) {
    Known known{.protocol = std::string(find_string(entry, "protocol").value_or(""))};
    if (const JsonObject* tools = find_object(entry, "tools")) {
      for (const auto& [tool, identity] : *tools) {
        if (identity.is_string())
          known.tools.emplace(std::string(tool.data(), tool.size()), view(identity.get_string()));
      }
    }
    known_.insert_or_assign(std::string(name.data(), name.size()), std::move(known));
  }
}

const McpMemory::Known* McpMemory::find_known(const std::string& server) const {
  read();
  const auto found = known_.find(server);
  return found == known_.end() ? nullptr : &found->second;
}

std::string McpMemory::protocol(const std::string& server) const {
  const std::lock_guard lock(mutex_);
  const Known* known = find_known(server);
  return known == nullptr ? std::string() : known->protocol;
}

std::optional<std::string> McpMemory::tool(const std::string& server, const std::string& tool) const {
  const std::lock_guard lock(mutex_);
  const Known* known = find_known(server);
  if (known == nullptr) return std::nullopt;
  const auto found = known->tools.find(tool);
  return found == known->tools.end() ? std::nullopt : std::optional(found->second);
}

void McpMemory::keep_protocol(const std::string& server, const std::string& protocol) {
  const std::lock_guard lock(mutex_);
  const Known* known = find_known(server);
  if (known != nullptr && known->protocol == protocol) return;
  known_[server].protocol = protocol;
  write(server);
}

void McpMemory::keep_tool(const std::string& server, const std::string& tool, const std::string& identity) {
  const std::lock_guard lock(mutex_);
  read();
  std::string& kept = known_[server].tools[tool];
  if (kept == identity) return;
  kept = identity;
  write(server);
}

// Only this server's entry: another session may have written those of others. A memory that cannot be kept is none.
void McpMemory::write(const std::string& server) {
  if (file_.empty()) return;
  const Known& known = known_.at(server);
  JsonObject tools;
  for (const auto& [tool, identity] : known.tools) tools[tool] = identity;
  [[maybe_unused]] const auto written = change_file(file_, [&](const std::string& text) -> Result<std::string> {
    auto json = parse_json(text, {.bytes_max = kFileBytesMax});
    JsonObject servers = json && json->is_object() ? json->get_object() : JsonObject{};
    servers[server] = JsonObject{{"protocol", known.protocol}, {"tools", std::move(tools)}};
    return to_json(servers) + "\n";
  });
}

}  // namespace deft
