#include "deft/mcp/server.h"

#include <algorithm>
#include <array>
#include <utility>

// A request comes in by take(), becomes a Request, and either is answered here (all that is about the connection) or
// handed to the service. Whoever answers it does so through the Request, which knows its outlet.

namespace deft {
namespace {

constexpr std::string_view kVersionKey = "io.modelcontextprotocol/protocolVersion";
constexpr std::string_view kCapabilitiesKey = "io.modelcontextprotocol/clientCapabilities";
constexpr std::string_view kClientInfoKey = "io.modelcontextprotocol/clientInfo";
constexpr std::string_view kServerInfoKey = "io.modelcontextprotocol/serverInfo";
constexpr std::string_view kLogLevelKey = "io.modelcontextprotocol/logLevel";
constexpr std::string_view kSubscriptionKey = "io.modelcontextprotocol/subscriptionId";

constexpr std::array<std::string_view, 8> kLogLevels = {"debug", "info",     "notice", "warning",
                                                        "error", "critical", "alert",  "emergency"};
// Results that may be kept by the client: for how long is said.
constexpr std::array<std::string_view, 6> kCacheable = {
    "server/discover", "tools/list", "prompts/list", "resources/list", "resources/templates/list", "resources/read"};

constexpr std::size_t kUriBytesMax = std::size_t{8} << 10;  // of one that is to be remembered
constexpr std::string_view kLevelUnasked = "info";          // of the log, for clients with a session that have not said

const Json& meta_of(const Json& params) {
  static const Json none;
  const Json* meta = find(params, "_meta");
  return meta ? *meta : none;
}

std::string notification_text(std::string method, Json params) {
  return to_text(RpcNotification{std::move(method), std::move(params)});
}

// Is there ever word of changes?
bool tells_of(const McpServerFace& face, std::string_view capability, std::string_view change) {
  const Json* offered = find(face.capabilities, capability);
  return offered && find_bool(*offered, change).value_or(false);
}

std::string method_of(McpChange::What what) {
  switch (what) {
    case McpChange::What::tools: return "notifications/tools/list_changed";
    case McpChange::What::prompts: return "notifications/prompts/list_changed";
    case McpChange::What::resources: return "notifications/resources/list_changed";
    case McpChange::What::resource: return "notifications/resources/updated";
  }
  return {};
}

}  // namespace

const std::vector<std::string_view>& mcp_served_versions() {
  static const std::vector<std::string_view> versions = {kMcpServedModern, kMcpServedLegacy, "2025-06-18", "2025-03-26",
                                                         "2024-11-05"};
  return versions;
}

int log_severity(std::string_view level) {
  const auto found = std::ranges::find(kLogLevels, level);
  return found == kLogLevels.end() ? -1 : static_cast<int>(found - kLogLevels.begin());
}

std::optional<std::string_view> modern_version_of(const std::optional<Json>& params) {
  return params ? find_string(meta_of(*params), kVersionKey) : std::nullopt;
}

std::optional<RpcError> modern_fault(const std::optional<Json>& params) {
  const auto version = modern_version_of(params);
  if (!version) return RpcError{kRpcInvalidParams, "params._meta must hold " + std::string(kVersionKey)};
  if (!find_object(meta_of(*params), kCapabilitiesKey)) {
    return RpcError{kRpcInvalidParams, "params._meta must hold " + std::string(kCapabilitiesKey) + ", an object"};
  }
  if (*version == kMcpServedModern) return std::nullopt;
  JsonArray supported;
  for (const std::string_view one : mcp_served_versions()) supported.emplace_back(one);
  return RpcError{kMcpUnsupportedVersion, "This revision is not spoken here without a session",
                  JsonObject{{"supported", std::move(supported)}, {"requested", *version}}};
}

// --- one request ---

class McpClientSession::Request final : public McpServed {
 public:
  Request(std::shared_ptr<McpClientSession> session, RpcRequest from, McpRequester its_caller,
          std::shared_ptr<McpOutlet> outlet, std::string log_level)
      : session_(std::move(session)),
        id_(std::move(from.id)),
        method_(std::move(from.method)),
        params_(from.params ? std::move(*from.params) : Json(JsonObject())),
        caller_(std::move(its_caller)),
        outlet_(std::move(outlet)),
        log_level_(std::move(log_level)) {
    const Json* token = find(meta_of(params_), "progressToken");
    if (token && (token->is_string() || token->is_int64() || token->is_uint64())) progress_token_ = *token;
  }

