#include "deft/mcp/http_transport.h"

#include <algorithm>
#include <utility>

#include "deft/base/overloaded.h"
#include "deft/base/text.h"
#include "deft/base/utf8.h"
#include "deft/mcp/http_headers.h"

namespace deft {
namespace {

constexpr std::string_view kJsonType = "application/json";
constexpr std::string_view kEventType = "text/event-stream";
constexpr std::size_t kErrorBodyBytesMax = std::size_t{256} << 10;
constexpr std::size_t kErrorShownCharacters = 300;
constexpr std::size_t kSessionIdBytesMax = 4096;
constexpr Duration kGoodbyeMax = std::chrono::seconds(2);

bool is_success(int status) { return status >= 200 && status < 300; }

const RpcRequest* request_of(const RpcMessage& message) { return std::get_if<RpcRequest>(&message); }

McpFailure to_failure(Error error) { return {.code = error.code, .message = std::move(error.message)}; }

// What a session is called goes back in a header: visible ASCII only.
bool is_session_id(std::string_view text) {
  return !text.empty() && text.size() <= kSessionIdBytesMax &&
         std::ranges::all_of(text, [](char c) { return c > ' ' && c <= '~'; });
}

HttpHeaders message_headers(const RpcMessage& message) {
  return std::visit(
      Overloaded{[](const RpcRequest& request) {
                   return standard_headers(request.method, request.params ? &*request.params : nullptr);
                 },
                 [](const RpcNotification& notification) { return standard_headers(notification.method, nullptr); },
                 [](const RpcResponse&) { return HttpHeaders{}; }},
      message);
}

// How soon a stream that ended may be opened again. A server can close each at once and wish for the next without
// delay: then the pauses grow.
class Reopening {
 public:
  explicit Reopening(const Clock& clock) : clock_(clock) {}
  void opened() { opened_ = clock_.now(); }
  Duration pause(std::optional<Duration> wished, Duration otherwise) {
    if (opened_ && clock_.now() - *opened_ >= kMcpReopenMax) least_ = kMcpReopenMin;
    opened_.reset();
    const Duration time = std::max(wished.value_or(otherwise), least_);
    least_ = std::min(least_ * 2, kMcpReopenMax);
    return time;
  }

 private:
  const Clock& clock_;
  std::optional<TimePoint> opened_;
  Duration least_ = kMcpReopenMin;
};

// Hands on what passes, and notes whether the answer to one request was among it.
class Watcher final : public McpReceiver {
 public:
  Watcher(McpReceiver& next, const std::optional<RpcId>& request) : next_(next), request_(request) {}
  bool answered() const { return answered_; }

  void received(RpcMessage message) override {
    const auto* response = std::get_if<RpcResponse>(&message);
    if (response != nullptr && request_ && response->id == request_) answered_ = true;
    next_.received(std::move(message));
  }
  void garbled(std::string why) override { next_.garbled(std::move(why)); }
  void lost(const RpcId& request, McpFailure failure) override {
    if (request_ == request) answered_ = true;  // not so that anybody could read it, but nothing more will come
    next_.lost(request, std::move(failure));
  }
  void closed(Error why) override { next_.closed(std::move(why)); }

