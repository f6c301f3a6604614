#include <algorithm>
#include <utility>

#include "deft/agent/agent.h"
#include "deft/agent/hook_stages.h"
#include "deft/base/check.h"
#include "deft/core/message_content.h"
#include "deft/core/timeline.h"
#include "deft/os/uuid.h"

// What hooks have a say in around a turn: what the user says (before it is told to the model), the model's last word
// (before the turn ends), and what those in the background say in between. Meanwhile the inbox is read as ever, so an
// abort ends them.

namespace deft {
namespace {

std::string text_of(const Prompt& prompt) {
  std::string text;
  for (const Json& block : prompt.blocks) {
    const auto piece = block.is_string() ? std::optional(view(block.get_string())) : find_string(block, "text");
    if (!piece) continue;
    if (!text.empty()) text += "\n";
    text += *piece;
  }
  return text;
}

}  // namespace

HookScene Agent::hook_scene() const {
  return {.directory = engine_->session().working_directory,
          .mode = engine_->permissions()->mode(),
          .agent_id = options_.engine.agent_id,
          .agent_type = options_.engine.agent_type};
}

SessionBegin Agent::begin_session(std::string_view source) {
  DEFT_CHECK(phase_ == Phase::idle);
  get_ready_for_calls(executor().pool());
  HookOutcome outcome = hooks_->ask_and_wait(session_start(hook_scene(), source, options_.model));
  for (const std::string& text : outcome.context) context_.push_back(hook_context_text(HookEvent::session_start, text));
  return {.first_prompt = std::move(outcome.first_prompt), .title = std::move(outcome.session_title)};
}

void Agent::end_session(std::string_view reason) {
  DEFT_CHECK(phase_ == Phase::idle);
  hooks_->ask_and_wait(session_end(hook_scene(), reason));
}

// --- what the user says ---

// What a prompt is to hooks: the user's, or the task of a subagent that begins.
std::optional<HookMoment> Agent::moment_of(const Prompt& prompt) {
  if (is_subagent()) {
    if (std::exchange(has_started_, true) || !hooks_->listens(HookEvent::subagent_start)) return std::nullopt;
    return subagent_start(hook_scene());
  }
  if (prompt.blocks.empty() || !hooks_->listens(HookEvent::user_prompt_submit)) return std::nullopt;
  return user_prompt_submit(hook_scene(), text_of(prompt), "user");
}

void Agent::take_prompt(Prompt prompt, bool waits) {
  auto moment = moment_of(prompt);
  const std::size_t number = ++prompts_given_;
  this_turn_.prompts.push_back({.number = number, .prompt = std::move(prompt), .waits = waits});
  if (!moment) return look_for_command(number);
  hooks_->ask(std::move(*moment), [this, number](HookOutcome outcome) {
    GivenPrompt* given = given_prompt(number);
    if (!given) return;
    given->said = std::move(outcome);
    look_for_command(number);
  });
}

void Agent::await_prompts(AfterPrompts after) {
  phase_ = Phase::prompting;
  after_prompts_ = after;
  go_on_with_prompts();
}

void Agent::go_on_with_prompts() {
  if (!std::ranges::all_of(this_turn_.prompts, &GivenPrompt::is_judged)) return;
  drop_waiting();
  std::optional<std::string> stopped, blocked;
  for (const GivenPrompt& given : this_turn_.prompts) {
    if (given.said.stops && !stopped) stopped = given.said.stop_reason;
    if (given.said.blocked && !blocked) blocked = given.said.block_reason;
    if (given.refusal && !blocked) blocked = given.refusal;
  }
  const bool is_first = after_prompts_ == AfterPrompts::first_request;
  const bool has_prompt = add_prompts();
  if (stopped) return end_turn(TurnReason::hook_stopped, *stopped);
  if (is_first && !has_prompt && blocked) return end_turn(TurnReason::prompt_blocked, *blocked);
  if (is_first && conversation_.empty()) return end_turn(TurnReason::model_error, "the prompt is empty");
  if (is_first && !has_prompt) {
    // Whoever says nothing may have been told something; else the model had its last word already.
    add_late_words();
    add_news();
    if (conversation_.messages().back().role == Role::assistant) return end_turn(TurnReason::completed);
  }
  if (after_prompts_ == AfterPrompts::last_word && !has_prompt) return consider_end();
  send_request();
}

// Those that hooks let pass, each with what they add to it.
bool Agent::add_prompts() {
  bool has_any = false;
  const HookEvent event = is_subagent() ? HookEvent::subagent_start : HookEvent::user_prompt_submit;
  for (GivenPrompt& given : std::exchange(this_turn_.prompts, {})) {
    if (given.said.stops) continue;
    if (!given.is_judged) {
      frontend_.show(Notice{"A prompt came too late for this turn and was left out; send it again."});
      continue;
    }
    if (given.said.blocked) {
      frontend_.show(Notice{"A hook took a prompt back: " + given.said.block_reason});
      continue;
    }
    if (given.refusal) {
      const bool ends_turn = after_prompts_ == AfterPrompts::first_request;  // which says why
      if (!ends_turn) frontend_.show(Notice{*given.refusal});
      continue;
    }
    if (given.grant) executor().change_session(*given.grant);
    std::vector<std::string> blocks = new_message_blocks(given.prompt.blocks);
    for (const std::string& text : std::exchange(context_, {})) blocks.push_back(text_block(text));
    for (const std::string& text : given.said.context) blocks.push_back(text_block(hook_context_text(event, text)));
    for (const std::string& text : given.expansion_context) {
      blocks.push_back(text_block(hook_context_text(HookEvent::user_prompt_expansion, text)));
    }
    const std::string content = content_of(blocks);
    has_any = has_any || !content.empty();
    add_user(content, {.uuid = given.prompt.uuid.empty() ? random_uuid() : given.prompt.uuid});
  }
  return has_any;
}

// --- what comes late ---

// True: one of them wants the model to go on.
bool Agent::add_late_words() {
  if (is_subagent()) return false;  // the main agent hears them
  bool wakes = false;
  for (const LateHookWord& word : hooks_->take_late_words()) {
    const auto show = [&](HookSpoke::Kind kind, const std::string& text) {
      if (!text.empty()) frontend_.show(HookSpoke{.kind = kind, .event = word.event, .hook = word.hook, .text = text});
    };
    show(HookSpoke::Kind::error_during_execution, word.error);
    show(HookSpoke::Kind::system_message, word.message);
    show(HookSpoke::Kind::additional_context, word.context);
    wakes = wakes || word.wakes_model;
    if (!word.context.empty())
      add_user(content_of({text_block(hook_context_text(word.event, word.context))}), {.source = "hook"});
  }
  return wakes;
}

// --- the end ---

std::optional<std::string> Agent::stop_after_calls() const {
  for (const CallAnswered& answer : answers_) {
    if (answer.result.stop_after) return answer.result.stop_after;
  }
  return batch_.stop_after;
}

void Agent::consider_end() {
  if (this_turn_.so_far.stop_reason == "refusal") return end_turn(TurnReason::refusal, this_turn_.so_far.explanation);
  if (add_late_words()) return send_request();
  // Asked first: whoever ends in between has left its news.
  const bool waits = options_.waits_for_children && options_.children && options_.children->at_work();
  // What tell() brought is reason enough for a request a few times; then it goes along with those that others make.
  const bool is_reason = this_turn_.told_at_end < kToldAtEndMax;
  std::vector<std::string> held = is_reason ? std::vector<std::string>() : std::exchange(told_, {});
  const bool is_told = !told_.empty();
  const bool has_news = add_news();
  if (!held.empty()) told_ = std::move(held);
  if (has_news) {
    if (is_told) ++this_turn_.told_at_end;
    return send_request();
  }
  if (waits) return await_children();
  const HookEvent event = is_subagent() ? HookEvent::subagent_stop : HookEvent::stop;
  if (!hooks_->listens(event)) return end_turn(TurnReason::completed);
  phase_ = Phase::stopping;
  const bool goes_on_already = this_turn_.stop_continuations > 0;
  const std::string transcript = engine_->session_folder() + "/subagents/agent-" + options_.engine.agent_id + ".jsonl";
  HookMoment moment = is_subagent() ? subagent_stop(hook_scene(), goes_on_already, transcript, this_turn_.so_far.text)
                                    : stop(hook_scene(), goes_on_already, this_turn_.so_far.text);
  hooks_->ask(std::move(moment), [this](const HookOutcome& outcome) { take_stop_hooks(outcome); });
}

// Somebody at work in the background may hang; who waits for the answer shall get it all the same.
void Agent::await_children() {
  phase_ = Phase::awaiting;
  if (!options_.children_patience) return;
  if (!this_turn_.awaits_until) this_turn_.awaits_until = engine_->clock().now() + *options_.children_patience;
  executor().post_at(*this_turn_.awaits_until, [this, turn = turn_.load()] {
    if (turn != turn_ || phase_ != Phase::awaiting) return;
    frontend_.show(Notice{
        "The turn ends while a subagent in the background is still at work: it had " +
        time_in_words(std::chrono::duration_cast<std::chrono::microseconds>(*options_.children_patience).count()) +
        "."});
    end_turn(TurnReason::completed);
  });
}

void Agent::take_stop_hooks(const HookOutcome& outcome) {
  if (phase_ != Phase::stopping) return;
  frontend_.show(StopHooksRan{stop_hook_summary(outcome)});
  if (outcome.stops) return end_turn(TurnReason::hook_stopped, outcome.stop_reason);
  const bool goes_on = outcome.blocked || !outcome.context.empty();
  if (!goes_on && !this_turn_.prompts.empty()) return await_prompts(AfterPrompts::last_word);
  if (!goes_on) return end_turn(TurnReason::completed);
  if (this_turn_.stop_continuations >= kStopContinuationsMax) {
    frontend_.show(Notice{"Hooks kept the turn from ending " + std::to_string(kStopContinuationsMax) +
                          " times in a row; now it ends."});
    return end_turn(TurnReason::completed);
  }
  ++this_turn_.stop_continuations;
  const HookEvent event = is_subagent() ? HookEvent::subagent_stop : HookEvent::stop;
  std::vector<std::string> blocks;
  if (outcome.blocked) blocks.push_back(text_block(hook_block_text(event, outcome.block_reason)));
  for (const std::string& text : outcome.context) blocks.push_back(text_block(hook_context_text(event, text)));
  add_user(content_of(blocks), {.source = "hook"});
  await_prompts(AfterPrompts::next_request);
}

}  // namespace deft