  const McpRequester& caller() const override { return caller_; }
  const std::string& method() const override { return method_; }
  const Json& params() const override { return params_; }
  std::stop_token stop() const override { return stop_.get_token(); }
  const RpcId& id() const { return id_; }

  void answer(JsonObject result) override {
    if (!claim()) return;
    if (caller_.era == McpEra::modern) complete(result);
    session_->forget(id_);
    outlet_->finish(to_text(rpc_answer(id_, std::move(result))), std::nullopt, false);
  }
  void fail(RpcError error) override {
    const bool by_protocol = error.code == kMcpMissingCapability;
    fail(std::move(error), by_protocol);
  }
  void fail(RpcError error, bool by_protocol) {
    if (!claim()) return;
    session_->forget(id_);
    const std::int64_t code = error.code;
    outlet_->finish(to_text(rpc_failure(id_, error.code, std::move(error.message), std::move(error.data))), code,
                    by_protocol);
  }

  // Of one that listens: nothing more comes.
  void end_listening() { answer({{"_meta", JsonObject{{kSubscriptionKey, id_.json()}}}}); }

  // It is not wanted any more. Whoever is at it hears of it, and nobody is answered.
  void cancel() {
    stop_.request_stop();
    if (!claim()) return;
    session_->forget(id_);
    outlet_->abandon();
  }

  // Never behind the answer.
  void notify(std::string method, Json params) {
    const std::lock_guard lock(mutex_);
    if (!answered_) outlet_->send(notification_text(std::move(method), std::move(params)));
  }

  void progress(double done, std::optional<double> total, std::string_view message) override {
    if (!progress_token_) return;
    JsonObject params{{"progressToken", *progress_token_}};
    const auto number = [](double value) {
      const auto whole = static_cast<std::int64_t>(value);
      return static_cast<double>(whole) == value ? Json(whole) : Json(value);
    };
    params["progress"] = number(done);
    if (total) params["total"] = number(*total);
    if (!message.empty()) params["message"] = message;
    notify("notifications/progress", std::move(params));
  }

  void log(std::string_view level, std::string_view logger, Json data) override {
    const bool says_nothing = log_level_.empty() && caller_.era == McpEra::modern;  // it must be asked for
    const std::string_view least = log_level_.empty() ? kLevelUnasked : std::string_view(log_level_);
    if (says_nothing || log_severity(level) < log_severity(least)) return;
    JsonObject params{{"level", level}};
    if (!logger.empty()) params["logger"] = logger;
    params["data"] = std::move(data);
    notify("notifications/message", std::move(params));
  }

  void ask(std::string method, Json params, Told told) override {
    session_->ask(id_, std::move(method), std::move(params), std::move(told));
  }
  void send(std::string message) { outlet_->send(std::move(message)); }
  void let_go() override { outlet_->let_go(); }

 private:
  void complete(JsonObject& result) const {
    if (!result.contains("resultType")) result["resultType"] = "complete";
    Json& meta = result["_meta"];
    if (!meta.is_object()) meta = JsonObject();
    meta.get_object()[kServerInfoKey] = session_->service_.face(McpEra::modern).info;
    if (std::ranges::find(kCacheable, method_) == kCacheable.end() || result["resultType"] != "complete") return;
    if (!result.contains("ttlMs")) result["ttlMs"] = 0;
    if (!result.contains("cacheScope")) result["cacheScope"] = "private";
  }

  // True: nobody has answered it yet, and whoever asked does.
  bool claim() {
    const std::lock_guard lock(mutex_);
    return !std::exchange(answered_, true);
  }

