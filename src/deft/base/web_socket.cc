#include "deft/base/web_socket.h"

#include <algorithm>
#include <charconv>

#include "deft/base/base64.h"
#include "deft/base/sha1.h"
#include "deft/base/text.h"
#include "deft/base/utf8.h"

namespace deft {
namespace {

constexpr std::string_view kAcceptSuffix = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
constexpr std::size_t kControlBytesMax = 125;
constexpr std::uint16_t kProtocolError = 1002;
constexpr std::uint16_t kNoCode = 1005;
constexpr std::uint16_t kBrokenText = 1007;
constexpr std::uint16_t kTooLarge = 1009;

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
bool is_same(std::string_view a, std::string_view b) { return std::ranges::equal(a, b, {}, lower, lower); }

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ') || text.starts_with('\t')) text.remove_prefix(1);
  while (text.ends_with(' ') || text.ends_with('\t') || text.ends_with('\r')) text.remove_suffix(1);
  return text;
}

bool is_token(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return c > 0x20 && c < 0x7F && std::string_view("()<>@,;:\\\"/[]?={}").find(c) == std::string_view::npos;
  });
}

// Whether one of the words of a list is this one: "keep-alive, Upgrade".
bool has_word(std::string_view list, std::string_view word) {
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    if (is_same(trimmed(list.substr(0, comma)), word)) return true;
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return false;
}

struct Answer {
  int status = 0;
  std::vector<std::pair<std::string_view, std::string_view>> headers;

  // All of that name, with commas between.
  std::optional<std::string> all(std::string_view name) const {
    std::optional<std::string> joined;
    for (const auto& [key, value] : headers) {
      if (!is_same(key, name)) continue;
      joined = joined ? *joined + "," + std::string(value) : std::string(value);
    }
    return joined;
  }
};

std::optional<Answer> parse_answer(std::string_view head) {
  Answer answer;
  bool is_first = true;
  while (!head.empty()) {
    const std::size_t end = std::min(head.find('\n'), head.size());
    const std::string_view line = trimmed(head.substr(0, end));
    head.remove_prefix(std::min(end + 1, head.size()));
    if (is_first) {
      if (!line.starts_with("HTTP/1.1 ") && !line.starts_with("HTTP/1.0 ")) return std::nullopt;
      const std::string_view code = line.substr(9, 3);
      const auto [stopped, error] = std::from_chars(code.data(), code.data() + code.size(), answer.status);
      if (error != std::errc() || stopped != code.data() + 3) return std::nullopt;
      is_first = false;
      continue;
    }
    const std::size_t colon = line.find(':');
    if (colon != std::string_view::npos) {
      answer.headers.emplace_back(line.substr(0, colon), trimmed(line.substr(colon + 1)));
    }
  }
  return is_first ? std::nullopt : std::optional(std::move(answer));
}

bool is_control(SocketOpcode opcode) { return static_cast<unsigned>(opcode) >= 8; }

bool is_close_code(std::uint16_t code) {
  if (code >= 3000 && code < 5000) return true;
  return code >= 1000 && code <= 1014 && code != 1004 && code != kNoCode && code != 1006;
}

}  // namespace

Result<void> check_socket_protocols(const std::vector<std::string>& protocols) {
  if (protocols.size() > kSocketProtocolsMax) {
    return fail(Errc::limit, "At most " + std::to_string(kSocketProtocolsMax) + " protocols may be offered.");
  }
  for (auto one = protocols.begin(); one != protocols.end(); ++one) {
    if (!is_token(*one)) {
      return fail(Errc::invalid_input, "“" + one_line(*one, 100) + "” is no name of a protocol.");
    }
    if (std::find(protocols.begin(), one, *one) != one) {
      return fail(Errc::invalid_input, "The protocol " + *one + " is named twice.");
    }
  }
  return {};
}

std::string socket_request(const WebUrl& url, const std::vector<std::string>& protocols, std::string_view key) {
  std::string request = "GET " + url.path + url.query + " HTTP/1.1\r\nHost: " + url.authority() +
                        "\r\nUser-Agent: deft/" DEFT_VERSION
                        "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13"
                        "\r\nSec-WebSocket-Key: " +
                        std::string(key) + "\r\n";
  if (!protocols.empty()) request += "Sec-WebSocket-Protocol: " + join(protocols, ", ") + "\r\n";
  return request + "\r\n";
}

Result<void> check_socket_answer(std::string_view head, const std::vector<std::string>& protocols,
                                 std::string_view key) {
  const auto answer = parse_answer(head);
  if (!answer) return fail(Errc::failed, "What answered there is no HTTP server.");
  if (answer->status != 101) {
    const bool moved = answer->status >= 300 && answer->status < 400;
    const std::string to = moved ? answer->all("Location").value_or("") : "";
    return fail(Errc::failed, "The server answered HTTP " + std::to_string(answer->status) +
                                  " and opened no WebSocket there." +
                                  (to.empty() ? "" : " It names " + one_line(to, 200) + ", which is not followed."));
  }
  const bool agrees = has_word(answer->all("Upgrade").value_or(""), "websocket") &&
                      has_word(answer->all("Connection").value_or(""), "upgrade") &&
                      answer->all("Sec-WebSocket-Accept") == to_base64(sha1(std::string(key) += kAcceptSuffix));
  if (!agrees) return fail(Errc::failed, "The server does not answer as a WebSocket server does.");
  if (!answer->all("Sec-WebSocket-Extensions").value_or("").empty()) {
    return fail(Errc::failed, "The server uses an extension that was not offered.");
  }
  const auto chosen = answer->all("Sec-WebSocket-Protocol");
  if (chosen && std::ranges::find(protocols, *chosen) == protocols.end()) {
    return fail(Errc::failed, "The server chose a protocol that was not offered.");
  }
  return {};
}

