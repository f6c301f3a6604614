#include "deft/mcp/sse_transport.h"

#include <utility>

#include "deft/base/sse.h"
#include "deft/base/url.h"

namespace deft {
namespace {

constexpr std::string_view kEventType = "text/event-stream";
constexpr std::size_t kOutboxMessagesMax = 10'000;
constexpr std::size_t kPostAnswerBytesMax = std::size_t{64} << 10;

}  // namespace

SseTransport::SseTransport(HttpClient& http, const Clock& clock, HttpTransport::Options options)
    : http_(http), clock_(clock), options_(std::move(options)) {}

SseTransport::~SseTransport() { close(); }

std::shared_ptr<McpReceiver> SseTransport::receiver() const {
  const std::lock_guard lock(mutex_);
  return receiver_;
}

Result<void> SseTransport::start(std::shared_ptr<McpReceiver> receiver, std::stop_token stop) {
  {
    const std::lock_guard lock(mutex_);
    receiver_ = std::move(receiver);
    reader_ = std::jthread([this](const std::stop_token& end) { read(end); });
    writer_ = std::jthread([this](const std::stop_token& end) { post_all(end); });
  }
  std::unique_lock lock(mutex_);
  const auto deadline = clock_.on_steady_clock(clock_.now() + kMcpEndpointWait);
  changed_.wait_until(lock, stop, deadline, [this] { return !endpoint_.empty() || broken_; });
  if (!endpoint_.empty()) return {};
  if (stop.stop_requested()) return fail(Errc::cancelled, "cancelled");
  if (broken_) return std::unexpected(*broken_);
  return fail(Errc::timeout, "the server did not name the address for messages in time");
}

void SseTransport::agreed(std::string_view version, bool) {
  const std::lock_guard lock(mutex_);
  version_ = version;
}

Result<HttpRequest> SseTransport::make_request(std::string method, std::string url, HttpHeaders& identity,
                                               const std::stop_token& stop) const {
  HttpRequest request{.method = std::move(method), .url = std::move(url), .headers = options_.headers};
  if (options_.authorizer) {
    auto headers = options_.authorizer->headers(stop);
    if (!headers) return std::unexpected(std::move(headers.error()));
    identity = *headers;
    for (auto& header : *headers) {
      if (!find_header(options_.headers, header.first)) request.headers.push_back(std::move(header));
    }
  }
  const std::lock_guard lock(mutex_);
  if (!version_.empty()) request.headers.emplace_back("MCP-Protocol-Version", version_);
  return request;
}

void SseTransport::read(const std::stop_token& stop) {
  const auto end = read_stream(stop);
  if (stop.stop_requested()) return;
  Error why = end ? Error{Errc::io, "the server ended its stream of messages"} : end.error();
  std::shared_ptr<McpReceiver> told;
  {
    const std::lock_guard lock(mutex_);
    broken_ = why;
    if (!endpoint_.empty()) told = receiver_;
  }
  changed_.notify_all();
  if (told) told->closed(std::move(why));
}

Result<void> SseTransport::read_stream(const std::stop_token& stop) {
  const auto told = receiver();
  if (!told) return {};
  for (int refusals = 0;; ++refusals) {
    HttpHeaders identity;
    auto request = make_request("GET", options_.url, identity, stop);
    if (!request) return std::unexpected(std::move(request.error()));
    request->headers.emplace_back("Accept", kEventType);
    HttpExchange exchange(http_, *std::move(request));
    const auto head = exchange.head(stop);
    if (!head) return std::unexpected(head.error());
    if ((head->status == 401 || head->status == 403) && options_.authorizer && refusals < kMcpRefusalsMax) {
      const auto gained = options_.authorizer->refused(*head, identity, stop);
      if (gained) continue;
      return std::unexpected(gained.error());
    }
    if (head->status != 200 || !has_content_type(head->headers, kEventType)) {
      return fail(Errc::failed,
                  "the server answered with HTTP status " + std::to_string(head->status) + " and no stream of events");
    }
    SseReader reader({.line_bytes_max = kMcpMessageBytesMax, .event_bytes_max = kMcpMessageBytesMax});
    while (true) {
      const auto bytes = exchange.next(stop);
      if (!bytes) return std::unexpected(bytes.error());
      if (!*bytes) return {};
      Result<void> taken;
      reader.feed(**bytes, [&](const SseEvent& event) {
        if (!taken) return;
        if (event.event == "endpoint") taken = take_endpoint(event.data);
        if (event.event.empty() || event.event == "message") hand_on(event.data, *told);
      });
      if (!taken) return taken;
      if (reader.error()) return std::unexpected(*reader.error());
    }
  }
}

// Only on the server that we were told to speak to: what we post may hold secrets.
Result<void> SseTransport::take_endpoint(std::string_view link) {
  const auto page = parse_web_url(options_.url);
  const std::string resolved = page ? resolve_link(*page, link) : std::string();
  const auto endpoint = parse_web_url(resolved);
  if (!endpoint || endpoint->scheme != page->scheme || endpoint->authority() != page->authority()) {
    return fail(Errc::denied, "the server wants its messages at another place than its own, which is refused");
  }
  {
    const std::lock_guard lock(mutex_);
    if (endpoint_.empty()) endpoint_ = endpoint->text();
  }
  changed_.notify_all();
  return {};
}

void SseTransport::send(RpcMessage message, HttpHeaders) {
  const auto* request = std::get_if<RpcRequest>(&message);
  Outgoing out{.text = to_text(message), .request = request ? std::optional(request->id) : std::nullopt};
  std::shared_ptr<McpReceiver> told;
  McpFailure failure{.not_processed = true};
  {
    const std::lock_guard lock(mutex_);
    if (!receiver_) return;
    const bool is_full = outbox_.size() >= kOutboxMessagesMax || outbox_bytes_ + out.text.size() > kMcpUnsentBytesMax;
    if (!broken_ && (!is_full || outbox_.empty())) {
      outbox_bytes_ += out.text.size();
      outbox_.push_back(std::move(out));
      changed_.notify_all();
      return;
    }
    failure.code = broken_ ? Errc::io : Errc::limit;
    failure.message = broken_ ? broken_->message : "too many messages wait for this server";
    told = receiver_;
  }
  if (request) told->lost(request->id, std::move(failure));
}

// One after another: the answers come by the other way.
void SseTransport::post_all(const std::stop_token& stop) {
  while (true) {
    Outgoing out;
    {
      std::unique_lock lock(mutex_);
      if (!changed_.wait(lock, stop, [this] { return !outbox_.empty() && !endpoint_.empty(); })) return;
      out = std::move(outbox_.front());
      outbox_.pop_front();
      outbox_bytes_ -= out.text.size();
    }
    auto failure = post(out.text, stop);
    if (stop.stop_requested()) return;
    if (const auto told = receiver(); failure && told && out.request) told->lost(*out.request, *std::move(failure));
  }
}

std::optional<McpFailure> SseTransport::post(const std::string& message, const std::stop_token& stop) {
  std::string endpoint;
  {
    const std::lock_guard lock(mutex_);
    endpoint = endpoint_;
  }
  for (int refusals = 0;; ++refusals) {
    HttpHeaders identity;
    auto request = make_request("POST", endpoint, identity, stop);
    if (!request)
      return McpFailure{.code = request.error().code, .message = request.error().message, .not_processed = true};
    request->headers.emplace_back("Content-Type", "application/json");
    request->body = message;
    // Answers come by the other way: whoever does not even take a message holds up all later ones.
    request->deadline = clock_.now() + options_.taken_timeout;
    HttpExchange exchange(http_, *std::move(request));
    const auto head = exchange.head(stop);
    if (!head) return McpFailure{.code = head.error().code, .message = head.error().message};
    if (head->status >= 200 && head->status < 300) {
      [[maybe_unused]] const auto body = exchange.rest(kPostAnswerBytesMax, stop);
      return std::nullopt;
    }
    if ((head->status == 401 || head->status == 403) && options_.authorizer && refusals < kMcpRefusalsMax) {
      const auto gained = options_.authorizer->refused(*head, identity, stop);
      if (gained) continue;
      return McpFailure{.code = gained.error().code,
                        .message = gained.error().message,
                        .http_status = head->status,
                        .not_processed = true};
    }
    return McpFailure{.code = Errc::failed,
                      .message = "the server answered with HTTP status " + std::to_string(head->status),
                      .http_status = head->status,
                      .not_processed = head->status < 500};
  }
}

void SseTransport::close() {
  {
    const std::lock_guard lock(mutex_);
    if (!receiver_) return;
    receiver_ = nullptr;
  }
  reader_.request_stop();
  writer_.request_stop();
  if (reader_.joinable()) reader_.join();
  if (writer_.joinable()) writer_.join();
}

}  // namespace deft
