#include "deft/ui/headless_host.h"

#include <algorithm>
#include <utility>

#include "deft/base/overloaded.h"
#include "deft/os/uuid.h"

namespace deft {
namespace {

bool calls_command(const Prompt& prompt) {
  if (prompt.is_verbatim || prompt.blocks.empty()) return false;
  const Json& first = prompt.blocks.front();
  const auto text = first.is_string() ? std::optional(view(first.get_string())) : find_string(first, "text");
  return text && parse_prompt_command(*text).has_value();
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
        "line " + std::to_string(lines_) + " of the input is left out: " + parsed.error().message, "warning");
  }
  std::visit(Overloaded{
                 [&](HostMessage& message) { take(std::move(message)); },
                 [&](const HostRequest& request) { take(request); },
                 [&](HostResponse& response) { take(std::move(response)); },
                 // What waits for nobody else is answered at once, or at a moment that comes anyway.
                 [&](const HostCancelled& cancelled) { requests_.cancel(cancelled.id); },
                 [](const HostIsAlive&) {},
             },
             *parsed);
}

void HeadlessHost::take(HostMessage message) {
  if (!message.problem.empty()) parts_.output.notice(message.problem, "warning");
  if (message.prompt.uuid.empty()) message.prompt.uuid = random_uuid();
  const MessagePriority priority = message.priority;
  bool is_full = false;
  {
    const std::lock_guard lock(mutex_);
    is_full = queue_.size() >= kQueuedTurnsMax;
    if (!is_full && in_turn_ && message.asks_model) {
      Agent& agent = parts_.session.agent();
      if (priority == MessagePriority::now) {
        turn_is_over_ = true;
        agent.make_room();
      } else if (priority == MessagePriority::next) {
        agent.look_at_waiting();
      }
    }
    if (!is_full && !in_turn_ && message.asks_model && starting_.empty() && count_asking() == 0) {
      starting_ = message.prompt.uuid;
    }
    if (!is_full) queue_.emplace_back(std::move(message));
  }
  if (is_full) return parts_.output.notice("a message is left out: too many wait for their turn already", "warning");
  changed_.notify_all();
}

void HeadlessHost::add_turn(std::string_view prompt) {
  take(HostMessage{.prompt = Prompt::of(prompt), .priority = MessagePriority::later});
}

void HeadlessHost::take(HostResponse response) {
  const std::string id = response.id;
  if (parts_.port.take_answer(id, std::move(response.answer))) return;
  parts_.output.notice("no request " + json_quote(id.substr(0, 60)) + " waits for an answer", "warning");
}

bool HeadlessHost::asks_model(const Queued& item) {
  const auto* message = std::get_if<HostMessage>(&item);
  return message && message->asks_model;
}

bool HeadlessHost::has_turn() {
  const std::lock_guard lock(mutex_);
  return in_turn_;
}

void HeadlessHost::between_turns(Work work) {
  {
    const std::lock_guard lock(mutex_);
    queue_.emplace_back(std::move(work));
  }
  changed_.notify_all();
}

// While a turn is under way, by its inbox; what comes there too late for it is taken when it has ended.
void HeadlessHost::on_turn_thread(Work work) {
  {
    const std::lock_guard lock(mutex_);
    if (in_turn_) return parts_.session.agent().engine().executor().post(std::move(work));
  }
  between_turns(std::move(work));
}

void HeadlessHost::take(const HostRequest& request) {
  const std::string& subtype = request.subtype;
  if (subtype == "interrupt") return interrupt(request);
  if (subtype == "set_permission_mode") return set_permission_mode(request);
  if (subtype == "cancel_async_message") return cancel_message(request);
  if (subtype == "initialize" && requests_.is_initialized()) {
    requests_.forget_hooks();
    if (has_turn()) return on_turn_thread([this, request] { requests_.initialize_again(request); });
  }
  const auto when = HostRequests::when(subtype);
  if (!when) return parts_.port.refuse(request.id, HostRequests::refusal(subtype));
  switch (*when) {
    case HostRequests::When::at_once: return requests_.carry_out(request);
    case HostRequests::When::in_turn: return on_turn_thread([this, request] { requests_.carry_out(request); });
    case HostRequests::When::between_turns: return between_turns([this, request] { requests_.carry_out(request); });
  }
}

