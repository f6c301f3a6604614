#pragma once

#include <condition_variable>
#include <cstdint>
#include <expected>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

#include "deft/mcp/transport.h"

namespace deft {

// Requests of a server to us that are being answered; more are refused.
inline constexpr std::size_t kMcpServerRequestsMax = 16;
// Odd things that are said of one server; of a flood of them nobody wants to read more.
inline constexpr std::size_t kMcpNotesMax = 100;

struct McpRequest {
  std::string method{};
  JsonObject params{};
  HttpHeaders headers{};
  std::optional<Duration> timeout{};       // of the whole request
  std::optional<Duration> idle_timeout{};  // without any progress
  std::function<void(Json)> progress{};    // notifications/progress, as they come, on a thread of the transport
  // From open_progress(): progress goes there, also after the answer, and `progress` is not used.
  std::optional<std::int64_t> progress_token{};
  // The server is told when nobody waits any more. Not for the handshake, which cannot be cancelled.
  bool tell_cancel = true;
};

using McpOutcome = std::expected<Json, McpFailure>;

// Both ends of a conversation: what we ask is answered or fails, in time; what the server asks is answered on a thread
// of its own. Answers that nobody waits for (late, twice, with an id of the server's own invention) are noted and
// dropped. Knows messages, not what they mean.
class McpPeer final : public McpReceiver, public std::enable_shared_from_this<McpPeer> {
 public:
  struct Handlers {
    // A request of the server; may block until `stop`.
    std::function<std::expected<Json, RpcError>(const std::string& method, const Json& params, std::stop_token stop)>
        request{};
    std::function<void(const std::string& method, const Json& params)> notification{};  // returns soon
    std::function<void(std::string)> noted{};                                           // something odd, for people
    std::function<void(const Error&)> closed{};
  };

  McpPeer(std::string name, const Clock& clock, Handlers handlers);
  ~McpPeer() override;

  // Which transport carries the messages from now on.
  void attach(std::shared_ptr<McpTransport> transport);

  // Blocks. Every request has its own id; none is ever sent twice.
  McpOutcome request(McpRequest request, std::stop_token stop);
  void notify(std::string method, std::optional<Json> params = std::nullopt);
  // A request whose answer is of no interest.
  void ask_in_passing(McpRequest request);
  // A token for requests whose progress goes on when they have been answered. Until close_progress().
  std::int64_t open_progress(std::function<void(Json)> progress);
  void close_progress(std::int64_t token);
  // All that is under way fails, and the server's requests are stopped. For good.
  void shut();
  // Nothing while the transport lives.
  std::optional<Error> end() const;

  void received(RpcMessage message) override;
  void garbled(std::string why) override;
  void lost(const RpcId& request, McpFailure failure) override;
  void closed(Error why) override;

 private:
  struct Pending {
    std::optional<McpOutcome> outcome;
    std::condition_variable_any changed;  // its own: an answer wakes nobody but who waits for it
    std::function<void(Json)> progress;
    TimePoint last_sign;
    bool is_in_passing = false;  // nobody waits

    void settle(McpOutcome how) {
      outcome = std::move(how);
      changed.notify_all();
    }
  };
  struct Answering {
    RpcId id;
    std::jthread thread;
    bool done = false;
  };

  void take_response(RpcResponse response);
  void take_request(RpcRequest request);
  void take_notification(RpcNotification notification);
  void take_progress(const Json& params);
  void answer(const RpcRequest& request, const std::stop_token& stop);
  void send(RpcMessage message, HttpHeaders headers = {});
  void note(std::string text);

  const std::string name_;
  const Clock& clock_;
  const Handlers handlers_;

  mutable std::mutex mutex_;
  std::shared_ptr<McpTransport> transport_;  // this and all below under mutex_
  std::int64_t last_id_ = 0;
  std::map<std::int64_t, std::shared_ptr<Pending>> pending_;
  std::map<std::int64_t, std::function<void(Json)>> progress_;  // by tokens that are no ids
  std::list<Answering> answering_;
  std::size_t garbled_ = 0;  // since the last message
  std::size_t notes_ = 0;
  std::optional<Error> end_;
};

}  // namespace deft
