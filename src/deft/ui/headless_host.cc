#include "deft/ui/headless_host.h"

#include <algorithm>
#include <utility>

#include "deft/base/overloaded.h"
#include "deft/ui/version.h"

namespace deft {
namespace {

// Texts that may come as one, or as a list of them.
std::optional<std::string> text_at(const Json& request, std::string_view key) {
  if (const auto text = find_string(request, key)) return std::string(*text);
  const JsonArray* list = find_array(request, key);
  if (!list) return std::nullopt;
  std::string text;
  for (const Json& piece : *list) {
    if (!piece.is_string()) continue;
    if (!text.empty()) text += "\n\n";
    text += view(piece.get_string());
  }
  return text;
}

}  // namespace

// --- the reader's thread ---

void HeadlessHost::take_bytes(std::string_view bytes) {
  splitter_.feed(bytes, [this](Result<std::string_view> line) { take_line(std::move(line)); });
}

void HeadlessHost::end_input() {
  splitter_.finish([this](Result<std::string_view> line) { take_line(std::move(line)); });
  parts_.port.close();
  close();
}

void HeadlessHost::close() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  changed_.notify_all();
}

void HeadlessHost::take_line(Result<std::string_view> line) {
  ++lines_;
  auto parsed = line ? parse_host_line(*line) : Result<HostLine>(std::unexpected(line.error()));
  if (!parsed) {
    return parts_.output.notice(
        "line " + std::to_string(lines_) + " of the input is left out: " + parsed.error().message, "error");
  }
  std::visit(Overloaded{
                 [&](HostMessage& message) { take(std::move(message)); },
                 [&](const HostRequest& request) { take(request); },
                 [&](HostResponse& response) { take(std::move(response)); },
                 // Whatever it asked for is answered at once, or waits for a moment that comes anyway.
                 [](const HostCancelled&) {},
                 [](const HostIsAlive&) {},
             },
             *parsed);
}

void HeadlessHost::take(HostMessage message) {
  bool is_full = false;
  {
    const std::lock_guard lock(mutex_);
    is_full = queue_.size() >= kQueuedTurnsMax;
    if (!is_full) queue_.emplace_back(std::move(message));
  }
  if (is_full) return parts_.output.notice("a message is left out: too many wait for their turn already", "error");
  changed_.notify_all();
}

void HeadlessHost::add_turn(std::string_view prompt) { take(HostMessage{.prompt = Prompt::of(prompt)}); }

void HeadlessHost::take(HostResponse response) {
  const std::string id = response.id;
  if (parts_.port.take_answer(id, std::move(response.answer))) return;
  parts_.output.notice("no request " + json_quote(id.substr(0, 60)) + " waits for an answer", "warning");
}

void HeadlessHost::between_turns(Work work) {
  {
    const std::lock_guard lock(mutex_);
    queue_.emplace_back(std::move(work));
  }
  changed_.notify_all();
}

void HeadlessHost::answer(const HostRequest& request, const Result<void>& done) {
  if (done) return parts_.port.answer(request.id);
  parts_.port.refuse(request.id, done.error().message);
}

void HeadlessHost::take(const HostRequest& request) {
  const std::string& subtype = request.subtype;
  if (subtype == "initialize") return between_turns([this, request] { initialize(request); });
  if (subtype == "interrupt") return interrupt(request);
  if (subtype == "set_permission_mode") return set_permission_mode(request);
  if (subtype == "cancel_async_message") return cancel_message(request);
  if (subtype == "set_model") {
    return between_turns([this, request] {
      answer(request, parts_.session.use_model(std::string(find_string(request.request, "model").value_or(""))));
    });
  }
  if (subtype == "set_max_thinking_tokens") {
    return between_turns([this, request] {
      const auto tokens = find_int(request.request, "max_thinking_tokens");
      if (tokens && *tokens < 0) return parts_.port.refuse(request.id, "max_thinking_tokens must be at least 0");
      parts_.session.use_thinking(tokens ? std::optional(static_cast<std::size_t>(*tokens)) : std::nullopt);
      parts_.port.answer(request.id);
    });
  }
  if (subtype == "rename_session") {
    return between_turns([this, request] {
      const auto title = find_string(request.request, "title");
      if (!title) return parts_.port.refuse(request.id, "\"title\" is missing");
      parts_.session.agent().set_state("title", Json(*title));
      parts_.port.answer(request.id);
    });
  }
  if (subtype == "get_context_usage") {
    return between_turns([this, request] {
      Agent& agent = parts_.session.agent();
      parts_.port.answer(request.id, {{"totalTokens", agent.context_tokens()},
                                      {"maxTokens", agent.options().context.window_tokens},
                                      {"model", agent.options().model}});
    });
  }
  if (subtype == "get_session_cost") {
    return between_turns([this, request] {
      const SessionUsage& usage = parts_.session.agent().usage();
      parts_.port.answer(request.id, {{"total_cost_usd", usage.cost}, {"total_tokens", usage.tokens}});
    });
  }
  if (subtype == "mcp_status") {
    return parts_.port.answer(request.id, {{"mcpServers", parts_.session.servers().statuses()}});
  }
  if (subtype.starts_with("mcp_")) return between_turns([this, request] { take_mcp(request); });
  if (subtype == "get_binary_version") {
    return parts_.port.answer(request.id, {{"version", kProtocolVersion}, {"deft", DEFT_VERSION}});
  }
  parts_.port.refuse(request.id, "there is no control request " + json_quote(subtype.substr(0, 60)) + " here");
}