void HeadlessHost::interrupt(const HostRequest& request) {
  JsonArray queued, cancelled;
  const bool drops = find_bool(request.request, "cancel_queued").value_or(false);
  {
    const std::lock_guard lock(mutex_);
    parts_.session.agent().abort();  // the turn that is under way now, not the next
    turn_is_over_ = true;
    starting_is_ended_ = !starting_.empty() && !drops;
    std::erase_if(queue_, [&](const auto& item) {
      const auto* message = std::get_if<HostMessage>(&item);
      if (!message || (starting_is_ended_ && message->prompt.uuid == starting_)) return false;
      if (message->is_named) (drops ? cancelled : queued).emplace_back(message->prompt.uuid);
      return drops;
    });
  }
  JsonObject response{{"still_queued", std::move(queued)}};
  if (drops) response["cancelled"] = std::move(cancelled);
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
      return message && !uuid.empty() && message->prompt.uuid == uuid;
    });
  }
  parts_.port.answer(request.id, {{"cancelled", cancelled > 0}});
}

// --- the main thread ---

// The most urgent message, but first whatever came before it and asks for no turn.
std::deque<HeadlessHost::Queued>::iterator HeadlessHost::next_due() {
  auto chosen = queue_.end();
  for (auto item = queue_.begin(); item != queue_.end(); ++item) {
    if (!asks_model(*item)) continue;
    const bool is_first = chosen == queue_.end();
    if (is_first || std::get<HostMessage>(*item).priority < std::get<HostMessage>(*chosen).priority) chosen = item;
  }
  return std::find_if_not(queue_.begin(), chosen, asks_model);
}

void HeadlessHost::end_turn() {
  {
    const std::lock_guard lock(mutex_);
    if (!std::exchange(in_turn_, false)) return;
  }
  parts_.session.agent().engine().executor().take_waiting();
}

std::optional<HostMessage> HeadlessHost::next_turn() {
  for (;;) {
    end_turn();
    std::unique_lock lock(mutex_);
    if (queue_.empty()) parts_.output.rest();
    changed_.wait(lock, [this] { return ended_ || !queue_.empty(); });
    if (queue_.empty()) return std::nullopt;
    const auto due = next_due();
    Queued item = std::move(*due);
    queue_.erase(due);
    const auto* said = std::get_if<HostMessage>(&item);
    if (said && said->asks_model) begin_turn_of(*said);
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
    replay(message);
    // What waited was no command when it came, and is none now that it is said first.
    if (!waiting_blocks_.empty()) message.prompt.is_verbatim = true;
    blocks.insert(blocks.begin(), waiting_blocks_.begin(), waiting_blocks_.end());
    waiting_blocks_.clear();
    return message;
  }
}

// Under mutex_.
void HeadlessHost::begin_turn_of(const HostMessage& message) {
  in_turn_ = true;
  turn_is_over_ = false;
  messages_of_turn_.clear();
  note_of_turn(message);
  Agent& agent = parts_.session.agent();
  agent.announce_turn();
  told_mode_ = agent.engine().permissions()->mode();  // as `init` says
  const bool is_starting = std::exchange(starting_, {}) == message.prompt.uuid;
  if (!std::exchange(starting_is_ended_, false) || !is_starting) return;
  turn_is_over_ = true;
  agent.abort();
}

void HeadlessHost::note_of_turn(const HostMessage& message) {
  const bool is_told = message.is_named && messages_of_turn_.size() < kMessagesOfTurnMax;
  if (is_told) messages_of_turn_.push_back(message.prompt.uuid);
}

