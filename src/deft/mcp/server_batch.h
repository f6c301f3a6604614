#pragma once

#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "deft/mcp/server.h"

// Several messages in one: JSON-RPC's batches, which MCP had up to revision 2025-03-26.

namespace deft {

inline constexpr std::size_t kMcpBatchMessagesMax = 1'000;

// What a client sent: one message, or several.
struct McpReceived {
  using Message = std::expected<RpcMessage, RpcFault>;
  std::vector<Message> messages;
  bool is_batch = false;

  std::size_t answers() const;  // that the client expects: to its requests, and to what is no message
};

// An error: it is neither a message nor a list of some.
std::expected<McpReceived, RpcFault> read_mcp_messages(std::string_view text);

// Why a client of this revision may not send this batch; nothing: it may. Empty: there was no handshake yet.
std::optional<RpcError> batch_fault(const McpReceived& batch, std::string_view version);

// Hands the messages of a batch to the session. `streams`: each answer goes out as soon as it is there, and `outlet` is
// abandoned behind the last; otherwise they are one list, in the order in which they came about.
void take_batch(McpReceived batch, McpClientSession& session, const std::shared_ptr<McpOutlet>& outlet, bool streams);

}  // namespace deft
