#include "deft/mcp/server_http.h"

#include <algorithm>
#include <utility>

#include "deft/base/base64.h"
#include "deft/mcp/http_headers.h"
#include "deft/os/uuid.h"

namespace deft {
namespace {

bool accepts(const ReadRequest& request, std::string_view type) {
  const std::string* accept = request.field("accept");
  if (!accept) return true;
  const std::string_view family = type.substr(0, type.find('/') + 1);
  return accept->find(type) != std::string::npos || accept->find("*/*") != std::string::npos ||
         accept->find(std::string(family) + "*") != std::string::npos;
}

bool is_json(const ReadRequest& request) {
  const std::string* type = request.field("content-type");
  if (!type) return false;
  std::string name = type->substr(0, type->find(';'));
  for (char& c : name) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  while (name.ends_with(' ')) name.pop_back();
  return name == "application/json";
}

void send_json(HttpAnswer& answer, int status, std::string body, HttpFields fields = {}) {
  fields.emplace_back("Content-Type", "application/json");
  answer.send(status, std::move(fields), std::move(body));
}

void send_fault(HttpAnswer& answer, int status, std::int64_t code, std::string message, HttpFields fields = {}) {
  send_json(answer, status, to_text(rpc_failure(std::nullopt, code, std::move(message))), std::move(fields));
}

int status_of(std::int64_t code) { return code == kRpcMethodNotFound ? 404 : 400; }

// What a request names, and so does its header Mcp-Name.
std::optional<std::string_view> name_of(const RpcRequest& request) {
  if (!request.params) return std::nullopt;
  if (request.method == "tools/call" || request.method == "prompts/get") return find_string(*request.params, "name");
  if (request.method == "resources/read") return find_string(*request.params, "uri");
  if (is_named_by_task(request.method)) return find_string(*request.params, "taskId");
  return std::nullopt;
}

RpcError mismatch(std::string message) { return {kMcpHeaderMismatch, std::move(message)}; }

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

// Is the argument what its header says? Numbers are compared as numbers: 42 and 42.0 are the same.
bool is_same_value(const Json& value, const std::string& text) {
  if (const auto* string = value.if_string()) return view(*string) == text;
  if (const auto* flag = value.if_bool()) return text == (*flag ? "true" : "false");
  if (!value.is_number()) return false;
  const auto parsed = parse_json(text);
  if (!parsed || !parsed->is_number()) return false;
  const auto number = [](const Json& json) { return json.to_number<double>(); };
  return to_json(*parsed) == to_json(value) || number(*parsed) == number(value);
}

std::optional<RpcError> param_fault(const ReadRequest& request, const RpcRequest& message, const Json& schema) {
  const auto headers = param_headers(schema);
  if (!headers) return std::nullopt;  // clients must not use such a tool; whoever does it all the same needs no headers
  static const Json none = JsonObject();
  const Json* given = find(*message.params, "arguments");
  const Json& arguments = given ? *given : none;
  for (const McpParamHeader& one : *headers) {
    const std::string* text = request.field(lower(one.header));
    const Json* value = header_argument(one, arguments);
    if (!text && !value) continue;
    if (!text) return mismatch("the header " + one.header + " is missing");
    if (!value) return mismatch("the header " + one.header + " stands for an argument that is not there");
    const auto decoded = decoded_header(*text);
    if (!decoded || !is_same_value(*value, *decoded)) {
      return mismatch("the header " + one.header + " is not what the argument says");
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> decoded_header(std::string_view value) {
  constexpr std::string_view kBegin = "=?base64?";
  constexpr std::string_view kEnd = "?=";
  if (!value.starts_with(kBegin) || !value.ends_with(kEnd) || value.size() < kBegin.size() + kEnd.size()) {
    return std::string(value);
  }
  const auto bytes = from_base64(value.substr(kBegin.size(), value.size() - kBegin.size() - kEnd.size()));
  if (!bytes) return std::nullopt;
  return *bytes;
}

// The answer to one POST: plain JSON if the answer is all that there is to say, else a stream of events.
class McpHttpEndpoint::PostOutlet final : public McpOutlet {
 public:
  struct Parts {
    std::shared_ptr<HttpAnswer> answer;
    std::shared_ptr<McpStreams> streams;
    HttpFields fields = {};
    bool may_stream = true;
    bool streams_at_once = false;
    bool is_resumable = false;
    bool has_status_codes = false;  // errors of the protocol are errors of HTTP
  };
  explicit PostOutlet(Parts parts) : parts_(std::move(parts)) {
    if (parts_.streams_at_once && parts_.may_stream) begin();
  }

  void send(std::string message) override {
    const std::lock_guard lock(mutex_);
    if (!parts_.may_stream) return;  // the client can hear nothing but the answer
    begin();
    parts_.streams->send(*stream_, message);
  }
  void finish(std::string message, std::optional<std::int64_t> error, bool by_protocol) override {
    const std::lock_guard lock(mutex_);
    finished_ = true;
    if (!stream_) {
      const int status = error && by_protocol && parts_.has_status_codes ? status_of(*error) : 200;
      return send_json(*parts_.answer, status, std::move(message), parts_.fields);
    }
    parts_.streams->send(*stream_, message);
    parts_.streams->finish(*stream_);
  }
  void abandon() override {
    const std::lock_guard lock(mutex_);
    finished_ = true;
    if (stream_) return parts_.streams->finish(*stream_);
    parts_.answer->send(202, parts_.fields, "");
  }
  void let_go() override {
    const std::lock_guard lock(mutex_);
    if (stream_) parts_.streams->let_go(*stream_);
  }
  // Proxies and clients give up on connections where nothing happens.
  void keep_alive() {
    const std::lock_guard lock(mutex_);
    if (finished_ || !parts_.may_stream) return;
    begin();
    parts_.streams->keep_alive();
  }

 private:
  void begin() {
    if (!stream_) stream_ = parts_.streams->open(parts_.answer, parts_.fields, parts_.is_resumable);
  }

  const Parts parts_;
  std::mutex mutex_;
  std::optional<std::uint64_t> stream_;  // under mutex_
  bool finished_ = false;                // under mutex_
};

// What the server says by itself: on the stream that the client opened by GET.
class McpHttpEndpoint::GeneralOutlet final : public McpOutlet {
 public:
  GeneralOutlet(std::shared_ptr<McpStreams> streams, std::uint64_t stream)
      : streams_(std::move(streams)), stream_(stream) {}
  void send(std::string message) override { streams_->send(stream_, message); }
  void finish(std::string, std::optional<std::int64_t>, bool) override {}
  void abandon() override {}

 private:
  const std::shared_ptr<McpStreams> streams_;
  const std::uint64_t stream_;
};

McpHttpEndpoint::McpHttpEndpoint(McpService& service, HttpGuard guard, const Clock& clock)
    : McpHttpEndpoint(service, std::move(guard), clock, Options()) {}

McpHttpEndpoint::McpHttpEndpoint(McpService& service, HttpGuard guard, const Clock& clock, Options options)
    : service_(service),
      guard_(std::move(guard)),
      clock_(clock),
      options_(std::move(options)),
      ticker_([this](const std::stop_token& stop) { keep_alive(stop); }) {}

McpHttpEndpoint::~McpHttpEndpoint() {
  ticker_.request_stop();
  ticker_.join();
  std::map<std::string, Client, std::less<>> clients;
  std::vector<std::weak_ptr<McpClientSession>> passing;
  {
    const std::lock_guard lock(mutex_);
    clients = std::exchange(clients_, {});
    passing = std::exchange(passing_, {});
  }
  for (const auto& [id, client] : clients) {
    client.session->end();
    client.streams->end();
  }
  for (const auto& one : passing) {
    if (const auto session = one.lock()) session->end();
  }
}

void McpHttpEndpoint::keep_alive(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    stopped_.wait_for(lock, stop, options_.keep_alive, [] { return false; });
    if (stop.stop_requested()) return;
    std::vector<std::shared_ptr<McpStreams>> streams;
    std::vector<std::shared_ptr<PostOutlet>> outlets;
    for (const auto& [id, client] : clients_) streams.push_back(client.streams);
    for (const auto& outlet : outlets_) {
      if (auto alive = outlet.lock()) outlets.push_back(std::move(alive));
    }
    std::erase_if(passing_, [](const auto& session) { return session.expired(); });
    std::erase_if(listeners_, [](const auto& listener) { return listener.expired(); });
    std::erase_if(outlets_, [](const auto& outlet) { return outlet.expired(); });
    lock.unlock();
    for (const auto& one : streams) one->keep_alive();
    for (const auto& one : outlets) one->keep_alive();
    end_idle_sessions();
    lock.lock();
  }
}

void McpHttpEndpoint::end_idle_sessions() {
  std::vector<Client> idle;
  {
    const std::lock_guard lock(mutex_);
    for (auto client = clients_.begin(); client != clients_.end();) {
      const bool is_used = client->second.session->requests() > 0 ||
                           client->second.streams->has_reader(client->second.general_stream) ||
                           clock_.now() - client->second.used < options_.session_idle_max;
      if (!is_used) idle.push_back(client->second);
      client = is_used ? std::next(client) : clients_.erase(client);
    }
  }
  for (const Client& client : idle) {
    client.session->end();
    client.streams->end();
  }
}

void McpHttpEndpoint::serve(ReadRequest request, std::shared_ptr<HttpAnswer> answer) {
  if (const auto refusal = guard_.refusal(request)) {
    HttpFields fields;
    if (refusal->status == 401) fields.emplace_back("WWW-Authenticate", "Bearer");
    return send_fault(*answer, refusal->status, kRpcInvalidRequest, refusal->message, std::move(fields));
  }
  if (request.path != options_.path) {
    return send_fault(*answer, 404, kRpcInvalidRequest, "The endpoint is " + options_.path);
  }
  if (request.method == "POST") return post(request, answer);
  if (request.method == "GET") return get(request, answer);
  if (request.method == "DELETE") return remove(request, answer);
  send_fault(*answer, 405, kRpcInvalidRequest, "Only POST, GET and DELETE mean something here",
             {{"Allow", "POST, GET, DELETE"}});
}

void McpHttpEndpoint::post(const ReadRequest& request, const std::shared_ptr<HttpAnswer>& answer) {
  if (!is_json(request)) return send_fault(*answer, 415, kRpcInvalidRequest, "Content-Type must be application/json");
  if (!accepts(request, "application/json") && !accepts(request, "text/event-stream")) {
    return send_fault(*answer, 406, kRpcInvalidRequest, "Accept must name application/json and text/event-stream");
  }
  auto received = read_mcp_messages(request.body);
  if (!received) {
    const RpcFault& fault = received.error();
    return send_json(*answer, 400, to_text(rpc_failure(fault.id, fault.code, fault.message)));
  }
  if (received->is_batch) return post_batch(request, *std::move(received), answer);
  RpcMessage message = *std::move(received->messages[0]);
  const std::string* version = request.field("mcp-protocol-version");
  const auto* asked = std::get_if<RpcRequest>(&message);
  const bool says_so = asked && (modern_version_of(asked->params) || asked->method == "server/discover");
  const auto& known = mcp_served_versions();
  const bool is_legacy = version && *version != kMcpServedModern && std::ranges::find(known, *version) != known.end();
  const bool has_session = request.field("mcp-session-id") != nullptr;
  const bool begins = asked && asked->method == "initialize" && !says_so && !(version && *version == kMcpServedModern);
  const bool is_modern = says_so || (version && !is_legacy && !has_session && !begins);
  return is_modern ? post_modern(request, std::move(message), answer)
                   : post_legacy(request, std::move(message), answer);
}

// --- without a session ---

std::optional<RpcError> McpHttpEndpoint::header_fault(const ReadRequest& request, const RpcRequest& message) const {
  const std::string* version = request.field("mcp-protocol-version");
  const auto said = modern_version_of(message.params);
  if (!version) return mismatch("the header MCP-Protocol-Version is missing");
  if (said && *said != *version) return mismatch("the header MCP-Protocol-Version is not what _meta says");
  if (auto fault = modern_fault(message.params)) return fault;
  const std::string* method = request.field("mcp-method");
  if (!method) return mismatch("the header Mcp-Method is missing");
  if (*method != message.method) return mismatch("the header Mcp-Method is not the method of the message");
  const auto name = name_of(message);
  const std::string* named = request.field("mcp-name");
  if (name && !named) return mismatch("the header Mcp-Name is missing");
  if (name && decoded_header(*named) != std::string(*name)) return mismatch("the header Mcp-Name is not what is named");
  if (message.method != "tools/call" || !name) return std::nullopt;
  const auto schema = service_.input_schema(*name);
  return schema ? param_fault(request, message, *schema) : std::nullopt;
}

void McpHttpEndpoint::post_modern(const ReadRequest& request, RpcMessage message,
                                  const std::shared_ptr<HttpAnswer>& answer) {
  const auto* asked = std::get_if<RpcRequest>(&message);
  if (!asked) return answer->send(202, {}, "");  // closing a request's connection takes it back; nothing else is said
  if (auto fault = header_fault(request, *asked)) {
    const int status = status_of(fault->code);
    return send_json(*answer, status, to_text(rpc_failure(asked->id, fault->code, fault->message, fault->data)));
  }
  const auto session = std::make_shared<McpClientSession>(service_, "");
  const RpcId id = asked->id;
  const bool listens = asked->method == "subscriptions/listen";
  const auto outlet =
      std::make_shared<PostOutlet>(PostOutlet::Parts{.answer = answer,
                                                     .streams = std::make_shared<McpStreams>(),
                                                     .may_stream = accepts(request, "text/event-stream"),
                                                     .has_status_codes = true});
  {
    const std::lock_guard lock(mutex_);
    outlets_.push_back(outlet);
    passing_.push_back(session);
    if (listens) listeners_.push_back(session);
  }
  session->take(std::move(message), outlet);
  answer->when_gone([weak = std::weak_ptr(session), id] {
    if (const auto alive = weak.lock()) alive->stop_request(id);
  });
}

// --- with a session ---

std::optional<McpHttpEndpoint::Client> McpHttpEndpoint::begin_session() {
  const std::string id = random_uuid();
  Client client{.session = std::make_shared<McpClientSession>(service_, id),
                .streams = std::make_shared<McpStreams>(),
                .used = clock_.now()};
  const std::lock_guard lock(mutex_);
  if (clients_.size() >= kMcpSessionsMax) return std::nullopt;
  clients_.emplace(id, client);
  return client;
}

std::optional<McpHttpEndpoint::Client> McpHttpEndpoint::find_client(const ReadRequest& request,
                                                                    const std::shared_ptr<HttpAnswer>& answer) {
  const std::string* id = request.field("mcp-session-id");
  if (!id) {
    send_fault(*answer, 400, kRpcInvalidRequest, "Mcp-Session-Id is missing: send initialize first");
    return std::nullopt;
  }
  const std::string* version = request.field("mcp-protocol-version");
  const auto& known = mcp_served_versions();
  if (version && (*version == kMcpServedModern || std::ranges::find(known, *version) == known.end())) {
    send_fault(*answer, 400, kRpcInvalidRequest, "MCP-Protocol-Version is not one that a session can have");
    return std::nullopt;
  }
  const std::lock_guard lock(mutex_);
  const auto found = clients_.find(*id);
  if (found == clients_.end()) {
    send_fault(*answer, 404, kRpcInvalidRequest, "There is no such session (any more): send initialize again");
    return std::nullopt;
  }
  found->second.used = clock_.now();
  return found->second;
}

void McpHttpEndpoint::post_legacy(const ReadRequest& request, RpcMessage message,
                                  const std::shared_ptr<HttpAnswer>& answer) {
  const auto* asked = std::get_if<RpcRequest>(&message);
  const bool begins = asked && asked->method == "initialize";
  std::optional<Client> client;
  HttpFields fields;
  if (begins && !request.field("mcp-session-id")) {
    client = begin_session();
    if (!client) {
      return send_fault(*answer, 503, kRpcInternalError, "Too many sessions are open; end one with DELETE");
    }
    fields.emplace_back("Mcp-Session-Id", client->session->id());
  } else {
    client = find_client(request, answer);
    if (!client) return;
  }
  if (!asked) {
    client->session->take(std::move(message), nullptr);
    return answer->send(202, {}, "");
  }
  // What the service answers may take long, and the client can come back to a stream; these two are answered at once.
  const bool is_quick = begins || asked->method == "ping";
  auto outlet = std::make_shared<PostOutlet>(
      PostOutlet::Parts{.answer = answer,
                        .streams = client->streams,
                        .fields = std::move(fields),
                        .may_stream = accepts(request, "text/event-stream"),
                        .streams_at_once = !is_quick || !accepts(request, "application/json"),
                        .is_resumable = client->session->version() >= kMcpServedLegacy});
  client->session->take(std::move(message), outlet);
}

// Only sessions of old revisions have them.
void McpHttpEndpoint::post_batch(const ReadRequest& request, McpReceived batch,
                                 const std::shared_ptr<HttpAnswer>& answer) {
  std::optional<Client> client;
  if (request.field("mcp-session-id")) {
    client = find_client(request, answer);
    if (!client) return;
  }
  if (const auto fault = batch_fault(batch, client ? client->session->version() : "")) {
    return send_fault(*answer, 400, fault->code, fault->message);
  }
  if (batch.answers() == 0) {
    take_batch(std::move(batch), *client->session, nullptr, false);
    return answer->send(202, {}, "");
  }
  const bool streams = accepts(request, "text/event-stream");
  auto outlet = std::make_shared<PostOutlet>(PostOutlet::Parts{
      .answer = answer, .streams = client->streams, .may_stream = streams, .streams_at_once = streams});
  take_batch(std::move(batch), *client->session, outlet, streams);
}

void McpHttpEndpoint::get(const ReadRequest& request, const std::shared_ptr<HttpAnswer>& answer) {
  if (!request.field("mcp-session-id")) {
    return send_fault(*answer, 405, kRpcInvalidRequest, "Without a session there is nothing to get",
                      {{"Allow", "POST"}});
  }
  if (!accepts(request, "text/event-stream")) {
    return send_fault(*answer, 406, kRpcInvalidRequest, "Accept must name text/event-stream");
  }
  const auto client = find_client(request, answer);
  if (!client) return;
  if (const std::string* last = request.field("last-event-id")) {
    if (client->streams->resume(*last, answer, {})) return;
    return send_fault(*answer, 400, kRpcInvalidRequest, "What follows this Last-Event-ID is not kept any more");
  }
  if (client->streams->has_reader(client->general_stream)) {
    return send_fault(*answer, 409, kRpcInvalidRequest, "This session has a stream already");
  }
  const std::uint64_t stream = client->streams->open(answer, {}, client->session->version() >= kMcpServedLegacy);
  client->session->use_general_outlet(std::make_shared<GeneralOutlet>(client->streams, stream));
  client->streams->finish(client->general_stream);  // nobody writes to the former one any more
  const std::lock_guard lock(mutex_);
  if (const auto found = clients_.find(client->session->id()); found != clients_.end()) {
    found->second.general_stream = stream;
  }
}

void McpHttpEndpoint::remove(const ReadRequest& request, const std::shared_ptr<HttpAnswer>& answer) {
  if (!request.field("mcp-session-id")) {
    return send_fault(*answer, 405, kRpcInvalidRequest, "Without a session there is nothing to end",
                      {{"Allow", "POST"}});
  }
  const auto client = find_client(request, answer);
  if (!client) return;
  {
    const std::lock_guard lock(mutex_);
    clients_.erase(client->session->id());
  }
  client->session->end();
  client->streams->end();
  answer->send(204, {}, "");
}

void McpHttpEndpoint::announce(const McpChange& change) {
  std::vector<std::shared_ptr<McpClientSession>> sessions;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [id, client] : clients_) sessions.push_back(client.session);
    for (const auto& listener : listeners_) {
      if (auto session = listener.lock()) sessions.push_back(std::move(session));
    }
  }
  for (const auto& session : sessions) session->announce(change);
}

std::size_t McpHttpEndpoint::sessions() const {
  const std::lock_guard lock(mutex_);
  return clients_.size();
}

}  // namespace deft
