#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "deft/base/clock.h"
#include "deft/base/result.h"
#include "deft/base/web_socket.h"
#include "deft/os/http_network.h"

// A WebSocket that is listened to: messages come in, nothing is sent but what the protocol asks for (answers to pings,
// the close).

namespace deft {

struct WebSocketPlace {
  WebUrl url;           // http for ws, https for wss
  std::string address;  // of its host, which was checked: this one is dialled, and no other
  std::vector<std::string> protocols{};
};

class WebSocketLink {
 public:
  virtual ~WebSocketLink() = default;  // says goodbye if that can be done at once
  // The next text, binary or close message; of a close that is the last. Waits for it; error `timeout` at the deadline,
  // `cancelled` on a stop, `io` where the connection broke, `failed` where the server broke the protocol.
  virtual Result<SocketMessage> next(std::optional<TimePoint> deadline, std::stop_token stop) = 0;
};

using OpenWebSocket =
    std::function<Result<std::unique_ptr<WebSocketLink>>(const WebSocketPlace& place, std::stop_token stop)>;

// Connects, by TLS where the URL says https, and shakes hands; blocks for 20 seconds at most. To be called, like all
// of the link, on a thread that gets no signals. No proxy is used.
Result<std::unique_ptr<WebSocketLink>> open_web_socket(const WebSocketPlace& place, const HttpNetwork& network,
                                                       std::stop_token stop);

}  // namespace deft
