#include "deft/mcp/client.h"

#include <algorithm>
#include <condition_variable>
#include <utility>

#include "deft/base/text.h"
#include "deft/base/utf8.h"

namespace deft {
namespace {

constexpr std::string_view kMetaPrefix = "io.modelcontextprotocol/";
constexpr std::int64_t kUrlElicitationRequired = -32042;
constexpr std::size_t kLogCharactersMax = 2000;
constexpr std::size_t kUriBytesMax = 8192;
constexpr Duration kListenDelay = std::chrono::seconds(1);
constexpr Duration kListenDelayMax = std::chrono::minutes(1);

struct ListWords {
  std::string_view method;
  std::string_view key;
  std::string_view capability;
};

ListWords words_of(McpListKind kind) {
  switch (kind) {
    case McpListKind::tools: return {"tools/list", "tools", "tools"};
    case McpListKind::resources: return {"resources/list", "resources", "resources"};
    case McpListKind::resource_templates: return {"resources/templates/list", "resourceTemplates", "resources"};
    case McpListKind::prompts: return {"prompts/list", "prompts", "prompts"};
  }
  return {};
}

std::unexpected<RpcError> refuse(std::int64_t code, std::string message) {
  return std::unexpected(RpcError{.code = code, .message = std::move(message)});
}

// file:///a%20b for "/a b".
std::string file_uri(std::string_view path) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  constexpr std::string_view kPlain = "/-._~";
  std::string out = "file://";
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                          kPlain.find(c) != std::string_view::npos;
    if (is_plain) {
      out += c;
    } else {
      out += '%';
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    }
  }
  return out;
}

std::expected<void, McpFailure> without_result(McpOutcome outcome) {
  if (!outcome) return std::unexpected(std::move(outcome.error()));
  return {};
}

}  // namespace

McpClient::McpClient(const Clock& clock, McpClientOptions options, McpHandlers handlers)
    : clock_(clock),
      options_(std::move(options)),
      handlers_(std::move(handlers)),
      peer_(std::make_shared<McpPeer>(
          options_.server, clock,
          McpPeer::Handlers{.request = [this](const std::string& method, const Json& params,
                                              const std::stop_token& stop) { return answer(method, params, stop); },
                            .notification = [this](const std::string& method,
                                                   const Json& params) { take_notification(method, params); },
                            .noted = handlers_.noted,
                            .closed =
                                [this](const Error& why) {
                                  if (handlers_.closed) handlers_.closed(why);
                                }})) {}

McpClient::~McpClient() { close(); }

McpServerFacts McpClient::facts() const {
  const std::lock_guard lock(mutex_);
  return facts_;
}

std::string McpClient::last_words() const {
  const std::lock_guard lock(mutex_);
  return transport_ ? transport_->last_words() : std::string();
}

void McpClient::close() {
  std::shared_ptr<McpTransport> transport;
  std::jthread listener;
  {
    const std::lock_guard lock(mutex_);
    transport = std::exchange(transport_, nullptr);
    listener = std::move(listener_);
  }
  listener.request_stop();
  if (listener.joinable()) listener.join();
  peer_->shut();
  if (transport) transport->close();
}

Json McpClient::capabilities() const {
  JsonObject out;
  if (handlers_.roots) out["roots"] = JsonObject{{"listChanged", true}};
  if (handlers_.sampling) out["sampling"] = JsonObject{};
  if (handlers_.elicitation) out["elicitation"] = JsonObject{{"form", JsonObject{}}, {"url", JsonObject{}}};
  return out;
}

// What every request of the modern era says.
Json McpClient::modern_capabilities() const {
  Json out = capabilities();
  out.get_object()["extensions"] = JsonObject{{kMcpTasksExtension, JsonObject{}}};
  return out;
}

void McpClient::add_meta(JsonObject& params) const {
  Json& meta = params["_meta"];
  if (!meta.is_object()) meta = JsonObject{};
  JsonObject& object = meta.get_object();
  const std::string prefix(kMetaPrefix);
  object[prefix + "protocolVersion"] = kMcpModernVersion;
  object[prefix + "clientCapabilities"] = modern_capabilities();
  object[prefix + "clientInfo"] = {{"name", options_.client_name}, {"version", options_.client_version}};
  const std::lock_guard lock(mutex_);
  if (!log_level_.empty()) object[prefix + "logLevel"] = log_level_;
}

