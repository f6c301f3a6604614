#pragma once

#include <condition_variable>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>

#include "deft/base/sse.h"
#include "deft/mcp/authorizer.h"
#include "deft/mcp/http_exchange.h"
#include "deft/mcp/transport.h"

namespace deft {

// Requests to one server that are under way at once; more are refused.
inline constexpr std::size_t kMcpHttpRequestsMax = 256;
// How often a stream that broke is taken up again before its request counts as lost; a stream that brought something
// since begins to count anew.
inline constexpr int kMcpResumesMax = 5;
// Between two such attempts, if the server names no time; doubled each time, up to the second one.
inline constexpr Duration kMcpResumeDelay = std::chrono::seconds(1);
inline constexpr Duration kMcpResumeDelayMax = std::chrono::seconds(30);
// What a server says of that time holds within these: one that closes each stream at once is asked ever more seldom.
inline constexpr Duration kMcpReopenMin = std::chrono::milliseconds(50);
inline constexpr Duration kMcpReopenMax = std::chrono::seconds(1);
// How long a server may take to say that it has a message that is no request.
inline constexpr Duration kMcpTakenTimeout = std::chrono::seconds(60);
inline constexpr int kMcpRefusalsMax = 3;  // of one request, by 401 or 403

// A server on the web, by the streamable HTTP transport of both eras (FORMATS 7.3): every message is a POST, answered
// by JSON or a stream of events. Up to 2025-11-25 there is a session, a stream of the server's own (GET), and a stream
// that breaks is taken up again where it ended; in 2026-07-28 there is none of that, and hanging up is cancelling.
class HttpTransport final : public McpTransport {
 public:
  struct Options {
    std::string url{};
    HttpHeaders headers{};                // of the user's configuration
    McpAuthorizer* authorizer = nullptr;  // outlives the transport; nothing: none
    Duration taken_timeout = kMcpTakenTimeout;
  };
  HttpTransport(HttpClient& http, const Clock& clock, Options options);
  ~HttpTransport() override;

  Result<void> start(std::shared_ptr<McpReceiver> receiver, std::stop_token stop) override;
  void send(RpcMessage message, HttpHeaders headers = {}) override;
  void forget(const RpcId& request) override;
  void agreed(std::string_view version, bool modern) override;
  void listen() override;
  void close() override;
  bool is_remote() const override { return true; }

 private:
  struct Work {
    std::optional<RpcId> request;
    std::jthread thread;
    bool done = false;
  };
  // What a stream of events has told so far of itself.
  struct StreamState {
    std::string last_id{};
    std::optional<Duration> retry{};
    bool answered = false;  // the response has come
  };

  void carry(const RpcMessage& message, const HttpHeaders& headers, std::uint64_t number, const std::stop_token& stop);
  std::optional<McpFailure> post(const RpcMessage& message, const HttpHeaders& headers, const std::stop_token& stop);
  std::optional<McpFailure> take_answer(HttpExchange& exchange, const HttpHead& head, const RpcRequest& request,
                                        const std::stop_token& stop);
  // Reads until the stream ends or breaks, or the response to `request` has come.
  Result<void> read_events(HttpExchange& exchange, const std::optional<RpcId>& request, StreamState& state,
                           const std::stop_token& stop);
  // A stream that ended before the response came, taken up again.
  std::optional<McpFailure> resume(const RpcRequest& request, StreamState& state, const std::stop_token& stop);
  void listen_until(const std::stop_token& stop);
  Result<HttpRequest> make_request(std::string method, HttpHeaders& identity, const std::stop_token& stop);
  HttpRequest request_by(const HttpHeaders& identity, std::string method) const;
  bool pause(Duration time, const std::stop_token& stop);
  void note_session(const HttpHead& head);
  McpFailure failed_status(HttpExchange& exchange, const HttpHead& head, const std::stop_token& stop);
  std::shared_ptr<McpReceiver> receiver() const;

  HttpClient& http_;
  const Clock& clock_;
  const Options options_;

  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::shared_ptr<McpReceiver> receiver_;  // this and all below under mutex_; null after close()
  HttpHeaders last_identity_;              // by which the last request said who we are
  std::string session_;
  std::string version_;
  bool modern_ = false;
  std::list<Work> work_;
  std::uint64_t taken_ = 0;  // messages, so far
  // Those that are not requests and not with the server yet: what was taken later waits for them.
  std::set<std::uint64_t> unsettled_;
  std::jthread listener_;
  bool is_listening_ = false;  // the listener has not given up
  std::uint64_t listens_ = 0;  // how often it was wanted, once for each session
};

}  // namespace deft
