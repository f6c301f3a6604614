#include "deft/agent/agent.h"
#include "deft/agent/standing_work.h"
#include "deft/base/check.h"
#include "deft/core/compaction_plan.h"
#include "deft/core/message_content.h"

// When an agent's conversation is made shorter, and what follows from it. How, is Compaction's.
//
// Before a request that would hardly fit, and after one that did not. If it cannot be done, the request that would
// hardly fit is made all the same; the one that did not fit ends the turn. Nor is it done again and again: a
// conversation that is full again after every answer is one that a summary does not help.

namespace deft {

std::uint64_t Agent::context_tokens() const {
  return gauge_.tokens(conversation_.messages(), options_.system.size() + tools_bytes_);
}

std::uint64_t Agent::context_window() const { return std::min(options_.context.window_tokens, window_known_); }

bool Agent::has_room() const {
  return context_tokens() < compaction_threshold(context_window(), this_turn_.output_tokens_max);
}

// A request that is too long for a small model may not be so because of what was said.
std::string Agent::what_takes_the_context() const {
  const std::uint64_t tools = tools_bytes_ / kBytesPerToken;
  if (tools <= estimated_tokens(conversation_.messages())) return {};
  return ". Most of it are the definitions of the tools, about " + std::to_string(tools) +
         " tokens: offer fewer of them (--tools).";
}

bool Agent::should_compact() const {
  if (!options_.context.automatic || this_turn_.compaction_failed ||
      this_turn_.compactions_in_a_row >= kCompactionsInARowMax)
    return false;
  if (this_turn_.is_just_compacted || has_room()) return false;
  return kept_tail(conversation_.messages(), kept_tail_budget(context_window())).has_value();
}

// After a request that was too long. False: nothing can be done about it.
bool Agent::compact_after_overflow() {
  window_known_ = std::max(kContextWindowTokensMin, std::min(window_known_, context_tokens()));
  if (!options_.context.automatic || this_turn_.compaction_failed ||
      this_turn_.compactions_in_a_row >= kCompactionsInARowMax)
    return false;
  const auto kept =
      kept_tail(conversation_.messages(), this_turn_.is_just_compacted ? 0 : kept_tail_budget(context_window()));
  if (!kept) return false;
  begin_compaction("auto", {}, *kept, AfterCompaction::request_did_not_fit);
  return true;
}

void Agent::compact_before_request() {
  const auto kept = kept_tail(conversation_.messages(), kept_tail_budget(context_window()));
  begin_compaction("auto", {}, *kept, AfterCompaction::request_might_fit);
}

Result<CompactionDone> Agent::compact(std::string instructions) {
  DEFT_CHECK(phase_ == Phase::idle);
  if (deferred_) return fail(Errc::invalid_input, "a call is still to be decided");
  const auto kept = kept_tail_between_turns(conversation_.messages(), kept_tail_budget(context_window()));
  if (!kept) return fail(Errc::invalid_input, "there is nothing to compact yet");
  this_turn_.attempts.emplace(fresh_attempts());
  this_turn_.output_tokens_max = options_.output_tokens_max;
  this_turn_.aborted = false;
  compaction_answer_.reset();
  begin_compaction("manual", std::move(instructions), *kept, AfterCompaction::nothing);
  while (!compaction_answer_) executor().step();
  return *std::exchange(compaction_answer_, std::nullopt);
}

void Agent::begin_compaction(std::string trigger, std::string instructions, std::size_t kept, AfterCompaction after) {
  phase_ = Phase::compacting;
  after_compaction_ = after;
  compaction_shown_ = {.trigger = trigger, .tokens_before = context_tokens()};
  frontend_.show(CompactionBegan{trigger, compaction_shown_.tokens_before});
  asked_ = engine_->clock().now();
  compaction_->start({.trigger = std::move(trigger),
                      .instructions = std::move(instructions),
                      .history = conversation_.snapshot(),
                      .kept = kept,
                      .request = make_request(executor().pool()),
                      .attempts = fresh_attempts(),
                      .scene = hook_scene()},
                     [this, kept](Result<CompactedText> text) { take_compaction(kept, std::move(text)); });
}

void Agent::take_compaction(std::size_t kept, Result<CompactedText> text) {
  this_turn_.so_far.model_duration += engine_->clock().now() - asked_;
  if (text) {
    use_compaction(kept, *text);
  } else {
    this_turn_.compaction_failed = true;
    compaction_shown_.tokens_after = compaction_shown_.tokens_before;
    compaction_shown_.problem = text.error().message;
  }
  frontend_.show(compaction_shown_);
  switch (after_compaction_) {
    case AfterCompaction::nothing:
      phase_ = Phase::idle;
      if (text) {
        compaction_answer_ = compaction_shown_;
      } else {
        compaction_answer_ = std::unexpected(text.error());
      }
      return;
    case AfterCompaction::request_might_fit: return send_request();
    case AfterCompaction::request_did_not_fit:
      if (text) return send_request();
      return end_turn(TurnReason::prompt_too_long,
                      "the conversation is too long for the model and could not be compacted: " + text.error().message);
  }
}

std::string Agent::with_standing_work(const std::string& summary) const {
  const auto tasks = options_.tasks ? options_.tasks->list() : std::vector<TaskView>();
  const std::string text = standing_work(engine_->session().todos, tasks);
  return text.empty() ? summary : joined_content(summary, content_of({text_block(text)}));
}

void Agent::use_compaction(std::size_t kept, const CompactedText& text) {
  const std::string content = with_standing_work(text.content);
  const double cost = options_.cost ? options_.cost(text.model, text.usage) : 0;
  count(text.model, text.usage, cost);
  log_->compacted({.summary = content,
                   .kept_messages = kept,
                   .trigger = compaction_shown_.trigger,
                   .model = text.model,
                   .usage = text.usage,
                   .cost = cost});
  conversation_.replace(compacted_history(conversation_.messages(), content, kept));
  gauge_.reset();
  executor().take_now(ContextForgotten{});
  this_turn_.is_just_compacted = true;
  knows_of_planning_ = false;
  ++this_turn_.compactions_in_a_row;
  compaction_shown_.tokens_after = context_tokens();
  compaction_shown_.summary = text.summary;
}

// True: it was all that happened.
bool Agent::abort_compaction() {
  if (phase_ != Phase::compacting) return false;
  compaction_->stop();
  compaction_shown_.problem = "it was aborted";
  compaction_shown_.tokens_after = compaction_shown_.tokens_before;
  frontend_.show(compaction_shown_);
  if (after_compaction_ != AfterCompaction::nothing) return false;
  phase_ = Phase::idle;
  compaction_answer_ = fail(Errc::cancelled, "it was aborted");
  return true;
}

}  // namespace deft