 private:
  McpReceiver& next_;
  const std::optional<RpcId>& request_;
  bool answered_ = false;
};

}  // namespace

HttpTransport::HttpTransport(HttpClient& http, const Clock& clock, Options options)
    : http_(http), clock_(clock), options_(std::move(options)) {}

HttpTransport::~HttpTransport() { close(); }

Result<void> HttpTransport::start(std::shared_ptr<McpReceiver> receiver, std::stop_token) {
  const std::lock_guard lock(mutex_);
  receiver_ = std::move(receiver);
  return {};
}

std::shared_ptr<McpReceiver> HttpTransport::receiver() const {
  const std::lock_guard lock(mutex_);
  return receiver_;
}

void HttpTransport::agreed(std::string_view version, bool modern) {
  const std::lock_guard lock(mutex_);
  version_ = version;
  modern_ = modern;
}

void HttpTransport::send(RpcMessage message, HttpHeaders headers) {
  const RpcRequest* request = request_of(message);
  const std::optional<RpcId> id = request ? std::optional(request->id) : std::nullopt;
  std::list<Work> done;  // joined when the lock is free again
  std::shared_ptr<McpReceiver> refused_to;
  {
    const std::lock_guard lock(mutex_);
    if (!receiver_) return;
    for (auto work = work_.begin(); work != work_.end();) {
      const auto next = std::next(work);
      if (work->done) done.splice(done.end(), work_, work);
      work = next;
    }
    if (work_.size() >= kMcpHttpRequestsMax) {
      refused_to = receiver_;
    } else {
      const std::uint64_t number = taken_++;
      if (!id) unsettled_.insert(number);
      Work& work = work_.emplace_back();
      work.request = id;
      work.thread = std::jthread([this, &work, number, message = std::move(message),
                                  headers = std::move(headers)](const std::stop_token& stop) {
        carry(message, headers, number, stop);
        const std::lock_guard inner(mutex_);
        work.done = true;
      });
    }
  }
  if (refused_to && id) {
    refused_to->lost(*id, {.code = Errc::limit,
                           .message = std::to_string(kMcpHttpRequestsMax) + " requests to this server are under way",
                           .not_processed = true});
  }
}

void HttpTransport::carry(const RpcMessage& message, const HttpHeaders& headers, std::uint64_t number,
                          const std::stop_token& stop) {
  std::optional<McpFailure> failure;
  {
    std::unique_lock lock(mutex_);
    const bool in_turn = changed_.wait(lock, stop, [&] { return unsettled_.empty() || *unsettled_.begin() >= number; });
    if (!in_turn) failure = McpFailure{.code = Errc::cancelled, .message = "cancelled", .not_processed = true};
  }
  if (!failure) failure = post(message, headers, stop);
  {
    const std::lock_guard lock(mutex_);
    unsettled_.erase(number);
  }
  changed_.notify_all();
  const RpcRequest* request = request_of(message);
  if (!failure || stop.stop_requested()) return;
  const auto told = receiver();
  if (!told) return;
  if (request) {
    told->lost(request->id, *std::move(failure));
  } else {
    told->garbled("a message of ours was not taken: " + failure->message);
  }
}

Result<HttpRequest> HttpTransport::make_request(std::string method, HttpHeaders& identity,
                                                const std::stop_token& stop) {
  if (options_.authorizer) {
    auto headers = options_.authorizer->headers(stop);
    if (!headers) return std::unexpected(std::move(headers.error()));
    identity = *std::move(headers);
    const std::lock_guard lock(mutex_);
    last_identity_ = identity;
  }
  return request_by(identity, std::move(method));
}

HttpRequest HttpTransport::request_by(const HttpHeaders& identity, std::string method) const {
  HttpRequest request{.method = std::move(method), .url = options_.url, .headers = options_.headers};
  for (const auto& header : identity) {
    // What was said explicitly counts more.
    if (!find_header(options_.headers, header.first)) request.headers.push_back(header);
  }
  const std::lock_guard lock(mutex_);
  if (!version_.empty()) request.headers.emplace_back("MCP-Protocol-Version", version_);
  if (!session_.empty()) request.headers.emplace_back("Mcp-Session-Id", session_);
  return request;
}

std::optional<McpFailure> HttpTransport::post(const RpcMessage& message, const HttpHeaders& headers,
                                              const std::stop_token& stop) {
  const RpcRequest* request = request_of(message);
  for (int refusals = 0;; ++refusals) {
    HttpHeaders identity;
    auto prepared = make_request("POST", identity, stop);
    if (!prepared) {
      McpFailure failure = to_failure(std::move(prepared.error()));
      failure.not_processed = true;
      return failure;
    }
    prepared->headers.emplace_back("Content-Type", kJsonType);
    prepared->headers.emplace_back("Accept", std::string(kJsonType) + ", " + std::string(kEventType));
    bool modern = false;
    std::string session;
    {
      const std::lock_guard lock(mutex_);
      modern = modern_;
      session = session_;
    }
    if (modern) {
      for (auto& header : message_headers(message)) prepared->headers.push_back(std::move(header));
      prepared->headers.insert(prepared->headers.end(), headers.begin(), headers.end());
    }
    prepared->body = to_text(message);
    // Later messages wait for it, so it cannot be waited for without end; a request has its own time.
    if (!request) prepared->deadline = clock_.now() + options_.taken_timeout;
    HttpExchange exchange(http_, *std::move(prepared));
    auto head = exchange.head(stop);
    if (!head) return to_failure(std::move(head.error()));
    note_session(*head);
    if (is_success(head->status)) {
      if (!request) return std::nullopt;
      return take_answer(exchange, *head, *request, stop);
    }
    const bool is_refusal = head->status == 401 || head->status == 403;
    if (is_refusal && options_.authorizer && refusals < kMcpRefusalsMax) {
      auto gained = options_.authorizer->refused(*head, identity, stop);
      if (gained) continue;
      return McpFailure{.code = gained.error().code,
                        .message = std::move(gained.error().message),
                        .http_status = head->status,
                        .not_processed = true};
    }
    McpFailure failure = failed_status(exchange, *head, stop);
    if (head->status == 404 && !session.empty()) {
      failure.session_over = true;
      const std::lock_guard lock(mutex_);
      if (session_ == session) session_.clear();
    }
    return failure;
  }
}

McpFailure HttpTransport::failed_status(HttpExchange& exchange, const HttpHead& head, const std::stop_token& stop) {
  McpFailure failure{.code = Errc::failed, .http_status = head.status};
  // A refusal is one; of a broken gateway nobody knows what stands behind it.
  failure.not_processed = head.status >= 300 && head.status < 500;
  const auto body = exchange.rest(kErrorBodyBytesMax, stop);
  failure.message = "the server answered with HTTP status " + std::to_string(head.status);
  if (head.status >= 300 && head.status < 400) {
    failure.message += "; redirections are not followed, give the final address";
  }
  if (!body || body->empty()) return failure;
  auto message = parse_rpc(*body);
  if (const auto* response = message ? std::get_if<RpcResponse>(&*message) : nullptr;
      response != nullptr && !response->outcome) {
    failure.rpc = response->outcome.error();
    failure.message += ": " + one_line(failure.rpc->message, kErrorShownCharacters);
  } else {
    failure.message += ": " + one_line(to_valid_utf8(*body), kErrorShownCharacters);
  }
  return failure;
}

void HttpTransport::note_session(const HttpHead& head) {
  const auto id = find_header(head.headers, "mcp-session-id");
  if (!id || !is_session_id(*id)) return;
  const std::lock_guard lock(mutex_);
  if (!modern_) session_ = *id;
}

std::optional<McpFailure> HttpTransport::take_answer(HttpExchange& exchange, const HttpHead& head,
                                                     const RpcRequest& request, const std::stop_token& stop) {
  const auto told = receiver();
  if (!told) return std::nullopt;
  if (has_content_type(head.headers, kEventType)) {
    StreamState state;
    auto read = read_events(exchange, request.id, state, stop);
    if (state.answered) return std::nullopt;
    if (!read && (read.error().code == Errc::cancelled || read.error().code == Errc::limit)) {
      return to_failure(std::move(read.error()));
    }
    return resume(request, state, stop);
  }
  auto body = exchange.rest(kMcpMessageBytesMax, stop);
  if (!body) return to_failure(std::move(body.error()));
  if (body->empty()) {
    return McpFailure{
        .code = Errc::io, .message = "the server took the request and answered nothing", .http_status = head.status};
  }
  const std::optional<RpcId> id = request.id;
  Watcher watcher(*told, id);
  hand_on(*body, watcher);
  if (watcher.answered()) return std::nullopt;
  return McpFailure{
      .code = Errc::io, .message = "the server's answer is not one to this request", .http_status = head.status};
}

Result<void> HttpTransport::read_events(HttpExchange& exchange, const std::optional<RpcId>& request, StreamState& state,
                                        const std::stop_token& stop) {
  const auto told = receiver();
  if (!told) return fail(Errc::cancelled, "cancelled");
  Watcher watcher(*told, request);
  SseReader reader({.line_bytes_max = kMcpMessageBytesMax, .event_bytes_max = kMcpMessageBytesMax});
  while (!watcher.answered()) {
    const auto bytes = exchange.next(stop);
    if (!bytes) return std::unexpected(bytes.error());
    if (!*bytes) return {};
    reader.feed(**bytes, [&](const SseEvent& event) {
      if (!event.id.empty()) state.last_id = event.id;
      if (event.retry) state.retry = std::chrono::milliseconds(std::min<std::uint64_t>(*event.retry, 3'600'000));
      // Events without data only say where the stream is.
      if (!event.data.empty() && (event.event.empty() || event.event == "message")) hand_on(event.data, watcher);
    });
    if (reader.error()) return std::unexpected(*reader.error());
    state.answered = watcher.answered();
  }
  return {};
}

std::optional<McpFailure> HttpTransport::resume(const RpcRequest& request, StreamState& state,
                                                const std::stop_token& stop) {
  const McpFailure lost{.code = Errc::io, .message = "the connection broke before the server had answered"};
  Duration delay = kMcpResumeDelay;
  Reopening reopening(clock_);
  for (int tries = 0; tries < kMcpResumesMax; ++tries) {
    {
      const std::lock_guard lock(mutex_);
      if (modern_ || state.last_id.empty()) return lost;
    }
    if (!pause(reopening.pause(state.retry, delay), stop)) return lost;
    delay = std::min(delay * 2, kMcpResumeDelayMax);
    HttpHeaders identity;
    auto prepared = make_request("GET", identity, stop);
    if (!prepared) return lost;
    prepared->headers.emplace_back("Accept", kEventType);
    prepared->headers.emplace_back("Last-Event-ID", state.last_id);
    HttpExchange exchange(http_, *std::move(prepared));
    const auto head = exchange.head(stop);
    if (!head) continue;
    if (head->status >= 400 && head->status < 500) return lost;
    if (!is_success(head->status) || !has_content_type(head->headers, kEventType)) continue;
    reopening.opened();
    const std::string before = state.last_id;
    const auto read = read_events(exchange, request.id, state, stop);
    if (state.answered) return std::nullopt;
    if (!read && (read.error().code == Errc::cancelled || read.error().code == Errc::limit)) {
      return to_failure(read.error());
    }
    if (state.last_id != before) tries = -1;
  }
  return lost;
}

void HttpTransport::listen() {
  std::jthread ended;  // with a session that is over; joined when the lock is free again
  const std::lock_guard lock(mutex_);
  if (modern_ || !receiver_) return;
  ++listens_;
  if (is_listening_) return;
  ended = std::move(listener_);
  is_listening_ = true;
  listener_ = std::jthread([this, heard = listens_](const std::stop_token& stop) mutable {
    while (true) {
      listen_until(stop);
      const std::lock_guard inner(mutex_);
      // While it gave up, another session may have begun.
      if (stop.stop_requested() || heard == listens_) {
        is_listening_ = false;
        return;
      }
      heard = listens_;
    }
  });
}

// The server's own stream. It is a convenience: without it only what the server says by itself is not heard.
void HttpTransport::listen_until(const std::stop_token& stop) {
  StreamState state;
  Duration delay = kMcpResumeDelay;
  Reopening reopening(clock_);
  for (int tries = 0; tries < kMcpResumesMax && !stop.stop_requested(); ++tries) {
    HttpHeaders identity;
    auto prepared = make_request("GET", identity, stop);
    if (!prepared) return;
    prepared->headers.emplace_back("Accept", kEventType);
    if (!state.last_id.empty()) prepared->headers.emplace_back("Last-Event-ID", state.last_id);
    HttpExchange exchange(http_, *std::move(prepared));
    const auto head = exchange.head(stop);
    if (head && head->status >= 400 && head->status < 500) return;
    if (head && is_success(head->status)) {
      if (!has_content_type(head->headers, kEventType)) return;
      reopening.opened();
      [[maybe_unused]] const auto read = read_events(exchange, std::nullopt, state, stop);
      tries = -1;
      delay = kMcpResumeDelay;
    }
    if (!pause(reopening.pause(state.retry, delay), stop)) return;
    delay = std::min(delay * 2, kMcpResumeDelayMax);
  }
}

bool HttpTransport::pause(Duration time, const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  changed_.wait_until(lock, stop, clock_.on_steady_clock(clock_.now() + time), [] { return false; });
  return !stop.stop_requested();
}

void HttpTransport::forget(const RpcId& request) {
  std::lock_guard lock(mutex_);
  for (Work& work : work_) {
    if (work.request == request) work.thread.request_stop();
  }
}

void HttpTransport::close() {
  std::list<Work> work;
  std::jthread listener;
  std::string session;
  HttpHeaders identity;
  {
    const std::lock_guard lock(mutex_);
    if (!receiver_) return;
    receiver_ = nullptr;
    session = session_;
    identity = last_identity_;
    listener = std::move(listener_);
    for (Work& each : work_) each.thread.request_stop();
    listener.request_stop();
  }
  changed_.notify_all();
  if (listener.joinable()) listener.join();
  {
    // The threads still use their entries: wait for them without the lock, each where it is.
    std::unique_lock lock(mutex_);
    for (Work& each : work_) {
      std::jthread thread = std::move(each.thread);
      lock.unlock();
      if (thread.joinable()) thread.join();
      lock.lock();
    }
    work_.clear();
  }
  if (session.empty()) return;
  // By what the server knew us by: nobody waits for a token to be renewed for that.
  HttpRequest goodbye = request_by(identity, "DELETE");
  goodbye.deadline = clock_.now() + kGoodbyeMax;
  HttpExchange exchange(http_, std::move(goodbye));
  [[maybe_unused]] const auto head = exchange.head({});
}

}  // namespace deft
