#include "deft/ui/mcp_hand.h"

#include <algorithm>
#include <utility>

#include "deft/base/overloaded.h"
#include "deft/base/path.h"
#include "deft/base/text.h"
#include "deft/ui/mcp_result.h"
#include "deft/ui/safe_display.h"

// To the executor all calls of a client are one message that ends whenever nothing is under way: so they are scheduled
// beside each other by what they touch, and what one of them changed in the session holds for the next.

namespace deft {
namespace {

constexpr std::size_t kCallsPerMessageMost = 10'000;  // then the next ones wait until all of these are answered
constexpr std::size_t kProgressCharactersMax = 500;
constexpr std::size_t kFailureCharactersMax = 2'000;
constexpr std::size_t kStoredOutputsMax = 1'000;
constexpr std::size_t kNamedResourcesMax = 10'000;
constexpr std::string_view kHowToAllow =
    "\nWhoever runs this server can allow it: with a rule in the settings (permissions.allow), with --permission-mode, "
    "or with --ask client, so that you are asked.";

std::string progress_text(const Json& data) {
  for (const std::string_view key : {"message", "text", "output", "line"}) {
    if (const auto text = find_string(data, key)) return one_line(*text, kProgressCharactersMax);
  }
  return data.is_string() ? one_line(view(data.get_string()), kProgressCharactersMax)
                          : one_line(to_json(data), kProgressCharactersMax);
}

// The parameters of elicitation/create.
JsonObject question_json(const std::string& message, JsonArray choices) {
  JsonObject decision{{"type", "string"}, {"title", "Decision"}, {"enum", std::move(choices)}};
  return {{"message", message},
          {"requestedSchema", JsonObject{{"type", "object"},
                                         {"properties", JsonObject{{"decision", std::move(decision)}}},
                                         {"required", JsonArray{"decision"}}}}};
}

}  // namespace

Result<std::unique_ptr<McpHand>> McpHand::open(Options options) {
  std::unique_ptr<McpHand> hand(new McpHand(std::move(options)));
  EngineOptions engine = hand->options_.engine;
  engine.executor.in_order = false;
  engine.executor.streaming = true;
  engine.executor.sibling_cancellation = false;  // its calls are not steps of one plan
  engine.executor.asking = hand->options_.asks_client ? Asking::frontend : Asking::nobody;
  engine.results.is_in_context = false;  // nobody knows what the client's model still sees
  engine.results.limits.message_max = kUnlimited;
  engine.wants_mcp_content = true;
  auto opened = Engine::open(std::move(engine), *hand);
  if (!opened) return std::unexpected(opened.error());
  hand->engine_ = std::move(*opened);
  if (auto equipped = hand->options_.equip(*hand->engine_); !equipped) return std::unexpected(equipped.error());
  hand->thread_ = std::thread([raw = hand.get()] {
    const ExecutorSummary summary = raw->engine_->run();
    raw->stuck_ = summary.stuck_workers > 0;
    raw->ended_ = true;
  });
  return hand;
}

McpHand::~McpHand() {
  end();
  wait();
}

void McpHand::wait() {
  if (thread_.joinable()) thread_.join();
}

void McpHand::end() {
  if (!engine_) return;
  engine_->feed(Aborted{});
  engine_->feed(InputEnded{});
}

void McpHand::call(std::shared_ptr<McpServed> request, std::string tool, Json arguments,
                   std::optional<McpAnswered> answered) {
  begin({.name = std::move(tool), .input = std::move(arguments)},
        Pending{.request = std::move(request), .answered = std::move(answered)});
}

bool McpHand::read_resource(std::shared_ptr<McpServed> request, const std::string& uri) {
  std::string server;
  {
    const std::lock_guard lock(mutex_);
    const auto named = named_resources_.find(uri);
    // What two servers call by one name is read by nobody's guess.
    if (named == named_resources_.end() || !named->second) return false;
    server = *named->second;
  }
  begin({.name = "ReadMcpResourceTool", .input = JsonObject{{"server", server}, {"uri", uri}}},
        Pending{.request = std::move(request), .resource = uri});
  return true;
}

void McpHand::begin(ToolCall call, Pending pending) {
  const std::shared_ptr<McpServed> request = pending.request;
  std::string id;
  {
    const std::lock_guard lock(mutex_);
    // Results are stored by the ids of their calls, those of all clients in one folder: no two may have the same.
    id = options_.engine.agent_id + "_" + std::to_string(++calls_made_);
    call.id = id;
    pending_.emplace(id, std::move(pending));
    ++calls_in_message_;
    engine_->feed(CallArrived{std::move(call)});
    if (calls_in_message_ >= kCallsPerMessageMost) {
      calls_in_message_ = 0;
      engine_->feed(MessageEnded{});
    }
  }
  // Not under the lock: it is told at once if the request is not wanted any more.
  auto stop = std::make_unique<std::stop_callback<std::function<void()>>>(
      request->stop(), [this, id] { engine_->feed(CallCancelled{id}); });
  const std::lock_guard lock(mutex_);
  if (const auto found = pending_.find(id); found != pending_.end()) found->second.stop = std::move(stop);
}

// --- what the engine says ---

void McpHand::show(Event event) {
  std::visit(Overloaded{
                 [&](CallProgressed& progressed) { show_progress(progressed); },
                 [&](CallAnswered& answered) { answer(std::move(answered)); },
                 [&](const PermissionAsked& asked) { ask(asked); },
                 [&](const Notice& said) {
                   if (options_.notice) options_.notice(said.text);
                 },
                 [&](const HostCallMade& made) {
                   engine_->feed(HostAnswer{
                       made.call.id,
                       JsonObject{{"content", "This tool cannot be used by an MCP client."}, {"is_error", true}}});
                 },
                 [](const auto&) {},
             },
             event);
}

void McpHand::show_progress(const CallProgressed& progressed) {
  std::shared_ptr<McpServed> request;
  std::size_t count = 0;
  {
    const std::lock_guard lock(mutex_);
    const auto found = pending_.find(progressed.call_id);
    if (found == pending_.end()) return;
    request = found->second.request;
    count = ++found->second.progress;
  }
  request->progress(static_cast<double>(count), std::nullopt, progress_text(progressed.data));
}

void McpHand::answer(CallAnswered answered) {
  Pending pending;
  {
    const std::lock_guard lock(mutex_);
    const auto found = pending_.find(answered.call_id);
    if (found == pending_.end()) return;
    pending = std::move(found->second);
    pending_.erase(found);
    if (pending_.empty() && calls_in_message_ > 0) {
      calls_in_message_ = 0;
      engine_->feed(MessageEnded{});
    }
  }
  log(*pending.request, answered);
  if (pending.resource) return answer_read(*pending.request, *pending.resource, answered.result);
  if (answered.result.mcp) remember_resources(*answered.result.mcp);
  pending.request->answer(result_json(answered));
}

void McpHand::answer_read(McpServed& request, const std::string& uri, const ToolResult& result) {
  if (!result.is_error()) return request.answer({{"contents", mcp_resource_contents_of(result, uri)}});
  std::string why = result.text;
  if (result.error == Errc::denied) why += " " + std::string(kHowToAllow.substr(1));
  request.fail({kRpcInternalError, one_line(why, kFailureCharactersMax), Json(JsonObject{{"uri", uri}})});
}

void McpHand::remember_resources(const McpContent& content) {
  const std::lock_guard lock(mutex_);
  for (std::string& uri : resources_named_in(content)) {
    if (named_resources_.size() >= kNamedResourcesMax) return;
    const auto [known, is_new] = named_resources_.try_emplace(std::move(uri), content.server);
    if (!is_new && known->second != content.server) known->second.reset();
  }
}

// What became of a call, for clients that show a log: what was denied is worth a warning.
void McpHand::log(McpServed& request, const CallAnswered& answered) {
  const ToolResult& result = answered.result;
  const bool is_denied = result.error == Errc::denied;
  JsonObject data{{"tool", answered.tool}, {"call", answered.call_id}};
  data["outcome"] = is_denied ? "denied" : result.is_error() ? "failed" : "done";
  if (result.is_error()) data["reason"] = one_line(result.text, kProgressCharactersMax);
  request.log(is_denied ? "warning" : result.is_error() ? "info" : "debug", "deft", std::move(data));
}

JsonObject McpHand::result_json(CallAnswered& answered) {
  ToolResult& result = answered.result;
  if (result.error == Errc::denied && !options_.asks_client) result.text += kHowToAllow;
  JsonArray content = mcp_content_of(result);
  if (result.stored && !result.stored->path.empty()) {
    const StoredOutput stored{.uri = "deft://results/" + std::string(file_name(result.stored->path)),
                              .path = result.stored->path,
                              .tool = answered.tool,
                              .bytes = result.stored->bytes};
    content.push_back(JsonObject{{"type", "resource_link"},
                                 {"uri", stored.uri},
                                 {"name", "The whole result of " + answered.tool},
                                 {"mimeType", "text/plain"},
                                 {"size", stored.bytes}});
    {
      const std::lock_guard lock(mutex_);
      if (stored_.size() >= kStoredOutputsMax) stored_.erase(stored_.begin());
      stored_.push_back(stored);
    }
    if (options_.stored) options_.stored();
  }
  JsonObject json{{"content", std::move(content)}};
  const Json* structured = result.is_error() ? nullptr : find(result.details, "structuredContent");
  if (structured) json["structuredContent"] = *structured;
  if (result.is_error()) json["isError"] = true;
  if (!result.meta_text.empty()) {
    if (auto meta = parse_json(result.meta_text); meta && meta->is_object()) json["_meta"] = std::move(*meta);
  }
  return json;
}

// The client shows the question to its user.
void McpHand::ask(const PermissionAsked& asked) {
  std::shared_ptr<McpServed> request;
  std::optional<McpAnswered> answered;
  bool reads_resource = false;
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = pending_.find(asked.call.id); found != pending_.end()) {
      request = found->second.request;
      reads_resource = found->second.resource.has_value();
      answered = std::exchange(found->second.answered, std::nullopt);
    }
  }
  if (!request) return deny(asked, "");
  // What is approved is what was shown, all of it.
  const std::string input = safe_display(to_json(asked.call.input));
  if (input.size() > kShownInputBytesMax) return deny(asked, "Its input is too long to be shown to anybody.");
  const std::string message =
      "deft asks: may " + safe_display(asked.title) + " be done? " + safe_display(asked.decision.reason) +
      (asked.is_destructive ? " It cannot be undone." : "") + "\n" + safe_display(asked.call.name) + " " + input;
  if (request->caller().era == McpEra::legacy) return ask_in_session(asked, *request, message);
  if (reads_resource) return deny(asked, "This request cannot ask anybody.");
  if (!answered || answered->question != message) return ask_by_answer(asked, *request, message);
  if (!answered->allows) return deny(asked, "");
  engine_->feed(PermissionAnswer{.id = asked.id, .verdict = Verdict::allow});
}