void HeadlessHost::interrupt(const HostRequest& request) {
  JsonArray queued, cancelled;
  {
    const std::lock_guard lock(mutex_);
    parts_.session.agent().abort();  // the turn that is under way now, not the next
    const bool drops = find_bool(request.request, "cancel_queued").value_or(false);
    std::erase_if(queue_, [&](const auto& item) {
      const auto* message = std::get_if<HostMessage>(&item);
      if (!message) return false;
      (drops ? cancelled : queued).emplace_back(message->uuid);
      return drops;
    });
  }
  JsonObject response{{"still_queued", std::move(queued)}};
  if (!cancelled.empty()) response["cancelled"] = std::move(cancelled);
  parts_.port.answer(request.id, std::move(response));
}

void HeadlessHost::set_permission_mode(const HostRequest& request) {
  const auto word = find_string(request.request, "mode");
  const auto mode = word ? parse_mode(*word == "manual" ? "default" : *word) : std::nullopt;
  if (!mode) return parts_.port.refuse(request.id, "\"mode\" must be the name of a permission mode");
  const auto permissions = parts_.session.agent().engine().permissions();
  const PermissionSetup& setup = permissions->setup();
  if (*mode == Mode::bypass && (setup.bypass_forbidden || (!setup.bypass_available && setup.mode != Mode::bypass))) {
    return parts_.port.refuse(request.id,
                              "bypassPermissions was not made available when the session began: "
                              "--allow-dangerously-skip-permissions does");
  }
  if (*mode == Mode::auto_ && setup.auto_forbidden) {
    return parts_.port.refuse(request.id, "the settings forbid auto mode");
  }
  use_mode(*mode);
  parts_.port.answer(request.id, {{"mode", to_string(*mode)}});
}

// During a turn, for the calls that begin from now on; between two, before the next begins.
void HeadlessHost::use_mode(Mode mode) {
  Agent& agent = parts_.session.agent();
  {
    const std::lock_guard lock(mutex_);
    if (!in_turn_) {
      queue_.emplace_back(Work([&agent, mode] { agent.engine().executor().take_now(ModeWanted{mode}); }));
      changed_.notify_all();
      return;
    }
  }
  agent.feed(ModeWanted{mode});
}

void HeadlessHost::cancel_message(const HostRequest& request) {
  const std::string uuid(find_string(request.request, "message_uuid").value_or(""));
  std::size_t cancelled = 0;
  {
    const std::lock_guard lock(mutex_);
    cancelled = std::erase_if(queue_, [&](const auto& item) {
      const auto* message = std::get_if<HostMessage>(&item);
      return message && !uuid.empty() && message->uuid == uuid;
    });
  }
  parts_.port.answer(request.id, {{"cancelled", cancelled > 0}});
}

// --- the main thread ---

std::optional<HostMessage> HeadlessHost::next_turn() {
  for (;;) {
    std::unique_lock lock(mutex_);
    in_turn_ = false;
    changed_.wait(lock, [this] { return ended_ || !queue_.empty(); });
    if (queue_.empty()) return std::nullopt;
    auto item = std::move(queue_.front());
    queue_.pop_front();
    const auto* said = std::get_if<HostMessage>(&item);
    in_turn_ = said && said->asks_model;
    if (in_turn_) parts_.session.agent().announce_turn();
    lock.unlock();
    if (auto* work = std::get_if<Work>(&item)) {
      (*work)();
      continue;
    }
    HostMessage message = std::get<HostMessage>(std::move(item));
    JsonArray& blocks = message.prompt.blocks;
    if (!message.asks_model) {
      waiting_blocks_.insert(waiting_blocks_.end(), blocks.begin(), blocks.end());
      continue;
    }
    blocks.insert(blocks.begin(), waiting_blocks_.begin(), waiting_blocks_.end());
    waiting_blocks_.clear();
    return message;
  }
}

