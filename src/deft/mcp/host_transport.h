#pragma once

#include <functional>
#include <memory>
#include <mutex>

#include "deft/mcp/transport.h"

namespace deft {

// A server inside of the program that drives us: each message goes to it as a whole, and what it answers comes back by
// the same way (the control protocol's mcp_message).
class HostTransport final : public McpTransport {
 public:
  // Hands a message over and returns at once. What the server answers to a request, or why there is no answer, comes by
  // `then`, once, on any thread.
  using HandOver = std::function<void(Json message, std::function<void(Result<Json>)> then)>;
  explicit HostTransport(HandOver hand_over);
  ~HostTransport() override;

  Result<void> start(std::shared_ptr<McpReceiver> receiver, std::stop_token stop) override;
  void send(RpcMessage message, HttpHeaders headers = {}) override;
  void forget(const RpcId&) override {}
  void close() override;
  // Where the host delivers what its server says by itself; may be used as long as one likes, on any thread.
  std::function<void(Json message)> door() const;

 private:
  struct Shared;
  const HandOver hand_over_;
  const std::shared_ptr<Shared> shared_;  // also of answers that come later
};

}  // namespace deft
