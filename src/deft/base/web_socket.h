#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "deft/base/result.h"
#include "deft/base/url.h"

// WebSocket (RFC 6455) as a client speaks it, without extensions. Pure: bytes in, messages out; what goes to the wire
// is returned as text. Strict: whoever breaks the protocol is not listened to any more.

namespace deft {

inline constexpr std::size_t kSocketHeadBytesMax = std::size_t{64} << 10;
inline constexpr std::size_t kSocketMessageBytesMax = std::size_t{1} << 20;
inline constexpr std::size_t kSocketProtocolsMax = 20;

// Names of subprotocols become a header: each must be a token, and named once.
Result<void> check_socket_protocols(const std::vector<std::string>& protocols);

// The request that opens the connection; `key` is 16 random bytes in base64. `url` is http or https.
std::string socket_request(const WebUrl& url, const std::vector<std::string>& protocols, std::string_view key);
// Whether `head`, up to and with its empty line, agrees to it.
Result<void> check_socket_answer(std::string_view head, const std::vector<std::string>& protocols,
                                 std::string_view key);

enum class SocketOpcode : std::uint8_t {
  continuation = 0,
  text = 1,
  binary = 2,
  close = 8,
  ping = 9,
  pong = 10,
};
// A frame as a client sends it: whole, and hidden by the mask. Control frames only, so at most 125 bytes.
std::string socket_frame(SocketOpcode opcode, std::string_view payload, std::array<unsigned char, 4> mask);
// What a close frame holds.
std::string socket_close_payload(std::uint16_t code);

struct SocketMessage {
  SocketOpcode opcode = SocketOpcode::text;  // text, binary, close, ping or pong
  std::string payload;                       // a text is valid UTF-8
  // Of a close: 1005 where it says no code.
  std::uint16_t close_code = 0;
};

// Turns what a server sends into messages: feed() bytes as they come, take() until there is nothing.
class SocketReader {
 public:
  explicit SocketReader(std::size_t message_bytes_max = kSocketMessageBytesMax) : bytes_max_(message_bytes_max) {}

  void feed(std::string_view bytes) { unread_.append(bytes); }
  // Nothing: more bytes are needed. After an error there is no more.
  Result<std::optional<SocketMessage>> take();
  // What to say to the server on closing after an error: 1002, 1007 or 1009.
  std::uint16_t fault_code() const { return fault_code_; }

 private:
  struct Frame {
    bool is_last = false;
    SocketOpcode opcode = SocketOpcode::text;
    std::string payload;
  };
  Result<std::optional<Frame>> take_frame();
  std::unexpected<Error> refuse(std::uint16_t code, std::string why);
  Result<std::optional<SocketMessage>> take_control(Frame frame);

  const std::size_t bytes_max_;
  std::string unread_;
  std::optional<SocketMessage> message_;  // whose last part has not come
  std::uint16_t fault_code_ = 0;
};

}  // namespace deft
