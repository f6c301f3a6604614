#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "deft/mcp/service.h"

namespace deft {

inline constexpr std::size_t kMcpRequestsPerClientMax = 1'000;  // under way
inline constexpr std::size_t kMcpSubscriptionsPerClientMax = 1'000;
inline constexpr std::size_t kMcpAsksPerClientMax = 100;  // requests of ours that the client has not answered

// Where what belongs to one request goes. From any thread; never blocks.
class McpOutlet {
 public:
  virtual ~McpOutlet() = default;
  virtual void send(std::string message) = 0;  // a notification, or a request of ours
  // The answer; nothing comes after it. `error`: its code, if it is one. `by_protocol`: the request itself was wrong.
  virtual void finish(std::string message, std::optional<std::int64_t> error, bool by_protocol) = 0;
  virtual void abandon() = 0;  // there is no answer: the client took its request back
  virtual void let_go() {}
};

// One client of a server: its handshake, its requests under way, what it wants to hear. Both eras; which one a request
// is of, it says itself. Used from any thread.
class McpClientSession : public std::enable_shared_from_this<McpClientSession> {
 public:
  // `id`: see McpRequester::session.
  McpClientSession(McpService& service, std::string id) : service_(service), id_(std::move(id)) {}
  McpClientSession(const McpClientSession&) = delete;
  McpClientSession& operator=(const McpClientSession&) = delete;

  // One message of the client's. `outlet`: for a request, where its answer goes.
  void take(RpcMessage message, const std::shared_ptr<McpOutlet>& outlet);
  // Where goes what belongs to no request; null: nowhere.
  void use_general_outlet(std::shared_ptr<McpOutlet> outlet);
  void announce(const McpChange& change);
  // The client has gone: its requests are stopped.
  void end();
  // One request is not wanted any more: its connection was closed.
  void stop_request(const RpcId& id);

  const std::string& id() const { return id_; }
  std::string version() const;   // of the handshake; empty: there was none
  std::size_t requests() const;  // that wait for an answer; those that only listen do not

 private:
  class Request;
  struct Listening {
    std::shared_ptr<Request> request;
    bool tools = false;
    bool prompts = false;
    bool resources = false;
    std::set<std::string, std::less<>> uris;
  };

  void take_request(RpcRequest request, const std::shared_ptr<McpOutlet>& outlet);
  void take_notification(const RpcNotification& notification);
  void take_response(RpcResponse response);
  void take_legacy(const std::shared_ptr<Request>& request);
  void take_modern(const std::shared_ptr<Request>& request);
  void initialize(const std::shared_ptr<Request>& request);
  void discover(const std::shared_ptr<Request>& request);
  void listen(const std::shared_ptr<Request>& request);
  void subscribe(const std::shared_ptr<Request>& request, bool wanted);
  void set_level(const std::shared_ptr<Request>& request);
  bool offers(const std::string& method, McpEra era) const;
  void forget(const RpcId& id);
  void ask(const RpcId& by, std::string method, Json params, McpServed::Told told);
  void drop_asks(const std::optional<RpcId>& of);

  McpService& service_;
  const std::string id_;
  mutable std::mutex mutex_;
  // All under mutex_.
  McpRequester caller_;  // of the handshake
  bool is_initialized_ = false;
  std::string log_level_;  // empty: the client has not said; everything then
  std::map<RpcId, std::shared_ptr<Request>> requests_;
  struct Ask {
    RpcId by;
    McpServed::Told told;
  };
  std::map<std::int64_t, Ask> asks_;
  std::int64_t asks_made_ = 0;
  std::set<std::string, std::less<>> subscriptions_;
  std::map<RpcId, Listening> listening_;
  std::shared_ptr<McpOutlet> general_;
  bool ended_ = false;
};

const std::vector<std::string_view>& mcp_served_versions();  // the newest first
// The revision that a request says it is of, in its `_meta`; nothing: none, so it is of a session.
std::optional<std::string_view> modern_version_of(const std::optional<Json>& params);
// What is wrong with the `_meta` of a request without a session; nothing: it is as it must be.
std::optional<RpcError> modern_fault(const std::optional<Json>& params);
int log_severity(std::string_view level);  // debug is 0; -1: no such level

}  // namespace deft