McpOutcome McpClient::ask(McpRequest request, const std::stop_token& stop) {
  bool modern = false;
  bool is_remote = false;
  std::uint64_t session = 0;
  {
    const std::lock_guard lock(mutex_);
    modern = facts_.modern;
    session = session_number_;
    is_remote = transport_ && transport_->is_remote();
  }
  if (!request.timeout) request.timeout = options_.call_timeout;
  if (!request.idle_timeout) request.idle_timeout = is_remote ? kMcpRemoteIdleTimeout : kMcpLocalIdleTimeout;
  // Hanging up is the cancellation of the modern era, where there is something to hang up.
  if (modern && is_remote) request.tell_cancel = false;
  if (modern) add_meta(request.params);
  McpRequest again = request;
  auto outcome = peer_->request(std::move(request), stop);
  if (outcome || modern || !outcome.error().session_over || !outcome.error().not_processed) return outcome;
  // The server has forgotten the session, and has not looked at the request.
  if (auto begun = begin_anew(session, stop); !begun) return std::unexpected(std::move(begun.error()));
  return peer_->request(std::move(again), stop);
}

// In the modern era a result may be a question. The request is then made anew, with the answers.
McpOutcome McpClient::ask_with_input(McpRequest request, const std::stop_token& stop) {
  const McpRequest original = request;
  const TimePoint deadline = clock_.now() + request.timeout.value_or(options_.call_timeout);
  bool has_visited = false;
  for (int round = 0; round <= kMcpInputRoundsMax; ++round) {
    auto outcome = ask(std::move(request), stop);
    if (!outcome) {
      // Pages that the user has to visit first; then the same is asked once more.
      if (has_visited || !visit_pages(outcome.error(), stop)) return outcome;
      has_visited = true;
      request = original;
      continue;
    }
    const std::string_view type = find_string(*outcome, "resultType").value_or("complete");
    if (type == "complete") return outcome;
    if (type == "task" && original.method == "tools/call") return follow_task(*outcome, original, deadline, stop);
    if (type != "input_required") {
      return std::unexpected(McpFailure{.code = Errc::unsupported,
                                        .message = "the server gave a result of the kind " +
                                                   json_quote(type.substr(0, 100)) + ", which deft does not know"});
    }
    request = original;
    if (const JsonObject* questions = find_object(*outcome, "inputRequests")) {
      auto answers = answers_to(*questions, stop);
      if (!answers) {
        return std::unexpected(McpFailure{.code = answers.error().code, .message = std::move(answers.error().message)});
      }
      request.params["inputResponses"] = *std::move(answers);
    }
    if (const Json* state = find(*outcome, "requestState")) request.params["requestState"] = *state;
  }
  return std::unexpected(
      McpFailure{.code = Errc::limit,
                 .message = "the server asked more than " + std::to_string(kMcpInputRoundsMax) + " times in one call"});
}

bool McpClient::visit_pages(const McpFailure& failure, const std::stop_token& stop) {
  if (!failure.rpc || failure.rpc->code != kUrlElicitationRequired || !handlers_.elicitation) return false;
  const JsonArray* pages = failure.rpc->data ? find_array(*failure.rpc->data, "elicitations") : nullptr;
  if (pages == nullptr || pages->empty() || pages->size() > kMcpServerRequestsMax) return false;
  for (const Json& page : *pages) {
    const auto answered = answer_elicitation(page, stop);
    if (!answered || find_string(*answered, "action") != "accept") return false;
  }
  return true;
}

Result<JsonObject> McpClient::answers_to(const JsonObject& questions, const std::stop_token& stop) {
  if (questions.size() > kMcpServerRequestsMax) return fail(Errc::limit, "the server asks too many things at once");
  JsonObject out;
  for (const auto& [key, question] : questions) {
    const Json* params = find(question, "params");
    const Json none = JsonObject{};
    auto given = answer(std::string(find_string(question, "method").value_or("")), params ? *params : none, stop);
    if (stop.stop_requested()) return fail(Errc::cancelled, "cancelled");
    if (!given) return fail(Errc::failed, "the server asked what cannot be answered: " + given.error().message);
    out[key] = *std::move(given);
  }
  return out;
}

