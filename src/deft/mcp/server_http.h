#pragma once

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "deft/base/clock.h"
#include "deft/base/http_guard.h"
#include "deft/mcp/server.h"
#include "deft/mcp/server_batch.h"
#include "deft/mcp/server_streams.h"
#include "deft/os/http_server.h"

namespace deft {

inline constexpr std::size_t kMcpSessionsMax = 200;
inline constexpr Duration kMcpSessionIdleMax = std::chrono::hours(2);
inline constexpr Duration kMcpKeepAliveInterval = std::chrono::seconds(15);

// The HTTP transport of a server, for both eras: POST for messages, GET for what the server says by itself and to come
// back to a stream, DELETE to end a session. Requests of the modern era need no session.
class McpHttpEndpoint {
 public:
  struct Options {
    std::string path = "/mcp";
    Duration keep_alive = kMcpKeepAliveInterval;
    Duration session_idle_max = kMcpSessionIdleMax;
  };
  // `clock` and `service` outlive it.
  McpHttpEndpoint(McpService& service, HttpGuard guard, const Clock& clock, Options options);
  McpHttpEndpoint(McpService& service, HttpGuard guard, const Clock& clock);
  ~McpHttpEndpoint();  // ends all sessions

  void serve(ReadRequest request, std::shared_ptr<HttpAnswer> answer);  // HttpHandler
  // HttpTakesBody: whoever is not let in is told so before they have sent anything.
  bool takes_body(const ReadRequest& head) const { return !guard_.refusal(head); }
  void announce(const McpChange& change);
  std::size_t sessions() const;

 private:
  struct Client {
    std::shared_ptr<McpClientSession> session;
    std::shared_ptr<McpStreams> streams;
    std::uint64_t general_stream = 0;  // 0: none
    TimePoint used{};
  };
  class PostOutlet;
  class GeneralOutlet;

  void post(const ReadRequest& request, const std::shared_ptr<HttpAnswer>& answer);
  void post_modern(const ReadRequest& request, RpcMessage message, const std::shared_ptr<HttpAnswer>& answer);
  void post_batch(const ReadRequest& request, McpReceived batch, const std::shared_ptr<HttpAnswer>& answer);
  void post_legacy(const ReadRequest& request, RpcMessage message, const std::shared_ptr<HttpAnswer>& answer);
  void get(const ReadRequest& request, const std::shared_ptr<HttpAnswer>& answer);
  void remove(const ReadRequest& request, const std::shared_ptr<HttpAnswer>& answer);
  std::optional<Client> begin_session();
  std::optional<Client> find_client(const ReadRequest& request, const std::shared_ptr<HttpAnswer>& answer);
  std::optional<RpcError> header_fault(const ReadRequest& request, const RpcRequest& message) const;
  void keep_alive(const std::stop_token& stop);
  void end_idle_sessions();

  McpService& service_;
  const HttpGuard guard_;
  const Clock& clock_;
  const Options options_;
  mutable std::mutex mutex_;
  std::map<std::string, Client, std::less<>> clients_;      // under mutex_; by session id
  std::vector<std::weak_ptr<McpClientSession>> passing_;    // under mutex_; of requests without a session
  std::vector<std::weak_ptr<McpClientSession>> listeners_;  // under mutex_; those of them that want to hear of changes
  std::vector<std::weak_ptr<PostOutlet>> outlets_;          // under mutex_; of requests without a session
  std::condition_variable_any stopped_;
  std::jthread ticker_;  // last: it uses all the others
};

// "=?base64?…?=" is decoded; nothing: it is not well-formed.
std::optional<std::string> decoded_header(std::string_view value);

}  // namespace deft
