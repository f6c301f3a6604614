#include "deft/ui/mcp_serve_options.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <utility>

#include "deft/base/http_guard.h"
#include "deft/ui/lone_servers.h"

namespace deft {
namespace {

constexpr std::size_t kTokenCharactersMin = 32;
constexpr std::size_t kTokenCharactersMax = 4'096;

constexpr std::string_view kIntroduction =
    R"(Offers deft's tools to MCP clients: over standard input and output, or over HTTP.

Usage: deft mcp serve [OPTIONS]
)";

constexpr Flag kOwnFlags[] = {
    {.names = "--http",
     .takes = Flag::Takes::value,
     .value = "ADDRESS:PORT",
     .help = "Serve HTTP there instead, at the path /mcp; port 0 takes one that is free.",
     .group = "Who is served"},
    {.names = "--token-file",
     .takes = Flag::Takes::value,
     .value = "FILE",
     .help = "The token that clients must send (Authorization: Bearer)."},
    {.names = "--host",
     .takes = Flag::Takes::value,
     .value = "NAME",
     .help = "A name that clients may use for this server beside localhost; may be repeated."},
    {.names = "--ask",
     .takes = Flag::Takes::value,
     .value = "client",
     .help = "client: ask the client's user for permission (elicitation), if the client can."},
    {.names = "--proxy", .help = "Offer the tools of the configured MCP servers too."},
    {.names = "-h, --help", .help = "This text."},
};

constexpr std::string_view kMore = R"text(
Every call passes the same hooks and permissions as anywhere else in deft. Nobody is asked, unless with --ask client:
what would have to be asked for is denied, with a text that says how to allow it.

Over HTTP a token is needed: that of --token-file or DEFT_MCP_TOKEN, else a new one is printed at the start.

Examples:
  deft mcp serve                                       for a client that starts its servers itself
  deft mcp serve --http 127.0.0.1:7000                 for several at once, at http://127.0.0.1:7000/mcp
  deft mcp serve --permission-mode acceptEdits --settings '{"permissions":{"allow":["Bash(make *)"]}}'

docs/mcp-server.md tells more.
)text";

std::vector<Flag> all_flags() {
  std::vector<Flag> flags(std::begin(kOwnFlags), std::end(kOwnFlags));
  flags.insert(flags.end(), session_flags().begin(), session_flags().end());
  return flags;
}

Result<std::string> token_from(const std::string& file) {
  std::string token;
  if (!file.empty()) {
    std::ifstream in(file, std::ios::binary);
    if (!in) return fail(Errc::not_found, "--token-file: " + file + " cannot be read");
    token.resize(kTokenCharactersMax + 1);
    in.read(token.data(), static_cast<std::streamsize>(token.size()));
    token.resize(static_cast<std::size_t>(in.gcount()));
  } else if (const char* given = std::getenv("DEFT_MCP_TOKEN")) {
    token = given;
  } else {
    return std::string();
  }
  while (!token.empty() && (token.back() == '\n' || token.back() == '\r' || token.back() == ' ')) token.pop_back();
  const bool is_plain = std::ranges::all_of(token, [](char c) { return c > ' ' && c < 0x7F; });
  if (!is_plain || token.size() < kTokenCharactersMin || token.size() > kTokenCharactersMax) {
    return fail(Errc::invalid_input,
                "the token must be 32 to 4,096 visible ASCII characters; openssl rand -hex 32 makes one");
  }
  return token;
}

}  // namespace

Result<ListenAddress> parse_listen_address(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  std::string host = colon == std::string::npos ? "127.0.0.1" : text.substr(0, colon);
  const std::string port = colon == std::string::npos ? text : text.substr(colon + 1);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  if (host == "localhost" || host.empty()) host = "127.0.0.1";
  ListenAddress listen{.address = host};
  const char* end = port.data() + port.size();
  const auto read = std::from_chars(port.data(), end, listen.port);
  if (port.empty() || read.ec != std::errc() || read.ptr != end) {
    return fail(Errc::invalid_input, "--http needs ADDRESS:PORT, for example 127.0.0.1:7000");
  }
  return listen;
}

Result<std::variant<McpServeOptions, ShowText>> parse_mcp_serve_options(int argc, const char* const* argv) {
  const std::vector<Flag> table = all_flags();
  const auto flags = parse_flags(table, std::span(argv, static_cast<std::size_t>(argc)).subspan(1));
  if (!flags) return fail(flags.error().code, flags.error().message + "; see deft mcp serve --help");
  if (flags->has("--help")) return ShowText{std::string(kIntroduction) + flags_help(table) + std::string(kMore)};
  if (!flags->words().empty()) {
    return fail(Errc::invalid_input,
                "it takes no arguments such as " + json_quote(flags->words().front()) + "; see deft mcp serve --help");
  }
  McpServeOptions options{.names = flags->all("--host"), .proxy = flags->has("--proxy")};
  const std::string ask = flags->value("--ask").value_or("");
  if (!ask.empty() && ask != "client") {
    return fail(Errc::invalid_input, "--ask must be client, not " + json_quote(ask));
  }
  options.asks_client = ask == "client";
  if (options.proxy && std::getenv(kMcpProxyVariable)) {
    return fail(Errc::invalid_input, "--proxy: this server was started by a proxy, and would start itself for ever");
  }
  if (const std::string http = flags->value("--http").value_or(""); !http.empty()) {
    const auto listen = parse_listen_address(http);
    if (!listen) return std::unexpected(listen.error());
    options.over_http = true;
    options.address = listen->address;
    options.port = listen->port;
    auto token = token_from(flags->value("--token-file").value_or(""));
    if (!token) return std::unexpected(token.error());
    options.token = std::move(*token);
    if (!is_loopback_host(options.address)) options.names.push_back(options.address);
  }
  auto session = session_options(*flags);
  if (!session) return std::unexpected(session.error());
  options.session = std::move(*session);
  return options;
}

}  // namespace deft