std::expected<Json, RpcError> McpClient::answer(const std::string& method, const Json& params,
                                                const std::stop_token& stop) {
  if (method == "roots/list" && handlers_.roots) {
    JsonArray roots;
    for (const std::string& folder : handlers_.roots()) {
      const auto slash = folder.rfind('/');
      roots.push_back(JsonObject{{"uri", file_uri(folder)}, {"name", folder.substr(slash + 1)}});
    }
    return JsonObject{{"roots", std::move(roots)}};
  }
  if (method == "sampling/createMessage" && handlers_.sampling) return answer_sampling(params, stop);
  if (method == "elicitation/create" && handlers_.elicitation) return answer_elicitation(params, stop);
  return refuse(kRpcMethodNotFound, "deft does not offer " + json_quote(method.substr(0, 100)));
}

// A server asks the user one thing at a time, and whoever is told no again and again is not shown to the user any more:
// it could ask until somebody says yes to have peace.
bool McpClient::may_ask_user(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  if (!user_is_free_.wait(lock, stop, [this] { return !is_asking_user_; })) return false;
  if (refused_questions_ >= kMcpRefusedQuestionsMax) return false;
  is_asking_user_ = true;
  return true;
}

void McpClient::has_asked_user(bool refused) {
  {
    const std::lock_guard lock(mutex_);
    is_asking_user_ = false;
    refused_questions_ = refused ? refused_questions_ + 1 : 0;
  }
  user_is_free_.notify_all();
}

std::expected<Json, RpcError> McpClient::answer_sampling(const Json& params, const std::stop_token& stop) {
  {
    const std::lock_guard lock(mutex_);
    if (refused_questions_ >= kMcpRefusedQuestionsMax) return refuse(-1, "the user has refused this again and again");
  }
  auto sampled = handlers_.sampling(params, stop);
  {
    const std::lock_guard lock(mutex_);
    const bool is_refused = !sampled && sampled.error().code == Errc::denied;
    refused_questions_ = is_refused ? refused_questions_ + 1 : 0;
  }
  if (sampled) return *std::move(sampled);
  return refuse(sampled.error().code == Errc::denied ? -1 : kRpcInternalError, std::move(sampled.error().message));
}

std::expected<Json, RpcError> McpClient::answer_elicitation(const Json& params, const std::stop_token& stop) {
  const auto elicitation = read_elicitation(options_.server, params);
  if (!elicitation) return refuse(kRpcInvalidParams, elicitation.error().message);
  if (!may_ask_user(stop)) return JsonObject{{"action", "decline"}};
  auto answered = handlers_.elicitation(*elicitation, stop);
  const std::string_view action = answered ? find_string(*answered, "action").value_or("cancel") : "cancel";
  has_asked_user(action != "accept");
  if (!answered) return refuse(kRpcInternalError, std::move(answered.error().message));
  if (action != "accept") return JsonObject{{"action", action == "decline" ? "decline" : "cancel"}};
  if (elicitation->is_url) return JsonObject{{"action", "accept"}};
  const Json* content = find(*answered, "content");
  auto filled = filled_form(*elicitation, content != nullptr ? *content : Json(JsonObject{}));
  if (!filled) {
    note("the answer to a form does not fit it: " + filled.error().message);
    return JsonObject{{"action", "cancel"}};
  }
  return JsonObject{{"action", "accept"}, {"content", *std::move(filled)}};
}

void McpClient::take_notification(const std::string& method, const Json& params) {
  const auto changed = [this](McpListKind kind) {
    if (handlers_.list_changed) handlers_.list_changed(kind);
  };
  if (method == "notifications/tools/list_changed") return changed(McpListKind::tools);
  if (method == "notifications/resources/list_changed") return changed(McpListKind::resources);
  if (method == "notifications/prompts/list_changed") return changed(McpListKind::prompts);
  if (method == "notifications/resources/updated" && handlers_.resource_updated) {
    const auto uri = find_string(params, "uri");
    if (uri && uri->size() <= kUriBytesMax) handlers_.resource_updated(std::string(*uri));
    return;
  }
  if (method == "notifications/message" && handlers_.logged) {
    const Json* data = find(params, "data");
    const auto logger = find_string(params, "logger");
    std::string text = logger ? std::string(*logger) + ": " : std::string();
    if (data != nullptr) text += data->is_string() ? std::string(view(data->get_string())) : to_json(*data);
    handlers_.logged(std::string(find_string(params, "level").value_or("info").substr(0, 20)),
                     one_line(text, kLogCharactersMax));
  }
}

