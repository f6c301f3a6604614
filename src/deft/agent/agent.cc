#include "deft/agent/agent.h"

#include <algorithm>
#include <random>
#include <utility>

#include "deft/agent/background_notice.h"
#include "deft/agent/cancel_text.h"
#include "deft/agent/session_effects.h"
#include "deft/base/check.h"
#include "deft/base/overloaded.h"
#include "deft/core/message_content.h"
#include "deft/core/token_use.h"
#include "deft/model/output_limit.h"

// A turn, top to bottom:
//
//   begin_turn → send_request → take(what the model streams) → finish_message ─┬→ answer_calls → send_request …
//                     ↑              │ it failed                               └→ end_turn
//                     └── ask_again ←┘
//
// Calls go to the executor the moment they are complete; it shares our thread and our inbox, so a step of it is a step
// of ours, and there is nothing to lock.

namespace deft {
namespace {

std::string text_of(const Message& message) {
  std::string text;
  for (const Block& block : message.blocks) {
    if (const auto* piece = std::get_if<TextBlock>(&block)) text += piece->text;
  }
  return text;
}

// What is said of why, where the model declined: by the API, or by the model in words of their own kind.
std::string why_declined(const Message& message) {
  const auto details = message.extra.find("stop_details");
  const auto explanation = details == message.extra.end() ? std::nullopt : find_string(details->value(), "explanation");
  if (explanation) return std::string(*explanation);
  for (const Block& block : message.blocks) {
    const auto* other = std::get_if<OtherBlock>(&block);
    if (const auto said = other ? find_string(other->json, "refusal") : std::nullopt) return std::string(*said);
  }
  return {};
}

std::string_view word_of(MessageCompleted::How how) {
  switch (how) {
    case MessageCompleted::How::whole: return "whole";
    case MessageCompleted::How::kept: return "kept";
    case MessageCompleted::How::aborted: return "aborted";
  }
  return "whole";
}

RetryDelay retry_delay_of(const AgentOptions& options) {
  if (options.retry_delay) return options.retry_delay;
  return back_off({.retries_max = options.retries_max,
                   .overload_for_ever = options.retry_overload_for_ever,
                   .random = [random = std::minstd_rand(std::random_device{}())]() mutable {
                     return std::uniform_real_distribution<double>()(random);
                   }});
}

bool hit_the_output_limit(const Message& message) {
  return message.stop_reason == "max_tokens" || message.stop_reason == "model_context_window_exceeded";
}

bool ends_in_half_a_call(const Message& message) {
  if (!hit_the_output_limit(message) || message.blocks.empty()) return false;
  const auto* use = std::get_if<ToolUseBlock>(&message.blocks.back());
  return use && use->call.invalid;
}

const Clock& clock_of(const EngineOptions& options, const Clock& otherwise) {
  if (options.workshop) return options.workshop->clock();
  return options.clock ? *options.clock : otherwise;
}

}  // namespace

Agent::Agent(AgentOptions options, ModelClient& model, Frontend& frontend)
    : options_(std::move(options)),
      model_(model),
      timeline_(frontend, clock_of(options_.engine, system_clock_),
                {.agent_id = options_.engine.agent_id,
                 .agent_type = options_.engine.agent_type,
                 .within = options_.engine.started_by,
                 .secrets = options_.engine.secrets}),
      frontend_(timeline_) {
  options_.engine.results.budget = ResultOptions::Budget::request;
  options_.engine.deferral = options_.deferral;
}

Agent::~Agent() {
  if (options_.children) options_.children->end();  // they work in our workshop
  call_.reset();                                    // its sink posts to the engine
  compaction_.reset();
  hooks_.reset();
}

Result<std::unique_ptr<Agent>> Agent::open(AgentOptions options, ModelClient& model, Frontend& frontend) {
  std::unique_ptr<Agent> agent(new Agent(std::move(options), model, frontend));
  auto engine = Engine::open(agent->options_.engine, *agent);
  if (!engine) return std::unexpected(engine.error());
  agent->engine_ = std::move(*engine);
  const bool is_kept = agent->options_.engine.session_folder || agent->options_.engine.workshop;
  if (is_kept) agent->timeline_.begin(agent->engine_->session_folder());
  if (agent->options_.engine.timeline) agent->timeline_.tell(*agent->options_.engine.timeline);
  agent->hooks_ = std::make_unique<AgentHooks>(AgentHooks::Parts{.hooks = agent->engine_->workshop().hooks(),
                                                                 .runner = agent->engine_->runner(),
                                                                 .executor = agent->executor(),
                                                                 .frontend = *agent});
  agent->compaction_ = std::make_unique<Compaction>(
      Compaction::Parts{.model = model,
                        .executor = agent->executor(),
                        .hooks = *agent->hooks_,
                        .clock = agent->engine_->clock(),
                        .wasted = [agent = agent.get()](const std::string& answered_by, const Json& usage) {
                          SessionUsage used;
                          const auto& cost = agent->options_.cost;
                          used.add(answered_by, usage, cost ? cost(answered_by, usage) : 0);
                          agent->add_usage(used);
                        }});
  agent->log_.emplace(agent->engine_->journal(), frontend);
  auto session = Session::load(agent->engine_->journal().path(), agent->options_.resume);
  if (!session) return std::unexpected(session.error());
  if (auto resumed = agent->resume(std::move(*session)); !resumed) return std::unexpected(resumed.error());
  return agent;
}

Result<void> Agent::resume(Session session) {
  for (const JournalEntry& entry : session.repairs) {
    if (auto written = engine_->journal().append(entry); !written) return written;
  }
  for (const std::string& id : session.call_ids) {
    engine_->workshop().ids().use(id);
    if (!session.deferred || id != session.deferred->id) executor().use_ids(id);
  }
  // What they changed is known, and undone, by the ids of their calls.
  if (!is_subagent() && !session.call_ids.empty()) {
    for (const std::string& id : effect_ids_of_subagents(engine_->session_folder())) engine_->workshop().ids().use(id);
  }
  background_notice_ = background_notice(session.history);
  conversation_.replace(std::move(session.history));
  engine_->session().files = std::move(session.files);
  engine_->session().todos = std::move(session.todos);
  if (session.worktree) go_on_in_worktree(*session.worktree);
  engine_->go_to(session.working_directory);
  engine_->session().tools = std::move(session.tools);
  usage_ = usage_before_ = std::move(session.usage);
  state_ = std::move(session.state);
  interrupted_ = session.interrupted_calls;
  if (interrupted_ > 0 && !is_subagent()) engine_->workshop().remove_leftovers();
  deferred_ = std::move(session.deferred);
  go_on_planning();
  return {};
}

Json Agent::state(const std::string& key) const {
  const auto found = state_.find(key);
  return found == state_.end() ? Json() : found->second;
}

void Agent::set_state(const std::string& key, Json value) {
  if (const auto written = engine_->journal().state(key, value); !written) {
    frontend_.show(Notice{written.error().message});
  }
  state_[key] = std::move(value);
}

void Agent::announce_turn() {
  if (turn_ % 2 == 0) ++turn_;
}

void Agent::announce_end() {
  if (turn_ % 2 == 1) ++turn_;
  ends_at_once_ = makes_room_ = false;
}

TurnEnd Agent::run_turn(const Prompt& prompt) {
  begin_turn(prompt);
  if (std::exchange(ends_at_once_, false)) take_abort(turn_);
  advance();
  while (!end_) {
    // One thing happens: to the model's message, to a call, or the user says something.
    executor().step(call_ ? call_->pump() : nullptr);
    advance();
  }
  return *std::exchange(end_, std::nullopt);
}

// --- its beginning ---

void Agent::begin_turn(const Prompt& prompt) {
  DEFT_CHECK(phase_ == Phase::idle);
  announce_turn();
  executor().take_waiting();  // tools that came meanwhile are in the first request
  executor().begin_turn();
  if (options_.structured) options_.structured->begin_turn();
  message_ = {};
  this_turn_ = {};
  this_turn_.began = engine_->clock().now();
  this_turn_.attempts.emplace(fresh_attempts());
  this_turn_.output_tokens_max = options_.output_tokens_max;
  frontend_.show(TurnBegan{});
  log_->turn_began();
  if (deferred_) {
    take_prompt(prompt);
    return resume_deferred();
  }
  if (const std::string notice = std::exchange(background_notice_, ""); !notice.empty()) {
    add_user(content_of({text_block(notice)}), {.source = "reminder"});
  }
  take_prompt(prompt);
  await_prompts(AfterPrompts::first_request);
}

Attempts Agent::fresh_attempts() const {
  std::vector<std::string> models{options_.model};  // the first again, whatever the last turn fell back to
  models.insert(models.end(), options_.fallback_models.begin(), options_.fallback_models.end());
  return Attempts(std::move(models), retry_delay_of(options_));
}

// --- what the model streams ---

void Agent::take(ModelEvent event) {
  std::visit(Overloaded{
                 [&](ModelBegan& began) {
                   engine_->runner().warm_up();
                   frontend_.show(MessageBegan{std::move(began.request_id)});
                 },
                 [&](TextDelta& delta) {
                   message_.add_text(delta.text);
                   frontend_.show(TextArrived{std::move(delta.text)});
                 },
                 [&](ThinkingDelta& delta) { frontend_.show(ThinkingArrived{std::move(delta.text)}); },
                 [&](CallReady& ready) { take_call(std::move(ready)); },
                 [&](MessageDone& done) { take_message(std::move(done.message)); },
                 [&](ModelFailed& failed) { take_failure(std::move(failed)); },
                 [&](RawModelEvent& raw) { frontend_.show(RawEventArrived{std::move(raw.json)}); },
             },
             event);
}

void Agent::take_call(CallReady ready) {
  const MessageHead head = ready.head;
  std::vector<Block> blocks = message_.add_call(std::move(ready), engine_->workshop().ids());
  ToolCall call = std::get<ToolUseBlock>(blocks.back()).call;
  log_->draft(blocks, message_uuid_);
  for (Block& block : blocks) frontend_.show(BlockCompleted{std::move(block), head});
  executor().take_now(CallArrived{std::move(call)});
}

void Agent::take_message(Message provided) {
  end_request();
  this_turn_.attempts->succeeded();
  this_turn_.kept_in_a_row = 0;
  Message message = message_.whole(std::move(provided));
  // Half a call because the answer may be no longer: worth asking again for a longer one, unless something was done.
  if (ends_in_half_a_call(message) && this_turn_.output_tokens_max < this_turn_.output_tokens_cap &&
      discard_message()) {
    this_turn_.output_tokens_max = std::min(this_turn_.output_tokens_max * 2, this_turn_.output_tokens_cap);
    return ask_again_in(Duration{});
  }
  keep_message(std::move(message), MessageCompleted::How::whole);
}

void Agent::take_failure(ModelFailed failed) {
  end_request();
  if (ask_for_less(failed.failure)) return ask_again_in(Duration{});
  const std::string model_before = this_turn_.attempts->model();
  const Attempts::Next next = this_turn_.attempts->failed(failed.failure);
  const bool had_calls = message_.has_calls();
  const bool retry = next.step == Attempts::Next::Step::retry;
  // What was begun with is not asked for twice; and if nobody asks again, what has come is all there is.
  if (had_calls && (!retry || !discard_message())) {
    ++this_turn_.kept_in_a_row;
    this_turn_.so_far.failure = std::move(failed.failure);
    return keep_message(message_.kept(std::move(failed.message)), MessageCompleted::How::kept);
  }
  if (!had_calls && message_.has_text()) frontend_.show(MessageDiscarded{});
  if (retry) {
    if (next.model_changed) {
      frontend_.show(ModelSwitched{model_before, this_turn_.attempts->model(), failed.failure.message});
    } else {
      frontend_.show(RetryScheduled{.failures = this_turn_.attempts->failures(),
                                    .retries_max = options_.retries_max,
                                    .delay = next.delay,
                                    .failure = std::move(failed.failure)});
    }
    return ask_again_in(next.delay);
  }
  const bool too_long = next.step == Attempts::Next::Step::shorten;
  if (too_long && compact_after_overflow()) return;
  const std::string explanation = failed.failure.message + (too_long ? what_takes_the_context() : "");
  this_turn_.so_far.failure = std::move(failed.failure);
  end_turn(too_long ? TurnReason::prompt_too_long : TurnReason::model_error, explanation);
}

void Agent::end_request() {
  call_.reset();
  ++request_;
  this_turn_.so_far.model_duration += engine_->clock().now() - asked_;
}

void Agent::ask_again_in(Duration delay) {
  phase_ = Phase::waiting;
  retry_due_ = delay <= Duration{};
  if (retry_due_) return;
  executor().post_at(engine_->clock().now() + delay, [this, number = request_] {
    if (number == request_) retry_due_ = true;
  });
}

// The model would answer, but not at that length.
bool Agent::ask_for_less(const ModelFailure& failure) {
  const auto fits = fitting_output_tokens(failure, this_turn_.output_tokens_max);
  if (!fits || message_.has_text() || message_.has_calls()) return false;
  this_turn_.output_tokens_max = this_turn_.output_tokens_cap = *fits;
  return true;
}

// True: the message never existed. False: something may have been done, so it stays, as far as it came.
bool Agent::discard_message() {
  discard_kept_ = false;
  executor().take_now(StreamBroke{});
  if (discard_kept_) return false;
  log_->draft_dropped();
  for (const std::string& id : message_.call_ids()) engine_->workshop().ids().release(id);
  message_ = {};
  answers_.clear();
  return true;
}

void Agent::keep_message(Message message, MessageCompleted::How how) {
  ++this_turn_.so_far.requests;
  this_turn_.so_far.text = text_of(message);
  this_turn_.so_far.stop_reason = message.stop_reason;
  this_turn_.so_far.explanation = why_declined(message);
  const double cost = options_.cost ? options_.cost(this_turn_.attempts->model(), message.usage) : 0;
  count(this_turn_.attempts->model(), message.usage, cost);
  const std::string content = assistant_content(message.blocks);
  log_->message({.content = content,
                 .message = message,
                 .model = this_turn_.attempts->model(),
                 .how = word_of(how),
                 .cost = cost,
                 .uuid = message_uuid_});
  conversation_.add_assistant(content);
  gauge_.answered(conversation_.messages(), token_use(message.usage));
  if (!std::exchange(this_turn_.is_just_compacted, false) && has_room()) this_turn_.compactions_in_a_row = 0;
  const MessageHead head = head_of(message);
  const bool is_cut_off = how == MessageCompleted::How::aborted;
  for (Block& block : message_.rest_of(message)) frontend_.show(BlockCompleted{std::move(block), head, is_cut_off});
  frontend_.show(MessageCompleted{std::move(message), how});
  phase_ = Phase::finishing;
  if (!discard_kept_) executor().take_now(MessageEnded{});
  discard_kept_ = false;
}

// --- after the message ---

void Agent::advance() {
  if (!executor().idle()) return;
  if (phase_ == Phase::waiting && retry_due_) send_request();
  if (phase_ == Phase::prompting) go_on_with_prompts();
  if (phase_ == Phase::finishing) finish_message();
}

void Agent::finish_message() {
  if (auto deferred = executor().take_deferred()) return end_deferred(std::move(*deferred));
  const bool was_deferred = std::exchange(resumes_deferred_, false);
  if (was_deferred) deferred_.reset();
  const bool has_calls = message_.has_calls() || was_deferred;
  if (has_calls) answer_calls();
  if (this_turn_.aborted || executor().is_aborted()) {
    add_user(content_of({text_block(kAbortNotice)}), {.source = "abort"});
    return end_turn(this_turn_.aborted_streaming ? TurnReason::aborted_streaming : TurnReason::aborted_tools);
  }
  if (makes_room_ && (has_calls || this_turn_.aborted_streaming)) {
    return end_turn(this_turn_.aborted_streaming ? TurnReason::aborted_streaming : TurnReason::aborted_tools);
  }
  if (this_turn_.kept_in_a_row > kBrokenMessagesKeptMax) {
    return end_turn(TurnReason::model_error,
                    "the model's answers keep breaking off: " + this_turn_.so_far.failure->message);
  }
  if (!has_calls) return go_on_without_calls();
  message_ = {};  // it is answered
  if (was_deferred && answers_.front().result.error == Errc::unknown_tool) {
    add_prompts();
    return end_turn(TurnReason::tool_deferred_unavailable, "the tool of the deferred call is not available any more");
  }
  if (options_.structured && options_.structured->take(answers_) == StructuredOutput::State::given_up) {
    return end_turn(TurnReason::structured_output_failed, options_.structured->explanation());
  }
  if (const auto why = stop_after_calls()) {
    add_prompts();
    return end_turn(TurnReason::hook_stopped, *why);
  }
  if (options_.structured && options_.structured->value() && this_turn_.prompts.empty()) return consider_end();
  add_waiting();
  await_prompts(AfterPrompts::next_request);
}

// The call stays unanswered, in the history and in the journal, until the next turn.
void Agent::end_deferred(ToolCall call) {
  if (!resumes_deferred_) deferred_ = message_.first_call();
  resumes_deferred_ = false;
  set_state(std::string(kDeferredState), JsonObject{{"call", call.id}});
  const auto says_something = [](const GivenPrompt& given) { return !given.prompt.blocks.empty(); };
  if (std::ranges::any_of(std::exchange(this_turn_.prompts, {}), says_something)) {
    frontend_.show(Notice{"A call is still to be decided: what was said meanwhile was left out; send it again."});
  }
  message_ = {};
  this_turn_.so_far.deferred = std::move(call);
  end_turn(TurnReason::tool_deferred);
}

// From here on it is a call like any other; what was said since follows its result.
void Agent::resume_deferred() {
  resumes_deferred_ = true;
  phase_ = Phase::finishing;
  batch_ = {};
  answers_.clear();
  set_state(std::string(kDeferredState), Json());
  executor().take_now(CallArrived{*deferred_});
  executor().take_now(MessageEnded{});
}

// Results first, in the order of the calls; what they add to the conversation follows in the same order.
void Agent::answer_calls() {
  const std::vector<bool> changed = engine_->given().fit(answers_);
  for (const std::string& path : engine_->given().take_hidden_files()) engine_->session().files.forget(path);
  std::vector<std::string> after;
  for (const CallAnswered& answer : answers_) {
    for (std::string& block : new_message_blocks(answer.result.new_messages)) after.push_back(std::move(block));
  }
  for (std::string& block : new_message_blocks(batch_.new_messages)) after.push_back(std::move(block));
  const std::string rest = content_of(after);
  remember_planning();
  log_->results(answers_, changed, rest);
  std::string content = content_of_answers(answers_);
  if (!rest.empty()) content = joined_content(content, rest);
  conversation_.add_user(content);
  frontend_.show(ResultsGiven{std::move(content)});
}

void Agent::go_on_without_calls() {
  if (this_turn_.so_far.stop_reason == "pause_turn" && ++this_turn_.pauses <= kPausesMax) return send_request();
  if (!this_turn_.prompts.empty()) return await_prompts(AfterPrompts::last_word);
  if (wants_structured_output()) return ask_for_structured_output();
  consider_end();
}

bool Agent::wants_structured_output() const {
  return options_.structured && !options_.structured->value() && this_turn_.so_far.stop_reason != "refusal";
}

// The model thinks that it is done, and has not said it in the way that was asked for.
void Agent::ask_for_structured_output() {
  if (options_.structured->ended_without() == StructuredOutput::State::given_up) {
    return end_turn(TurnReason::structured_output_failed, options_.structured->explanation());
  }
  add_user(content_of({text_block(kStructuredOutputReminder)}), {.source = "reminder"});
  send_request();
}

void Agent::end_turn(TurnReason reason, std::string explanation) {
  drop_news();
  phase_ = Phase::idle;
  makes_room_ = false;
  ++turn_;
  this_turn_.so_far.reason = reason;
  if (options_.structured) this_turn_.so_far.structured_output = options_.structured->value();
  this_turn_.so_far.explanation = std::move(explanation);
  this_turn_.so_far.duration = engine_->clock().now() - this_turn_.began;
  end_ = this_turn_.so_far;
  log_->sync();
  frontend_.show(TurnEnded{*end_});
}

void Agent::add_user(const std::string& content, const SaidBy& by) {
  if (content.empty()) return;
  log_->prompt(content, by.uuid, by.source);
  conversation_.add_user(content);
  frontend_.show(PromptGiven{content, by.uuid});
}

// --- the user ---

// One that comes between two turns, or when its turn has just ended, is not meant for the next.
void Agent::abort() {
  executor().post([this, turn = turn_.load()] { take_abort(turn); });
}

void Agent::take_abort(std::size_t turn) {
  if (turn != turn_) return;
  if (phase_ == Phase::idle) {
    ends_at_once_ = turn_ % 2 == 1;
    return hooks_->stop();  // those of the session's start or end
  }
  if (this_turn_.aborted) return;
  this_turn_.aborted = true;
  hooks_->stop();
  if (options_.children) options_.children->abort();
  if (abort_compaction()) return;
  this_turn_.prompts.clear();
  const bool streaming = phase_ == Phase::asking;
  this_turn_.aborted_streaming = phase_ != Phase::finishing;
  if (streaming) end_request();
  ++request_;  // no retry either
  expanding_.request_stop();
  executor().take_now(Aborted{});
  const bool never_began = phase_ == Phase::prompting && after_prompts_ == AfterPrompts::first_request;
  if (never_began) return end_turn(TurnReason::aborted_streaming);
  if (streaming) return keep_message(message_.so_far(), MessageCompleted::How::aborted);
  phase_ = Phase::finishing;
}

// --- the engine tells us ---

// From the turn's thread, and from workers: those tell of progress, which goes on as it is.
void Agent::show(Event event) {
  if (auto* answered = std::get_if<CallAnswered>(&event)) {
    // Times and details are for those who watch; but an answer by a schema is taken from the details.
    std::vector<StageTime> stages = std::exchange(answered->stages, {});
    Json details = std::exchange(answered->result.details, Json());
    answers_.push_back(*answered);
    if (options_.structured) answers_.back().result.details = details;
    answered->result.details = std::move(details);
    answered->stages = std::move(stages);
  }
  if (const auto* hooked = std::get_if<BatchHooked>(&event)) batch_ = *hooked;
  if (const auto* discarded = std::get_if<MessageDiscarded>(&event)) discard_kept_ = discarded->kept;
  frontend_.show(std::move(event));
}

}  // namespace deft