void HeadlessHost::replay(const HostMessage& message) {
  if (!parts_.replays_messages || message.message.is_null()) return;
  parts_.output.put({{"type", "user"},
                     {"message", message.message},
                     {"parent_tool_use_id", Json()},
                     {"isReplay", true},
                     {"uuid", message.prompt.uuid}});
}

std::vector<std::string> HeadlessHost::messages_of_turn() {
  const std::lock_guard lock(mutex_);
  return messages_of_turn_;
}

// Nothing that changes what a turn is made of is overtaken, nor is a command: it has a turn of its own.
std::vector<Prompt> HeadlessHost::offered() {
  std::vector<Prompt> prompts;
  std::size_t asking = 0;  // those up to the last that asks for an answer
  const std::lock_guard lock(mutex_);
  if (turn_is_over_) return {};
  for (const Queued& item : queue_) {
    const auto* message = std::get_if<HostMessage>(&item);
    if (!message || prompts.size() >= kOfferedPromptsMax || calls_command(message->prompt)) break;
    if (message->asks_model && message->priority == MessagePriority::later) continue;
    prompts.push_back(message->prompt);
    if (message->asks_model) asking = prompts.size();
  }
  prompts.resize(asking);
  return prompts;
}

bool HeadlessHost::take(const std::string& uuid) {
  std::optional<HostMessage> taken;
  {
    const std::lock_guard lock(mutex_);
    const auto found = std::ranges::find_if(queue_, [&](const Queued& item) {
      const auto* message = std::get_if<HostMessage>(&item);
      return message && message->prompt.uuid == uuid;
    });
    if (turn_is_over_ || found == queue_.end()) return false;
    taken = std::get<HostMessage>(std::move(*found));
    queue_.erase(found);
    note_of_turn(*taken);
  }
  replay(*taken);
  return true;
}

// Under mutex_.
std::size_t HeadlessHost::count_asking() const {
  return static_cast<std::size_t>(std::ranges::count_if(queue_, asks_model));
}

std::size_t HeadlessHost::queued_turns() {
  const std::lock_guard lock(mutex_);
  return static_cast<std::size_t>(
      std::ranges::count_if(queue_, [](const auto& item) { return std::holds_alternative<HostMessage>(item); }));
}

// --- questions ---

void HeadlessHost::show(Event event) {
  if (std::holds_alternative<ResultsGiven>(event)) tell_mode();
  if (const auto* asked = std::get_if<PermissionAsked>(&event)) ask_permission(*asked);
  if (const auto* withdrawn = std::get_if<PermissionWithdrawn>(&event)) withdraw(withdrawn->id);
}

// The model has entered plan mode or left it, or an answer of the host has changed the mode.
void HeadlessHost::tell_mode() {
  const Mode mode = parts_.session.agent().engine().permissions()->mode();
  if (std::exchange(told_mode_, mode) == mode) return;
  parts_.output.put(
      {{"type", "system"}, {"subtype", "status"}, {"status", Json()}, {"permissionMode", to_string(mode)}});
}

void HeadlessHost::ask_permission(const PermissionAsked& asked) {
  if (!parts_.decides) return;
  const std::string question = asked.id;
  {
    const std::lock_guard lock(mutex_);
    questions_.insert_or_assign(question, std::string());
  }
  parts_.output.begin_question();
  std::string id = parts_.port.ask(can_use_tool(asked), [this, question](Result<Json> reply) {
    bool was_open = false;
    {
      const std::lock_guard lock(mutex_);
      was_open = questions_.erase(question) > 0;
    }
    if (was_open) parts_.output.end_question();
    parts_.session.agent().feed(answer_of_host(question, std::move(reply)));
  });
  const std::lock_guard lock(mutex_);
  const auto open = questions_.find(question);
  if (open != questions_.end()) open->second = std::move(id);
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
  parts_.output.end_question();
  parts_.port.cancel(id);
}

}  // namespace deft