std::expected<McpList, McpFailure> McpClient::list(McpListKind kind, std::stop_token stop) {
  const ListWords words = words_of(kind);
  McpList out;
  if (!facts().offers(words.capability)) return out;
  const TimePoint deadline = clock_.now() + kMcpListTimeouts * options_.connect_timeout;
  const auto cut = [&](std::string_view why) {
    note("its list of " + std::string(words.key) + " " + std::string(why) + "; the first " +
         std::to_string(out.items.size()) + " are used");
    out.cut = true;
    return std::move(out);
  };
  std::string cursor;
  std::size_t bytes = 0;
  for (std::size_t pages = 0;; ++pages) {
    McpRequest request{.method = std::string(words.method),
                       .timeout = std::min(options_.connect_timeout, deadline - clock_.now())};
    if (!cursor.empty()) request.params["cursor"] = cursor;
    auto page = ask(std::move(request), stop);
    if (!page) {
      // Resources without templates are common.
      const bool is_unknown = page.error().rpc && page.error().rpc->code == kRpcMethodNotFound;
      if (is_unknown && kind == McpListKind::resource_templates) return out;
      if (pages > 0 && page.error().code == Errc::timeout) return cut("takes too long");
      return std::unexpected(std::move(page.error()));
    }
    if (const JsonArray* items = find_array(*page, words.key)) {
      for (const Json& item : *items) {
        bytes += to_json(item).size();
        if (bytes > kMcpListBytesMax) return cut("is too long");
        if (out.items.size() == kMcpListItemsMax) {
          out.cut = true;
          return out;
        }
        out.items.push_back(item);
      }
    }
    std::string next(find_string(*page, "nextCursor").value_or(""));
    if (next.empty()) return out;
    const bool is_endless = next == cursor || pages + 1 >= kMcpListPagesMax || next.size() > kMcpCursorBytesMax;
    if (is_endless) return cut("does not end");
    if (clock_.now() >= deadline) return cut("takes too long");
    cursor = std::move(next);
  }
}

McpOutcome McpClient::call_tool(std::string_view name, const Json& arguments, McpCallOptions options,
                                std::stop_token stop) {
  McpRequest request{.method = "tools/call",
                     .params = {{"name", name}, {"arguments", arguments}},
                     .headers = std::move(options.headers),
                     .timeout = options.timeout,
                     .progress = std::move(options.progress)};
  {
    const std::lock_guard lock(mutex_);
    refused_questions_ = 0;
  }
  if (options.as_task && offers_tasks(facts())) return call_as_task(std::move(request), stop);
  return ask_with_input(std::move(request), stop);
}

McpOutcome McpClient::read_resource(std::string_view uri, std::stop_token stop) {
  return ask_with_input({.method = "resources/read", .params = {{"uri", uri}}}, stop);
}

McpOutcome McpClient::get_prompt(std::string_view name, const JsonObject& arguments, std::stop_token stop) {
  JsonObject params{{"name", name}};
  if (!arguments.empty()) params["arguments"] = arguments;
  return ask_with_input({.method = "prompts/get", .params = std::move(params)}, stop);
}

McpOutcome McpClient::complete(const JsonObject& reference, std::string_view argument, std::string_view value,
                               std::stop_token stop) {
  return ask({.method = "completion/complete",
              .params = {{"ref", reference}, {"argument", {{"name", argument}, {"value", value}}}},
              .timeout = options_.connect_timeout},
             stop);
}

std::expected<void, McpFailure> McpClient::subscribe(std::string_view uri, std::stop_token stop) {
  const McpServerFacts known = facts();
  const Json* resources = find(known.capabilities, "resources");
  if (resources == nullptr || !find_bool(*resources, "subscribe").value_or(false)) {
    return std::unexpected(McpFailure{.code = Errc::unsupported,
                                      .message = "the server does not tell when its resources change",
                                      .not_processed = true});
  }
  if (!known.modern) {
    auto asked = ask_about_changes("resources/subscribe", uri, stop);
    if (!asked) return asked;
  }
  {
    const std::lock_guard lock(mutex_);
    if (std::ranges::find(subscriptions_, uri) == subscriptions_.end()) subscriptions_.emplace_back(uri);
  }
  listen_for_changes();
  return {};
}

std::expected<void, McpFailure> McpClient::unsubscribe(std::string_view uri, std::stop_token stop) {
  {
    const std::lock_guard lock(mutex_);
    if (std::erase(subscriptions_, uri) == 0) return {};
  }
  if (!facts().modern) return ask_about_changes("resources/unsubscribe", uri, stop);
  listen_for_changes();
  return {};
}