std::string socket_frame(SocketOpcode opcode, std::string_view payload, std::array<unsigned char, 4> mask) {
  payload = payload.substr(0, kControlBytesMax);
  std::string frame;
  frame += static_cast<char>(0x80U | static_cast<unsigned>(opcode));
  frame += static_cast<char>(0x80U | payload.size());
  for (const unsigned char byte : mask) frame += static_cast<char>(byte);
  for (std::size_t i = 0; i < payload.size(); ++i) {
    frame += static_cast<char>(static_cast<unsigned char>(payload[i]) ^ mask[i % 4]);
  }
  return frame;
}

std::string socket_close_payload(std::uint16_t code) {
  std::string payload;
  payload += static_cast<char>(code >> 8 & 0xff);
  payload += static_cast<char>(code & 0xff);
  return payload;
}

std::unexpected<Error> SocketReader::refuse(std::uint16_t code, std::string why) {
  fault_code_ = code;
  std::string().swap(unread_);
  message_.reset();
  return fail(Errc::failed, std::move(why));
}

Result<std::optional<SocketReader::Frame>> SocketReader::take_frame() {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(unread_[at]); };
  if (unread_.size() < 2) return std::nullopt;
  const unsigned code = byte(0) & 15U;
  const bool is_known = code <= 2 || (code >= 8 && code <= 10);
  if ((byte(0) & 0x70U) != 0 || !is_known) return refuse(kProtocolError, "the server sent a frame of an unknown kind");
  if ((byte(1) & 0x80U) != 0) return refuse(kProtocolError, "the server sent a frame as only clients do");
  Frame frame{.is_last = (byte(0) & 0x80U) != 0, .opcode = static_cast<SocketOpcode>(code), .payload = {}};
  std::uint64_t length = byte(1) & 0x7FU;
  std::size_t header = 2;
  if (length >= 126) {
    const std::size_t bytes = length == 126 ? 2 : 8;
    header += bytes;
    if (unread_.size() < header) return std::nullopt;
    length = 0;
    for (std::size_t i = 2; i < header; ++i) length = length << 8 | byte(i);
  }
  if (is_control(frame.opcode) && (!frame.is_last || length > kControlBytesMax)) {
    return refuse(kProtocolError, "the server sent a control frame that is none");
  }
  const std::size_t so_far = message_ && !is_control(frame.opcode) ? message_->payload.size() : 0;
  if (length > bytes_max_ || so_far + length > bytes_max_) {
    return refuse(kTooLarge, "the server sent a message larger than " + human_bytes(bytes_max_));
  }
  const auto size = static_cast<std::size_t>(length);
  if (unread_.size() < header + size) return std::nullopt;
  frame.payload = unread_.substr(header, size);
  unread_.erase(0, header + size);
  return frame;
}

Result<std::optional<SocketMessage>> SocketReader::take_control(Frame frame) {
  SocketMessage message{.opcode = frame.opcode, .payload = std::move(frame.payload)};
  if (message.opcode != SocketOpcode::close) return message;
  message.close_code = kNoCode;
  if (message.payload.empty()) return message;
  if (message.payload.size() == 1) return refuse(kProtocolError, "the server closed with half a code");
  message.close_code = static_cast<std::uint16_t>(static_cast<unsigned char>(message.payload[0]) << 8 |
                                                  static_cast<unsigned char>(message.payload[1]));
  message.payload.erase(0, 2);
  if (!is_close_code(message.close_code)) return refuse(kProtocolError, "the server closed with a code that is none");
  if (!is_utf8(message.payload)) return refuse(kBrokenText, "the server sent text that is not UTF-8");
  return message;
}

Result<std::optional<SocketMessage>> SocketReader::take() {
  if (fault_code_ != 0) return fail(Errc::failed, "the server broke the protocol");
  while (true) {
    auto frame = take_frame();
    if (!frame) return std::unexpected(frame.error());
    if (!*frame) return std::nullopt;
    Frame& one = **frame;
    if (is_control(one.opcode)) return take_control(std::move(one));
    const bool goes_on = one.opcode == SocketOpcode::continuation;
    if (goes_on != message_.has_value()) return refuse(kProtocolError, "the server sent parts of messages in disorder");
    if (goes_on) {
      message_->payload += one.payload;
    } else {
      message_ = SocketMessage{.opcode = one.opcode, .payload = std::move(one.payload)};
    }
    if (!one.is_last) continue;
    std::optional<SocketMessage> whole = std::exchange(message_, std::nullopt);
    if (whole->opcode == SocketOpcode::text && !is_utf8(whole->payload)) {
      return refuse(kBrokenText, "the server sent text that is not UTF-8");
    }
    return whole;
  }
}

}  // namespace deft
