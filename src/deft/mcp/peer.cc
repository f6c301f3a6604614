#include "deft/mcp/peer.h"

#include <algorithm>
#include <utility>

#include "deft/base/overloaded.h"
#include "deft/base/text.h"

namespace deft {
namespace {

constexpr std::size_t kNoteCharacters = 300;
constexpr std::size_t kLateAnswersMax = 1000;  // that are known to be late; of others it is noted

McpFailure failure_of(const Error& error) { return {.code = error.code, .message = error.message}; }

std::string shown_seconds(Duration time) {
  const auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(time).count();
  return milliseconds % 1000 == 0 ? std::to_string(milliseconds / 1000) + " s" : std::to_string(milliseconds) + " ms";
}

const Json& no_params() {
  static const Json none = JsonObject{};
  return none;
}

}  // namespace

McpPeer::McpPeer(std::string name, const Clock& clock, Handlers handlers)
    : name_(std::move(name)), clock_(clock), handlers_(std::move(handlers)) {}

McpPeer::~McpPeer() { shut(); }

void McpPeer::attach(std::shared_ptr<McpTransport> transport) {
  const std::lock_guard lock(mutex_);
  transport_ = std::move(transport);
  end_.reset();
  garbled_ = 0;
}

std::optional<Error> McpPeer::end() const {
  const std::lock_guard lock(mutex_);
  return end_;
}

void McpPeer::send(RpcMessage message, HttpHeaders headers) {
  std::shared_ptr<McpTransport> transport;
  {
    const std::lock_guard lock(mutex_);
    if (!end_) transport = transport_;
  }
  if (transport) transport->send(std::move(message), std::move(headers));
}

McpOutcome McpPeer::request(McpRequest request, std::stop_token stop) {
  const auto pending = std::make_shared<Pending>();
  const TimePoint began = clock_.now();
  std::int64_t id = 0;
  std::shared_ptr<McpTransport> transport;
  {
    const std::lock_guard lock(mutex_);
    if (end_ || !transport_) {
      McpFailure failure = failure_of(end_.value_or(Error{Errc::io, "the server is not connected"}));
      failure.not_processed = true;
      return std::unexpected(std::move(failure));
    }
    id = ++last_id_;
    pending->progress = std::move(request.progress);
    pending->last_sign = began;
    pending_.emplace(id, pending);
    transport = transport_;
  }
  if (pending->progress || request.progress_token) {
    Json& meta = request.params["_meta"];
    if (!meta.is_object()) meta = JsonObject{};
    meta.get_object()["progressToken"] = request.progress_token.value_or(id);
  }
  transport->send(RpcRequest{.id = id, .method = request.method, .params = Json(std::move(request.params))},
                  std::move(request.headers));

  std::optional<McpFailure> given_up;
  {
    std::unique_lock lock(mutex_);
    while (!pending->outcome && !given_up) {
      const TimePoint now = clock_.now();
      std::optional<TimePoint> until;
      if (request.timeout) until = began + *request.timeout;
      const std::optional<TimePoint> idle_until =
          request.idle_timeout ? std::optional(pending->last_sign + *request.idle_timeout) : std::nullopt;
      const bool is_idle_first = idle_until && (!until || *idle_until < *until);
      if (is_idle_first) until = idle_until;
      if (stop.stop_requested()) {
        given_up = McpFailure{.code = Errc::cancelled, .message = "cancelled"};
      } else if (until && now >= *until) {
        const std::string time = shown_seconds(is_idle_first ? *request.idle_timeout : *request.timeout);
        given_up = McpFailure{.code = Errc::timeout,
                              .message = (is_idle_first ? "no sign of progress for " : "no answer within ") + time};
      } else if (until) {
        pending->changed.wait_until(lock, stop, clock_.on_steady_clock(*until),
                                    [&] { return pending->outcome.has_value(); });
      } else {
        pending->changed.wait(lock, stop, [&] { return pending->outcome.has_value(); });
      }
    }
    // An answer may come all the same, and there is nothing odd about that.
    pending->is_in_passing = !pending->outcome && pending_.size() <= kLateAnswersMax;
    if (!pending->is_in_passing) pending_.erase(id);
    pending->progress = nullptr;
    if (pending->outcome) return *std::move(pending->outcome);
  }
  if (request.tell_cancel) {
    notify("notifications/cancelled", JsonObject{{"requestId", id}, {"reason", given_up->message}});
  }
  transport->forget(RpcId(id));
  return std::unexpected(*std::move(given_up));
}

void McpPeer::notify(std::string method, std::optional<Json> params) {
  send(RpcNotification{.method = std::move(method), .params = std::move(params)});
}

void McpPeer::ask_in_passing(McpRequest request) {
  std::int64_t id = 0;
  std::shared_ptr<McpTransport> transport;
  {
    const std::lock_guard lock(mutex_);
    if (end_ || !transport_) return;
    id = ++last_id_;
    const auto pending = std::make_shared<Pending>();
    pending->is_in_passing = true;
    pending_.emplace(id, pending);
    transport = transport_;
  }
  transport->send(RpcRequest{.id = id, .method = std::move(request.method), .params = Json(std::move(request.params))},
                  std::move(request.headers));
}

std::int64_t McpPeer::open_progress(std::function<void(Json)> progress) {
  const std::lock_guard lock(mutex_);
  progress_.emplace(++last_id_, std::move(progress));
  return last_id_;
}

void McpPeer::close_progress(std::int64_t token) {
  const std::lock_guard lock(mutex_);
  progress_.erase(token);
}

void McpPeer::received(RpcMessage message) {
  {
    const std::lock_guard lock(mutex_);
    garbled_ = 0;
  }
  std::visit(Overloaded{[this](RpcResponse&& response) { take_response(std::move(response)); },
                        [this](RpcRequest&& request) { take_request(std::move(request)); },
                        [this](RpcNotification&& notification) { take_notification(std::move(notification)); }},
             std::move(message));
}

void McpPeer::take_response(RpcResponse response) {
  std::string odd;
  {
    const std::lock_guard lock(mutex_);
    const Json id = response.id ? response.id->json() : Json();
    const auto found = id.is_int64() ? pending_.find(id.get_int64()) : pending_.end();
    if (found == pending_.end() || found->second->outcome) {
      odd = response.outcome ? "an answer that nobody waits for, id " + to_json(id)
                             : "an error that belongs to no request: " + response.outcome.error().message;
    } else if (found->second->is_in_passing) {
      pending_.erase(found);
    } else if (response.outcome) {
      found->second->settle(*std::move(response.outcome));
    } else {
      RpcError error = std::move(response.outcome.error());
      std::string message = error.message.empty() ? "error " + std::to_string(error.code) : error.message;
      found->second->settle(
          std::unexpected(McpFailure{.code = Errc::failed, .message = std::move(message), .rpc = std::move(error)}));
    }
  }
  if (!odd.empty()) note(std::move(odd));
}

void McpPeer::lost(const RpcId& request, McpFailure failure) {
  {
    const std::lock_guard lock(mutex_);
    const Json id = request.json();
    const auto found = id.is_int64() ? pending_.find(id.get_int64()) : pending_.end();
    if (found == pending_.end() || found->second->outcome) return;
    if (found->second->is_in_passing) {
      pending_.erase(found);
      return;
    }
    found->second->settle(std::unexpected(std::move(failure)));
  }
}

void McpPeer::take_notification(RpcNotification notification) {
  const Json& params = notification.params ? *notification.params : no_params();
  if (notification.method == "notifications/progress") return take_progress(params);
  if (notification.method == "notifications/cancelled") {
    const Json* id = find(params, "requestId");
    const std::lock_guard lock(mutex_);
    for (Answering& answering : answering_) {
      if (id != nullptr && answering.id.json() == *id) answering.thread.request_stop();
    }
    return;
  }
  if (handlers_.notification) handlers_.notification(notification.method, params);
}

void McpPeer::take_progress(const Json& params) {
  const auto token = find_int(params, "progressToken");
  if (!token) return;
  std::function<void(Json)> progress;
  {
    const std::lock_guard lock(mutex_);
    if (const auto kept = progress_.find(*token); kept != progress_.end()) {
      progress = kept->second;
    } else {
      const auto found = pending_.find(*token);
      if (found == pending_.end() || found->second->outcome || found->second->is_in_passing) return;
      found->second->last_sign = clock_.now();
      progress = found->second->progress;
    }
  }
  if (progress) progress(params);
}

void McpPeer::take_request(RpcRequest request) {
  if (request.method == "ping") return send(rpc_answer(std::move(request.id), JsonObject{}));
  std::list<Answering> done;  // joined when the lock is free again
  bool refused = false;
  {
    const std::lock_guard lock(mutex_);
    for (auto each = answering_.begin(); each != answering_.end();) {
      const auto next = std::next(each);
      if (each->done) done.splice(done.end(), answering_, each);
      each = next;
    }
    refused = answering_.size() >= kMcpServerRequestsMax || end_.has_value();
    if (!refused) {
      Answering& answering = answering_.emplace_back(Answering{.id = request.id, .thread = {}});
      answering.thread = std::jthread([this, &answering, request](const std::stop_token& stop) {
        answer(request, stop);
        const std::lock_guard inner(mutex_);
        answering.done = true;
      });
    }
  }
  if (refused) send(rpc_failure(std::move(request.id), kRpcInternalError, "too many requests at once"));
}

void McpPeer::answer(const RpcRequest& request, const std::stop_token& stop) {
  std::expected<Json, RpcError> outcome =
      handlers_.request ? handlers_.request(request.method, request.params ? *request.params : no_params(), stop)
                        : std::unexpected(RpcError{.code = kRpcMethodNotFound, .message = "not supported"});
  if (stop.stop_requested()) return;  // the server has taken it back
  send(RpcResponse{.id = request.id, .outcome = std::move(outcome)});
}

void McpPeer::garbled(std::string why) {
  bool too_many = false;
  {
    const std::lock_guard lock(mutex_);
    too_many = ++garbled_ == kMcpGarbledMax;
  }
  if (too_many) return closed({Errc::failed, "the server does not speak MCP: " + why});
  note("a text that is no message was skipped: " + why);
}

void McpPeer::closed(Error why) {
  {
    const std::lock_guard lock(mutex_);
    if (end_) return;
    end_ = why;
    for (auto& [id, pending] : pending_) {
      if (!pending->outcome) pending->settle(std::unexpected(failure_of(why)));
    }
    for (Answering& answering : answering_) answering.thread.request_stop();
  }
  if (handlers_.closed) handlers_.closed(why);
}

void McpPeer::shut() {
  {
    const std::lock_guard lock(mutex_);
    if (!end_) end_ = Error{Errc::cancelled, "the connection to the server was closed"};
    transport_ = nullptr;
    for (auto& [id, pending] : pending_) {
      if (!pending->outcome) pending->settle(std::unexpected(failure_of(*end_)));
    }
    for (Answering& each : answering_) each.thread.request_stop();
  }
  std::unique_lock lock(mutex_);
  for (Answering& each : answering_) {
    std::jthread thread = std::move(each.thread);
    lock.unlock();
    if (thread.joinable()) thread.join();
    lock.lock();
  }
  answering_.clear();
}

void McpPeer::note(std::string text) {
  {
    const std::lock_guard lock(mutex_);
    if (++notes_ > kMcpNotesMax) return;
    if (notes_ == kMcpNotesMax) text += "; no more is said of such things";
  }
  if (handlers_.noted) handlers_.noted(name_ + ": " + one_line(text, kNoteCharacters));
}

}  // namespace deft
