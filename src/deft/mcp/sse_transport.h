#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "deft/mcp/authorizer.h"
#include "deft/mcp/http_exchange.h"
#include "deft/mcp/http_transport.h"
#include "deft/mcp/transport.h"

namespace deft {

// How long the server may take to name the address for our messages.
inline constexpr Duration kMcpEndpointWait = std::chrono::seconds(30);

// The transport of revision 2024-11-05: one stream of events brings everything that the server says, beginning with the
// address to which our messages are posted. A stream that breaks is over; the session begins anew.
class SseTransport final : public McpTransport {
 public:
  SseTransport(HttpClient& http, const Clock& clock, HttpTransport::Options options);
  ~SseTransport() override;

  // Returns when the server has named its address.
  Result<void> start(std::shared_ptr<McpReceiver> receiver, std::stop_token stop) override;
  void send(RpcMessage message, HttpHeaders headers = {}) override;
  void forget(const RpcId&) override {}
  void agreed(std::string_view version, bool modern) override;
  void close() override;
  bool is_remote() const override { return true; }

 private:
  struct Outgoing {
    std::string text;
    std::optional<RpcId> request;
  };

  void read(const std::stop_token& stop);
  Result<void> read_stream(const std::stop_token& stop);
  Result<void> take_endpoint(std::string_view link);
  void post_all(const std::stop_token& stop);
  std::optional<McpFailure> post(const std::string& message, const std::stop_token& stop);
  Result<HttpRequest> make_request(std::string method, std::string url, HttpHeaders& identity,
                                   const std::stop_token& stop) const;
  std::shared_ptr<McpReceiver> receiver() const;

  HttpClient& http_;
  const Clock& clock_;
  const HttpTransport::Options options_;

  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::shared_ptr<McpReceiver> receiver_;  // this and all below under mutex_
  std::string version_;
  std::string endpoint_;
  std::optional<Error> broken_;
  std::deque<Outgoing> outbox_;
  std::size_t outbox_bytes_ = 0;
  std::jthread reader_;
  std::jthread writer_;
};

}  // namespace deft
