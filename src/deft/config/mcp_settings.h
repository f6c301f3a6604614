#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "deft/base/json.h"
#include "deft/base/result.h"
#include "deft/config/settings_files.h"

// Which MCP servers a session has: what the files say (FORMATS 6.5), and which of them count.

namespace deft {

inline constexpr std::size_t kMcpServersMax = 200;
inline constexpr std::size_t kMcpServerNameCharactersMax = 64;
inline constexpr std::int64_t kMcpTimeoutMillisecondsMin = 1000;

// Where a server is configured, the strongest first. Of one name the strongest counts, whole.
enum class McpScope : std::uint8_t { managed, command_line, local, project, user };
std::string_view to_string(McpScope scope);

enum class McpKind : std::uint8_t { stdio, http, sse, sdk };
std::string_view to_string(McpKind kind);

struct McpOauthSettings {
  std::string client_id{};
  std::string client_metadata_url{};
  std::optional<int> callback_port{};
  std::optional<std::string> scopes{};
  std::string server_metadata_url{};
  bool client_credentials = false;  // nobody logs in: the client's secret or key is enough
  std::string private_key_file{};   // PEM
  std::string signing_algorithm = "ES256";
  // An enterprise's identity provider that vouches for the user; empty: none.
  std::string enterprise_token_endpoint{};
  std::string enterprise_client_id{};
};

struct McpServerSettings {
  std::string name{};
  McpScope scope = McpScope::user;
  std::string file{};  // "--mcp-config" for what the command line gave as text
  McpKind kind = McpKind::stdio;
  std::string command{};
  std::vector<std::string> args{};
  std::vector<std::pair<std::string, std::string>> env{};
  std::string url{};
  std::vector<std::pair<std::string, std::string>> headers{};
  std::string headers_helper{};
  McpOauthSettings oauth{};
  std::optional<std::chrono::milliseconds> timeout{};  // of one call
  bool always_load = false;
  std::string entry{};  // as it stands in the file, compact: what is approved

  // The program and its arguments, or the address: for people.
  std::string shown() const;
};

// One entry of "mcpServers". The error says what is wrong with it.
Result<McpServerSettings> read_mcp_server(std::string_view name, const Json& entry);

// ${NAME} and ${NAME:-default} in everything that is a text of the user. What is not set stays as it is, and is said.
using VariableLookup = std::function<std::optional<std::string>(const std::string& name)>;
std::vector<std::string> expand_variables(McpServerSettings& server, const VariableLookup& lookup);

struct McpRequestedFiles {
  std::vector<std::string> configs{};  // --mcp-config: files, or JSON itself
  bool strict = false;                 // --strict-mcp-config: nothing but those
  WantedSources wanted{};
};

struct McpServersRead {
  std::vector<McpServerSettings> servers{};  // each name once, in the order of their strength and of the files
  std::vector<std::string> problems{};       // for people
  bool managed_only = false;                 // the administrator's file is there, and nothing else counts
};

// An error only for what the command line gave.
Result<McpServersRead> read_mcp_servers(const SettingsPlaces& places, const McpRequestedFiles& requested);

// Where `deft mcp add` writes a server of this scope: a file of deft's own, or the project's .mcp.json. The user's
// servers for one folder (scope local) stand in the user's own file, where no repository can put anything.
std::string mcp_settings_file(const SettingsPlaces& places, McpScope scope);
// The text of such a file with a server more (or another one in its place), or one less. `folder`: for that one only;
// empty: for everywhere.
Result<std::string> with_mcp_server(std::string_view text, std::string_view folder, std::string_view name,
                                    const Json& entry);
Result<std::string> without_mcp_server(std::string_view text, std::string_view folder, std::string_view name);

}  // namespace deft