  const std::shared_ptr<McpClientSession> session_;
  const RpcId id_;
  const std::string method_;
  const Json params_;
  const McpRequester caller_;
  const std::shared_ptr<McpOutlet> outlet_;
  const std::string log_level_;
  std::optional<Json> progress_token_;
  std::stop_source stop_;
  std::mutex mutex_;
  bool answered_ = false;  // under mutex_
};

// --- what the client says ---

void McpClientSession::take(RpcMessage message, const std::shared_ptr<McpOutlet>& outlet) {
  if (auto* request = std::get_if<RpcRequest>(&message)) return take_request(std::move(*request), outlet);
  if (auto* response = std::get_if<RpcResponse>(&message)) return take_response(std::move(*response));
  take_notification(std::get<RpcNotification>(message));
}

void McpClientSession::take_request(RpcRequest from, const std::shared_ptr<McpOutlet>& outlet) {
  const auto refuse = [&](RpcError error) {
    outlet->finish(to_text(rpc_failure(from.id, error.code, error.message, error.data)), error.code, true);
  };
  if (from.params && !from.params->is_object()) return refuse({kRpcInvalidParams, "params must be an object"});
  const bool is_modern = modern_version_of(from.params) || from.method == "server/discover";
  if (is_modern) {
    if (auto fault = modern_fault(from.params)) return refuse(std::move(*fault));
  }
  std::shared_ptr<Request> request;
  {
    const std::lock_guard lock(mutex_);
    if (ended_) return outlet->abandon();
    McpRequester caller = caller_;
    std::string level = log_level_;
    if (is_modern) {
      const Json& meta = meta_of(*from.params);
      caller = {.era = McpEra::modern,
                .version = std::string(*modern_version_of(from.params)),
                .capabilities = *find(meta, kCapabilitiesKey),
                .session = id_};
      if (const Json* info = find(meta, kClientInfoKey)) caller.info = *info;
      level = std::string(find_string(meta, kLogLevelKey).value_or(""));
    }
    if (requests_.size() >= kMcpRequestsPerClientMax) {
      return refuse({kRpcInternalError, "too many requests are under way; wait for some of them"});
    }
    if (requests_.contains(from.id)) return refuse({kRpcInvalidRequest, "a request of this id is under way"});
    request = std::make_shared<Request>(shared_from_this(), std::move(from), std::move(caller), outlet, level);
    requests_.emplace(request->id(), request);
  }
  return is_modern ? take_modern(request) : take_legacy(request);
}

bool McpClientSession::offers(const std::string& method, McpEra era) const {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kMethods = {
      {{"tools/list", "tools"},
       {"tools/call", "tools"},
       {"resources/list", "resources"},
       {"resources/templates/list", "resources"},
       {"resources/read", "resources"},
       {"prompts/list", "prompts"},
       {"prompts/get", "prompts"},
       {"completion/complete", "completions"}}};
  const auto known = std::ranges::find(kMethods, method, [](const auto& pair) { return pair.first; });
  const JsonObject capabilities = service_.face(era).capabilities;
  if (known != kMethods.end()) return capabilities.contains(known->second);
  // Of extensions, the service knows the methods itself.
  return capabilities.contains("extensions") && method.starts_with("tasks/");
}

void McpClientSession::take_legacy(const std::shared_ptr<Request>& request) {
  const std::string& method = request->method();
  if (method == "initialize") return initialize(request);
  if (method == "ping") return request->answer({});
  if (version().empty()) {
    return request->fail({kRpcInvalidParams,
                          "send initialize first, or a request of revision 2026-07-28, whose _meta "
                          "holds " +
                              std::string(kVersionKey)},
                         true);
  }
  if (method == "logging/setLevel") return set_level(request);
  if (method == "resources/subscribe") return subscribe(request, true);
  if (method == "resources/unsubscribe") return subscribe(request, false);
  if (!offers(method, McpEra::legacy)) return request->fail({kRpcMethodNotFound, "no such method"}, true);
  service_.handle(request);
}

void McpClientSession::take_modern(const std::shared_ptr<Request>& request) {
  const std::string& method = request->method();
  if (method == "server/discover") return discover(request);
  if (method == "subscriptions/listen") return listen(request);
  if (!offers(method, McpEra::modern)) return request->fail({kRpcMethodNotFound, "no such method"}, true);
  service_.handle(request);
}

void McpClientSession::initialize(const std::shared_ptr<Request>& request) {
  const auto wanted = find_string(request->params(), "protocolVersion");
  if (!wanted) return request->fail({kRpcInvalidParams, "initialize needs protocolVersion"}, true);
  const auto& versions = mcp_served_versions();
  const bool is_known = *wanted != kMcpServedModern && std::ranges::find(versions, *wanted) != versions.end();
  const std::string version(is_known ? *wanted : kMcpServedLegacy);
  {
    const std::lock_guard lock(mutex_);
    is_initialized_ = false;  // a client that starts over keeps its session
    caller_ = {.era = McpEra::legacy, .version = version, .session = id_};
    if (const JsonObject* can = find_object(request->params(), "capabilities")) caller_.capabilities = *can;
    if (const Json* info = find(request->params(), "clientInfo")) caller_.info = *info;
  }
  const McpServerFace face = service_.face(McpEra::legacy);
  JsonObject result{{"protocolVersion", version}, {"capabilities", face.capabilities}, {"serverInfo", face.info}};
  if (!face.instructions.empty()) result["instructions"] = face.instructions;
  request->answer(std::move(result));
}

void McpClientSession::discover(const std::shared_ptr<Request>& request) {
  const McpServerFace face = service_.face(McpEra::modern);
  JsonArray versions;
  for (const std::string_view version : mcp_served_versions()) versions.emplace_back(version);
  JsonObject result{{"supportedVersions", std::move(versions)}, {"capabilities", face.capabilities}};
  if (!face.instructions.empty()) result["instructions"] = face.instructions;
  request->answer(std::move(result));
}

void McpClientSession::set_level(const std::shared_ptr<Request>& request) {
  const auto level = find_string(request->params(), "level");
  if (!level || log_severity(*level) < 0) {
    return request->fail({kRpcInvalidParams,
                          "level is one of debug, info, notice, warning, error, critical, alert, "
                          "emergency"});
  }
  {
    const std::lock_guard lock(mutex_);
    log_level_ = *level;
  }
  request->answer({});
}

void McpClientSession::subscribe(const std::shared_ptr<Request>& request, bool wanted) {
  if (!tells_of(service_.face(McpEra::legacy), "resources", "subscribe")) {
    return request->fail({kRpcMethodNotFound, "no such method"}, true);
  }
  const auto uri = find_string(request->params(), "uri");
  if (!uri) return request->fail({kRpcInvalidParams, "uri is missing"});
  if (uri->size() > kUriBytesMax) return request->fail({kRpcInvalidParams, "uri is too long"});
  {
    const std::lock_guard lock(mutex_);
    if (!wanted) subscriptions_.erase(std::string(*uri));
    if (wanted && subscriptions_.size() < kMcpSubscriptionsPerClientMax) subscriptions_.emplace(*uri);
  }
  request->answer({});
}

// Stays open: what changes is told on it, until the client takes it back. Only what the server ever tells is granted.
void McpClientSession::listen(const std::shared_ptr<Request>& request) {
  const Json* wanted = find(request->params(), "notifications");
  if (!wanted || !wanted->is_object()) {
    return request->fail({kRpcInvalidParams, "notifications must be an object that says what to listen for"});
  }
  const McpServerFace face = service_.face(McpEra::modern);
  const auto grants = [&](std::string_view key, std::string_view capability) {
    return find_bool(*wanted, key).value_or(false) && tells_of(face, capability, "listChanged");
  };
  Listening listening{.request = request,
                      .tools = grants("toolsListChanged", "tools"),
                      .prompts = grants("promptsListChanged", "prompts"),
                      .resources = grants("resourcesListChanged", "resources")};
  JsonArray uris;
  const JsonArray* list = find_array(*wanted, "resourceSubscriptions");
  if (list && tells_of(face, "resources", "subscribe")) {
    for (const Json& uri : *list) {
      if (!uri.is_string() || uri.get_string().size() > kUriBytesMax) continue;
      if (listening.uris.size() >= kMcpSubscriptionsPerClientMax) break;
      if (listening.uris.emplace(view(uri.get_string())).second) uris.push_back(uri);
    }
  }
  JsonObject granted;
  if (listening.tools) granted["toolsListChanged"] = true;
  if (listening.prompts) granted["promptsListChanged"] = true;
  if (listening.resources) granted["resourcesListChanged"] = true;
  if (!uris.empty()) granted["resourceSubscriptions"] = std::move(uris);
  const bool is_idle = granted.empty();
  request->notify("notifications/subscriptions/acknowledged",
                  JsonObject{{"notifications", std::move(granted)},
                             {"_meta", JsonObject{{kSubscriptionKey, request->id().json()}}}});
  if (is_idle) return request->end_listening();  // nothing could ever come
  const std::lock_guard lock(mutex_);
  if (!request->stop().stop_requested()) listening_.emplace(request->id(), std::move(listening));
}

void McpClientSession::take_notification(const RpcNotification& notification) {
  if (notification.method == "notifications/initialized") {
    const std::lock_guard lock(mutex_);
    is_initialized_ = !caller_.version.empty();
    return;
  }
  if (notification.method != "notifications/cancelled" || !notification.params) return;
  const Json* id = find(*notification.params, "requestId");
  if (!id) return;
  if (const auto* number = id->if_int64()) return stop_request(RpcId(*number));
  if (const auto* text = id->if_string()) return stop_request(RpcId(std::string(view(*text))));
}

void McpClientSession::stop_request(const RpcId& id) {
  std::shared_ptr<Request> request;
  {
    const std::lock_guard lock(mutex_);
    const auto found = requests_.find(id);
    if (found == requests_.end() || found->second->method() == "initialize") return;
    request = found->second;
  }
  drop_asks(id);
  request->cancel();
}

void McpClientSession::forget(const RpcId& id) {
  const std::lock_guard lock(mutex_);
  requests_.erase(id);
  listening_.erase(id);
}

// --- what the client is asked ---

void McpClientSession::ask(const RpcId& by, std::string method, Json params, McpServed::Told told) {
  std::optional<std::int64_t> number;
  std::shared_ptr<Request> request;
  {
    const std::lock_guard lock(mutex_);
    const auto found = requests_.find(by);
    if (!ended_ && found != requests_.end() && asks_.size() < kMcpAsksPerClientMax &&
        found->second->caller().era == McpEra::legacy) {
      request = found->second;
      number = ++asks_made_;
      asks_.emplace(*number, Ask{by, std::move(told)});
    }
  }
  if (!number) return told(std::unexpected(RpcError{kRpcInternalError, "the client cannot be asked"}));
  request->send(to_text(RpcRequest{RpcId(*number), std::move(method), std::move(params)}));
}

void McpClientSession::take_response(RpcResponse response) {
  if (!response.id) return;
  const Json id = response.id->json();
  const auto* number = id.if_int64();
  if (!number) return;
  McpServed::Told told;
  {
    const std::lock_guard lock(mutex_);
    const auto asked = asks_.find(*number);
    if (asked == asks_.end()) return;
    told = std::move(asked->second.told);
    asks_.erase(asked);
  }
  told(std::move(response.outcome));
}

void McpClientSession::drop_asks(const std::optional<RpcId>& of) {
  std::vector<McpServed::Told> dropped;
  {
    const std::lock_guard lock(mutex_);
    for (auto ask = asks_.begin(); ask != asks_.end();) {
      if (of && ask->second.by != *of) {
        ++ask;
        continue;
      }
      dropped.push_back(std::move(ask->second.told));
      ask = asks_.erase(ask);
    }
  }
  for (const auto& told : dropped) told(std::unexpected(RpcError{kRpcInternalError, "the request was taken back"}));
}

// --- what the client hears ---

void McpClientSession::use_general_outlet(std::shared_ptr<McpOutlet> outlet) {
  const std::lock_guard lock(mutex_);
  general_ = std::move(outlet);
}

void McpClientSession::announce(const McpChange& change) {
  const bool is_one = change.what == McpChange::What::resource;
  JsonObject params;
  if (is_one) params["uri"] = change.uri;
  std::vector<std::shared_ptr<Request>> listeners;
  std::shared_ptr<McpOutlet> general;
  {
    const std::lock_guard lock(mutex_);
    if (is_initialized_ && (!is_one || subscriptions_.contains(change.uri))) general = general_;
    for (const auto& [id, listening] : listening_) {
      const bool wants = (change.what == McpChange::What::tools && listening.tools) ||
                         (change.what == McpChange::What::prompts && listening.prompts) ||
                         (change.what == McpChange::What::resources && listening.resources) ||
                         (is_one && listening.uris.contains(change.uri));
      if (wants) listeners.push_back(listening.request);
    }
  }
  if (general) general->send(notification_text(method_of(change.what), params));
  for (const auto& listener : listeners) {
    JsonObject tagged = params;
    tagged["_meta"] = JsonObject{{kSubscriptionKey, listener->id().json()}};
    listener->notify(method_of(change.what), std::move(tagged));
  }
}

void McpClientSession::end() {
  std::map<RpcId, std::shared_ptr<Request>> requests;
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(ended_, true)) return;
    requests = requests_;
    general_ = nullptr;
  }
  drop_asks(std::nullopt);
  for (const auto& [id, request] : requests) {
    // A client that only listened is told that nothing more comes.
    if (request->method() == "subscriptions/listen") request->end_listening();
    request->cancel();
  }
  service_.session_ended(id_);
}

std::string McpClientSession::version() const {
  const std::lock_guard lock(mutex_);
  return caller_.version;
}

std::size_t McpClientSession::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_.size() - listening_.size();
}

}  // namespace deft
