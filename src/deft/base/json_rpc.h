#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "deft/base/json.h"

// The messages of JSON-RPC 2.0, as values: what MCP and language servers speak. Pure; how bytes become messages (lines,
// headers, events) is the business of those who carry them.

namespace deft {

inline constexpr std::size_t kRpcIdBytesMax = 1024;
inline constexpr std::size_t kRpcMethodBytesMax = 1024;
// What the other side says of its own failure is shown to people: a longer message is cut.
inline constexpr std::size_t kRpcErrorMessageBytesMax = std::size_t{64} << 10;

inline constexpr std::int64_t kRpcParseError = -32700;
inline constexpr std::int64_t kRpcInvalidRequest = -32600;
inline constexpr std::int64_t kRpcMethodNotFound = -32601;
inline constexpr std::int64_t kRpcInvalidParams = -32602;
inline constexpr std::int64_t kRpcInternalError = -32603;

// What a request is answered by. The integer 1 and the text "1" are two.
class RpcId {
 public:
  RpcId(std::int64_t number) : value_(number) {}
  RpcId(std::string text) : value_(std::move(text)) {}

  Json json() const;
  std::string shown() const { return to_json(json()); }  // for people
  auto operator<=>(const RpcId&) const = default;

 private:
  std::variant<std::int64_t, std::string> value_;
};

struct RpcError {
  std::int64_t code = kRpcInternalError;
  std::string message{};
  std::optional<Json> data{};
};

struct RpcRequest {
  RpcId id;
  std::string method;
  std::optional<Json> params{};  // an object or an array
};

struct RpcNotification {
  std::string method;
  std::optional<Json> params{};
};

struct RpcResponse {
  std::optional<RpcId> id;  // nothing only beside an error: the other side could not read what we sent
  std::expected<Json, RpcError> outcome;
};

using RpcMessage = std::variant<RpcRequest, RpcNotification, RpcResponse>;

// Why a text is no message, as the one who sent it is to be told. `id` is that of the request it was meant to be, if
// that much could be read.
struct RpcFault {
  std::int64_t code = kRpcInvalidRequest;
  std::string message{};
  std::optional<RpcId> id{};
};

// One message. Refused are texts that are no JSON by parse_json() (also duplicate keys, too deep, too long), batches,
// ids that are neither a string nor an integer, and what could be read in two ways: a response that has both a result
// and an error, a request that has either.
std::expected<RpcMessage, RpcFault> parse_rpc(std::string_view text, const JsonLimits& limits = {});
// The same of a value: for messages inside of others, and for those who take batches.
std::expected<RpcMessage, RpcFault> read_rpc(Json value);

// Compact, in one line.
std::string to_text(const RpcRequest& request);
std::string to_text(const RpcNotification& notification);
std::string to_text(const RpcResponse& response);
std::string to_text(const RpcMessage& message);
// As values: for messages inside of others.
Json to_value(const RpcMessage& message);

RpcResponse rpc_answer(RpcId id, Json result);
RpcResponse rpc_failure(std::optional<RpcId> id, std::int64_t code, std::string message,
                        std::optional<Json> data = std::nullopt);

}  // namespace deft
