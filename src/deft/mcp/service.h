#pragma once

#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "deft/base/json.h"
#include "deft/base/json_rpc.h"

// The seam between the protocol of MCP servers and what a server has to offer.

namespace deft {

inline constexpr std::string_view kMcpServedModern = "2026-07-28";
inline constexpr std::string_view kMcpServedLegacy = "2025-11-25";  // the newest with a handshake

inline constexpr std::int64_t kMcpResourceNotFound = -32002;  // with a handshake; else kRpcInvalidParams
inline constexpr std::int64_t kMcpHeaderMismatch = -32020;
inline constexpr std::int64_t kMcpMissingCapability = -32021;
inline constexpr std::int64_t kMcpUnsupportedVersion = -32022;

enum class McpEra : std::uint8_t {
  legacy,  // a handshake, then a session
  modern,  // every request stands for itself
};

// Who sends a request.
struct McpRequester {
  McpEra era = McpEra::legacy;
  std::string version;
  Json capabilities = JsonObject();  // the client's
  Json info;                         // the client's name and version; null: not said
  std::string session;               // the same for all requests of a session; empty: it has none
};

// One request, to be answered once: from any thread, now or later. What is said after that is dropped.
class McpServed {
 public:
  virtual ~McpServed() = default;
  virtual const McpRequester& caller() const = 0;
  virtual const std::string& method() const = 0;
  virtual const Json& params() const = 0;  // an object
  // Requested: the client takes its request back, or has gone. It need not be answered then.
  virtual std::stop_token stop() const = 0;

  virtual void answer(JsonObject result) = 0;
  virtual void fail(RpcError error) = 0;

  // Meanwhile, to the client: if it asked for progress; if it wants to hear of things that important.
  virtual void progress(double done, std::optional<double> total, std::string_view message) = 0;
  virtual void log(std::string_view level, std::string_view logger, Json data) = 0;
  // A request to the client (sampling, elicitation, roots), with a handshake only. `told` comes once, on any thread.
  using Told = std::function<void(std::expected<Json, RpcError>)>;
  virtual void ask(std::string method, Json params, Told told) = 0;
  // Lets the connection go for now: the client comes back for the rest. Only where the transport can.
  virtual void let_go() = 0;
};

struct McpServerFace {
  JsonObject info;          // name, version, title …
  JsonObject capabilities;  // tools, resources, prompts, completions, logging, extensions
  std::string instructions = {};
};

// What a server offers. Called from any thread; returns at once.
class McpService {
 public:
  virtual ~McpService() = default;
  virtual McpServerFace face(McpEra era) const = 0;
  // tools/…, resources/…, prompts/…, completion/…: all that is not about the connection itself.
  virtual void handle(std::shared_ptr<McpServed> request) = 0;
  // The input schema of a tool; null: none. Its x-mcp-header marks name arguments that stand in headers too.
  virtual std::optional<Json> input_schema(std::string_view tool) const = 0;
  virtual void session_ended(const std::string& session) = 0;
};

// What has changed in what a server offers.
struct McpChange {
  enum class What : std::uint8_t { tools, prompts, resources, resource } what = What::tools;
  std::string uri = {};  // of one resource
};

}  // namespace deft