void McpHand::deny(const PermissionAsked& asked, std::string why) {
  engine_->feed(PermissionAnswer{.id = asked.id, .verdict = Verdict::deny, .feedback = std::move(why)});
}

void McpHand::ask_in_session(const PermissionAsked& asked, McpServed& request, const std::string& message) {
  JsonArray choices{"allow", "deny"};
  if (!asked.proposal.empty()) choices.insert(choices.begin() + 1, "allow for this session");
  request.ask("elicitation/create", question_json(message, std::move(choices)),
              [this, asked](const std::expected<Json, RpcError>& said) {
                if (!said) return deny(asked, "The client could not ask: " + one_line(said.error().message, 200));
                const Json* content = find(*said, "content");
                const auto decision = content ? find_string(*content, "decision") : std::nullopt;
                const bool is_whole = decision == "allow for this session" && !asked.proposal.empty();
                if (find_string(*said, "action") != "accept" || (decision != "allow" && !is_whole)) {
                  return deny(asked, "");
                }
                PermissionAnswer answer{.id = asked.id, .verdict = Verdict::allow};
                if (is_whole) answer.always = AlwaysAllow{.destination = SettingSource::session};
                engine_->feed(std::move(answer));
              });
}

// The request is answered with the question, and its call is taken back: who knows whether the client comes again, and
// until then nothing else should have to wait for it.
void McpHand::ask_by_answer(const PermissionAsked& asked, McpServed& request, const std::string& message) {
  if (!find_object(request.caller().capabilities, "elicitation")) {
    return deny(asked, "This client cannot ask its user." + std::string(kHowToAllow));
  }
  // The client makes its own request again, not what became of it here.
  const Json* arguments = find(request.params(), "arguments");
  auto state = options_.answers->asked(find_string(request.params(), "name").value_or(""),
                                       arguments ? *arguments : Json(JsonObject()), message);
  if (!state) return deny(asked, "The client could not be asked.");
  JsonObject params = question_json(message, {"allow", "deny"});
  params["mode"] = "form";
  request.answer({{"resultType", "input_required"},
                  {"inputRequests", JsonObject{{kMcpPermissionKey, JsonObject{{"method", "elicitation/create"},
                                                                              {"params", std::move(params)}}}}},
                  {"requestState", *std::move(state)}});
  engine_->feed(CallCancelled{asked.call.id});
}

std::vector<StoredOutput> McpHand::stored() const {
  const std::lock_guard lock(mutex_);
  return stored_;
}

}  // namespace deft
