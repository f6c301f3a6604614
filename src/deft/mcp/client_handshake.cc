// How a client and its server come together: which era, which revision, which transport (FORMATS 7.2, 7.3).
#include <algorithm>
#include <array>
#include <utility>

#include "deft/base/utf8.h"
#include "deft/mcp/client.h"

namespace deft {
namespace {

constexpr std::array<std::string_view, 4> kLegacyVersions = {"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"};
constexpr std::int64_t kUnsupportedVersion = -32022;
constexpr std::size_t kServerNameCharacters = 100;

bool is_legacy_version(std::string_view version) {
  return std::ranges::find(kLegacyVersions, version) != kLegacyVersions.end();
}

bool holds(const JsonArray* list, std::string_view text) {
  if (list == nullptr) return false;
  return std::ranges::any_of(*list,
                             [&](const Json& item) { return item.is_string() && view(item.get_string()) == text; });
}

// Empty: none of the list.
std::string_view newest_legacy(const JsonArray* list) {
  std::string_view newest;
  for (const std::string_view version : kLegacyVersions) {
    if (holds(list, version)) newest = version;
  }
  return newest;
}

bool holds_legacy(const JsonArray* list) { return !newest_legacy(list).empty(); }

// Only servers of the modern era know these errors.
bool is_modern_error(const McpFailure& failure) {
  return failure.rpc && failure.rpc->code <= -32020 && failure.rpc->code >= -32022;
}

// Nobody answered at all: another era would not be answered either.
bool is_unreachable(const McpFailure& failure) {
  if (failure.rpc || failure.http_status != 0) return failure.http_status == 401 || failure.http_status == 403;
  return true;
}

McpFailure to_failure(const Error& error) {
  return {.code = error.code, .message = error.message, .not_processed = true};
}

}  // namespace

std::expected<void, McpFailure> McpClient::open_transport(bool old_sse, const std::stop_token& stop) {
  std::shared_ptr<McpTransport> old;
  {
    const std::lock_guard lock(mutex_);
    old = std::exchange(transport_, nullptr);
  }
  if (old) old->close();
  std::shared_ptr<McpTransport> made = options_.make_transport(old_sse);
  if (!made) return std::unexpected(to_failure({Errc::unsupported, "the server cannot be reached in another way"}));
  peer_->attach(made);
  {
    const std::lock_guard lock(mutex_);
    transport_ = made;
  }
  if (auto started = made->start(peer_, stop); !started) return std::unexpected(to_failure(started.error()));
  return {};
}

std::expected<void, McpFailure> McpClient::connect(std::stop_token stop) {
  if (auto opened = open_transport(false, stop); !opened) return opened;
  const bool remembers_legacy = is_legacy_version(options_.remembered_protocol);
  if (!remembers_legacy) {
    bool is_legacy = false;
    auto discovered = discover(stop, is_legacy);
    if (discovered) {
      listen_for_changes();
      return {};
    }
    if (!is_legacy) return discovered;
    // A program that could not bear the question gets a second life.
    if (peer_->end()) {
      if (auto opened = open_transport(false, stop); !opened) return opened;
    }
  }
  auto initialized = initialize_or_fall_back(stop);
  if (initialized || stop.stop_requested()) return initialized;
  // It may have become modern since, or have been too slow to say so.
  const McpFailure& failure = initialized.error();
  if (failure.rpc && !peer_->end()) {
    bool is_legacy = false;
    if (discover(stop, is_legacy)) {
      listen_for_changes();
      return {};
    }
  }
  return initialized;
}

std::expected<void, McpFailure> McpClient::discover(const std::stop_token& stop, bool& is_legacy) {
  std::shared_ptr<McpTransport> transport;
  {
    const std::lock_guard lock(mutex_);
    transport = transport_;
    facts_.modern = true;
    facts_.protocol = kMcpModernVersion;
  }
  transport->agreed(kMcpModernVersion, true);
  const bool remembers_modern = options_.remembered_protocol == kMcpModernVersion;
  const Duration wait = transport->is_remote() || remembers_modern
                            ? options_.connect_timeout
                            : std::min(kMcpDiscoverWait, options_.connect_timeout);
  McpFailure failure;
  for (int tries = 0; tries < 2; ++tries) {
    McpRequest request{.method = "server/discover", .timeout = wait, .tell_cancel = false};
    add_meta(request.params);
    auto outcome = peer_->request(std::move(request), stop);
    if (outcome) {
      const JsonArray* versions = find_array(*outcome, "supportedVersions");
      if (holds(versions, kMcpModernVersion)) {
        take_facts(*outcome, std::string(kMcpModernVersion), true);
        return {};
      }
      is_legacy = versions == nullptr || holds_legacy(versions);
      failure = {.code = Errc::unsupported, .message = "the server speaks no revision of MCP that deft speaks"};
      break;
    }
    failure = std::move(outcome.error());
    if (!is_modern_error(failure)) {
      is_legacy = !is_unreachable(failure) || (!transport->is_remote() && failure.code != Errc::cancelled);
      break;
    }
    const JsonArray* versions = failure.rpc->data ? find_array(*failure.rpc->data, "supported") : nullptr;
    // Only a list of revisions says what it does not speak.
    is_legacy = failure.rpc->code != kUnsupportedVersion || versions == nullptr || holds_legacy(versions);
    if (!holds(versions, kMcpModernVersion)) break;
  }
  const std::lock_guard lock(mutex_);
  facts_ = {};
  return std::unexpected(std::move(failure));
}

std::expected<void, McpFailure> McpClient::initialize(const std::stop_token& stop) {
  std::shared_ptr<McpTransport> transport;
  {
    const std::lock_guard lock(mutex_);
    transport = transport_;
  }
  transport->agreed("", false);
  const auto ask_for = [&](std::string_view version) {
    McpRequest request{.method = "initialize", .timeout = options_.connect_timeout, .tell_cancel = false};
    request.params = {{"protocolVersion", version},
                      {"capabilities", capabilities()},
                      {"clientInfo", {{"name", options_.client_name}, {"version", options_.client_version}}}};
    return peer_->request(std::move(request), stop);
  };
  auto outcome = ask_for(kMcpLegacyVersion);
  // Instead of answering with what they speak, some servers refuse and say what they would take.
  if (!outcome && outcome.error().rpc && outcome.error().rpc->data) {
    const auto other = newest_legacy(find_array(*outcome.error().rpc->data, "supported"));
    if (!other.empty() && other != kMcpLegacyVersion) outcome = ask_for(other);
  }
  if (!outcome) return std::unexpected(std::move(outcome.error()));
  const std::string version(find_string(*outcome, "protocolVersion").value_or(""));
  if (!is_legacy_version(version)) {
    return std::unexpected(McpFailure{.code = Errc::unsupported,
                                      .message = "the server speaks revision " +
                                                 json_quote(version.substr(0, kServerNameCharacters)) +
                                                 " of MCP, which deft does not speak"});
  }
  take_facts(*outcome, version, false);
  transport->agreed(version, false);
  peer_->notify("notifications/initialized");
  transport->listen();
  return {};
}

std::expected<void, McpFailure> McpClient::initialize_or_fall_back(const std::stop_token& stop) {
  auto initialized = initialize(stop);
  if (initialized) return initialized;
  const int status = initialized.error().http_status;
  if (status != 400 && status != 404 && status != 405) return initialized;
  if (!open_transport(true, stop) || !initialize(stop)) {
    // What was wrong with the first way is the better explanation; and the way that everything later goes.
    if (auto opened = open_transport(false, stop); !opened) return opened;
    return initialized;
  }
  const std::lock_guard lock(mutex_);
  facts_.old_sse = true;
  return {};
}

std::expected<void, McpFailure> McpClient::begin_anew(std::uint64_t old_session, const std::stop_token& stop) {
  const std::lock_guard only_one(beginning_);
  {
    const std::lock_guard lock(mutex_);
    if (session_number_ != old_session) return {};  // somebody else has done it
  }
  auto begun = initialize(stop);
  if (begun) remind(stop);
  return begun;
}

void McpClient::take_facts(const Json& result, std::string protocol, bool modern) {
  McpServerFacts facts{.protocol = std::move(protocol), .modern = modern};
  const Json* info = find(result, "serverInfo");
  if (info == nullptr) {
    const Json* meta = find(result, "_meta");
    info = meta == nullptr ? nullptr : find(*meta, "io.modelcontextprotocol/serverInfo");
  }
  if (info != nullptr) {
    facts.name = first_characters(find_string(*info, "name").value_or(""), kServerNameCharacters);
    facts.version = first_characters(find_string(*info, "version").value_or(""), kServerNameCharacters);
  }
  facts.instructions = utf8_prefix(find_string(result, "instructions").value_or(""), kMcpInstructionsBytesMax);
  if (const Json* offered = find(result, "capabilities"); offered != nullptr && offered->is_object()) {
    facts.capabilities = *offered;
  }
  const std::lock_guard lock(mutex_);
  facts.old_sse = facts_.old_sse;
  facts_ = std::move(facts);
  ++session_number_;
}

}  // namespace deft
