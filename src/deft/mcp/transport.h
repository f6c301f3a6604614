#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "deft/base/clock.h"
#include "deft/base/json_rpc.h"
#include "deft/base/result.h"
#include "deft/os/http_client.h"

// How messages reach an MCP server and come back. One kind of server process or web address, one transport; what the
// messages mean is the client's business (mcp/client.h).

namespace deft {

// One message of a server, in whatever it is wrapped. A server that sends more is ended.
inline constexpr std::size_t kMcpMessageBytesMax = std::size_t{64} << 20;
// What waits here because a server does not read its input. More is refused, never waited for.
inline constexpr std::size_t kMcpUnsentBytesMax = std::size_t{64} << 20;
// Texts of a server that are no messages, in a row of messages and such texts. More: it does not speak MCP.
inline constexpr std::size_t kMcpGarbledMax = 1000;

// Why a request got no result. `not_processed`: certainly, so it may be sent again; otherwise nobody knows what the
// server did of it, and nobody sends it twice.
struct McpFailure {
  Errc code = Errc::io;
  std::string message{};
  std::optional<RpcError> rpc{};  // what the server said
  int http_status = 0;            // 0: it does not come from HTTP
  bool not_processed = false;
  bool session_over = false;  // the server has forgotten us: begin anew
};

// What a transport tells, on threads of its own; several at once. Every function returns soon.
class McpReceiver {
 public:
  virtual ~McpReceiver() = default;
  virtual void received(RpcMessage message) = 0;
  virtual void garbled(std::string why) = 0;  // a text that is no message: not more than a note
  // No answer to this request will come.
  virtual void lost(const RpcId& request, McpFailure failure) = 0;
  // It is over: no message goes or comes any more. At most once, and not after close().
  virtual void closed(Error why) = 0;
};

class McpTransport {
 public:
  virtual ~McpTransport() = default;

  // Starts the program, or does nothing where the first message opens the way. The receiver is kept until close().
  virtual Result<void> start(std::shared_ptr<McpReceiver> receiver, std::stop_token stop) = 0;
  // Takes the message and returns at once; in this order, as far as the server can tell. What becomes of a request is
  // told by received() or lost(). `headers` are for those who have headers.
  virtual void send(RpcMessage message, HttpHeaders headers = {}) = 0;
  // Nobody waits for the answer to this request any more.
  virtual void forget(const RpcId& request) = 0;
  // Both sides have agreed on this revision.
  virtual void agreed(std::string_view /*version*/, bool /*modern*/) {}
  // The handshake is over: whatever the server says by itself can be heard from now on.
  virtual void listen() {}
  // Ends it politely, within a few seconds; nothing is told any more.
  virtual void close() = 0;

  // Messages arrive over a network.
  virtual bool is_remote() const { return false; }
  // What the server last wrote for people: for those who look for what is wrong. May be empty.
  virtual std::string last_words() const { return {}; }
};

// Reads a text of a server, which is a message or, in revision 2025-03-26, a list of them, and hands on what it holds.
void hand_on(std::string_view text, McpReceiver& receiver);

}  // namespace deft