std::expected<void, McpFailure> McpClient::ask_about_changes(std::string method, std::string_view uri,
                                                             const std::stop_token& stop) {
  return without_result(
      ask({.method = std::move(method), .params = {{"uri", uri}}, .timeout = options_.connect_timeout}, stop));
}

// What a server that has forgotten the session is told again.
void McpClient::remind(const std::stop_token& stop) {
  std::vector<std::string> subscriptions;
  std::string level;
  {
    const std::lock_guard lock(mutex_);
    subscriptions = subscriptions_;
    level = log_level_;
  }
  const auto tell = [&](std::string method, JsonObject params) {
    const auto told =
        peer_->request({.method = method, .params = std::move(params), .timeout = options_.connect_timeout}, stop);
    if (!told) note(method + " failed in the new session: " + told.error().message);
  };
  if (!level.empty()) tell("logging/setLevel", {{"level", level}});
  for (const std::string& uri : subscriptions) tell("resources/subscribe", {{"uri", uri}});
}

std::expected<void, McpFailure> McpClient::set_log_level(std::string_view level, std::stop_token stop) {
  {
    const std::lock_guard lock(mutex_);
    log_level_ = level;
    if (facts_.modern) return {};
  }
  return without_result(
      ask({.method = "logging/setLevel", .params = {{"level", level}}, .timeout = options_.connect_timeout}, stop));
}

std::expected<void, McpFailure> McpClient::ping(std::stop_token stop) {
  // The modern era has none; to be asked who one is does as well.
  const std::string method = facts().modern ? "server/discover" : "ping";
  return without_result(ask({.method = method, .timeout = options_.connect_timeout}, stop));
}

void McpClient::roots_changed() {
  if (handlers_.roots && !facts().modern) peer_->notify("notifications/roots/list_changed");
}

// In the modern era word of changes comes as the answer to a request that stays open.
void McpClient::listen_for_changes() {
  const McpServerFacts known = facts();
  if (!known.modern) return;
  std::jthread old;
  const std::lock_guard lock(mutex_);
  const bool wanted = known.offers("tools") || known.offers("prompts") || !subscriptions_.empty();
  if ((!wanted && !listener_.joinable()) || !transport_) return;
  old = std::move(listener_);
  old.request_stop();
  listener_ = std::jthread([this, former = std::move(old)](const std::stop_token& stop) mutable {
    if (former.joinable()) former.join();
    listen_until(stop);
  });
}

void McpClient::listen_until(const std::stop_token& stop) {
  const auto announces = [](const McpServerFacts& known, std::string_view capability) {
    const Json* offered = find(known.capabilities, capability);
    return offered != nullptr && find_bool(*offered, "listChanged").value_or(false);
  };
  Duration delay = kListenDelay;
  while (!stop.stop_requested()) {
    const McpServerFacts known = facts();
    JsonObject wanted;
    if (announces(known, "tools")) wanted["toolsListChanged"] = true;
    if (announces(known, "prompts")) wanted["promptsListChanged"] = true;
    if (announces(known, "resources")) wanted["resourcesListChanged"] = true;
    JsonArray uris;
    {
      const std::lock_guard lock(mutex_);
      for (const std::string& uri : subscriptions_) uris.emplace_back(uri);
    }
    if (!uris.empty()) wanted["resourceSubscriptions"] = std::move(uris);
    if (wanted.empty()) return;
    McpRequest request{.method = "subscriptions/listen", .params = {{"notifications", std::move(wanted)}}};
    add_meta(request.params);
    const TimePoint began = clock_.now();
    const auto outcome = peer_->request(std::move(request), stop);
    if (stop.stop_requested() || peer_->end()) return;
    // It cannot: then lists are as they were when they were first asked for.
    if (!outcome && outcome.error().not_processed) return;
    if (!outcome && outcome.error().rpc) return;
    delay = clock_.now() - began > kListenDelayMax ? kListenDelay : std::min(delay * 2, kListenDelayMax);
    std::mutex idle;
    std::unique_lock lock(idle);
    std::condition_variable_any never;
    never.wait_until(lock, stop, clock_.on_steady_clock(clock_.now() + delay), [] { return false; });
  }
}

void McpClient::note(std::string text) const {
  if (handlers_.noted) handlers_.noted(options_.server + ": " + text);
}

}  // namespace deft