std::size_t HeadlessHost::queued_turns() {
  const std::lock_guard lock(mutex_);
  return static_cast<std::size_t>(
      std::ranges::count_if(queue_, [](const auto& item) { return std::holds_alternative<HostMessage>(item); }));
}

void HeadlessHost::initialize(const HostRequest& request) {
  const Json& wanted = request.request;
  AgentSession& session = parts_.session;
  if (const Json* hooks = find(wanted, "hooks")) {
    for (const std::string& problem : session.use_host_hooks(*hooks)) parts_.output.notice(problem, "warning");
  }
  if (const JsonArray* names = find_array(wanted, "sdkMcpServers")) {
    std::vector<std::string> servers;
    for (const Json& name : *names) {
      if (name.is_string()) servers.emplace_back(view(name.get_string()));
    }
    session.servers().add_host_servers(servers);
  }
  const auto instead = text_at(wanted, "systemPrompt");
  const auto appended = text_at(wanted, "appendSystemPrompt");
  if (instead || appended) session.use_system_prompt(instead, appended.value_or(""));
  if (const auto title = find_string(wanted, "title")) session.agent().set_state("title", Json(*title));
  if (const Json* schema = find(wanted, "jsonSchema"); schema && !schema->is_null()) {
    if (auto done = session.want_structured_output(*schema); !done) return answer(request, done);
  }
  if (const Json* agents = find(wanted, "agents"); agents && !agents->is_null()) {
    if (auto done = session.use_agents(*agents); !done) return answer(request, done);
  }
  JsonArray agents;
  for (const AgentType& type : session.agent_types()) {
    agents.push_back(JsonObject{{"name", type.name}, {"description", type.description}});
    if (!type.model.empty()) agents.back().get_object()["model"] = type.model;
  }
  JsonArray models;
  std::vector<std::string> names{session.provider().model};
  names.insert(names.end(), session.provider().fallback_models.begin(), session.provider().fallback_models.end());
  for (const std::string& name : names) {
    models.push_back(JsonObject{{"value", name}, {"displayName", name}, {"description", ""}});
  }
  JsonArray commands;
  for (const ListedCommand& command : session.commands()) {
    commands.push_back(JsonObject{
        {"name", command.name}, {"description", command.description}, {"argumentHint", command.argument_hint}});
  }
  parts_.port.answer(request.id, {{"commands", std::move(commands)},
                                  {"agents", std::move(agents)},
                                  {"models", std::move(models)},
                                  {"account", JsonObject{{"apiKeySource", session.provider().key_source}}},
                                  {"output_style", "default"},
                                  {"available_output_styles", JsonArray{"default"}},
                                  {"hooks_applied", true}});
}

void HeadlessHost::take_mcp(const HostRequest& request) {
  SessionServers& servers = parts_.session.servers();
  const std::string name(find_string(request.request, "serverName").value_or(""));
  if (request.subtype == "mcp_reconnect") return answer(request, servers.reconnect(name));
  if (request.subtype == "mcp_toggle") {
    return answer(request, servers.enable(name, find_bool(request.request, "enabled").value_or(true)));
  }
  if (request.subtype == "mcp_set_servers") {
    const Json* wanted = find(request.request, "servers");
    auto set = servers.set_servers(wanted == nullptr ? Json() : *wanted);
    if (!set) return parts_.port.refuse(request.id, set.error().message);
    return parts_.port.answer(request.id, *std::move(set));
  }
  parts_.port.refuse(request.id, "there is no control request " + json_quote(request.subtype.substr(0, 60)) + " here");
}

// --- questions ---

void HeadlessHost::show(Event event) {
  if (const auto* asked = std::get_if<PermissionAsked>(&event)) ask_permission(*asked);
  if (const auto* withdrawn = std::get_if<PermissionWithdrawn>(&event)) withdraw(withdrawn->id);
}

void HeadlessHost::ask_permission(const PermissionAsked& asked) {
  if (!parts_.decides) return;
  const std::string question = asked.id;
  std::string id = parts_.port.ask(can_use_tool(asked), [this, question](Result<Json> reply) {
    {
      const std::lock_guard lock(mutex_);
      questions_.erase(question);
    }
    parts_.session.agent().feed(answer_of_host(question, std::move(reply)));
  });
  const std::lock_guard lock(mutex_);
  questions_.insert_or_assign(question, std::move(id));
}

void HeadlessHost::withdraw(const std::string& question) {
  std::string id;
  {
    const std::lock_guard lock(mutex_);
    const auto found = questions_.find(question);
    if (found == questions_.end()) return;
    id = std::move(found->second);
    questions_.erase(found);
  }
  parts_.port.cancel(id);
}

}  // namespace deft
