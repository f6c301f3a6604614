#include <algorithm>
#include <utility>

#include "deft/agent/agent.h"

// What is said while a turn is under way. It is told to the model with the next results, in the same turn; or the turn
// makes room for it and ends.

namespace deft {

void Agent::interrupt(Prompt prompt) {
  executor().post([this, said = std::move(prompt)]() mutable { take_interrupt(std::move(said)); });
}

void Agent::take_interrupt(Prompt prompt) {
  if (phase_ == Phase::idle || this_turn_.aborted) return;
  take_prompt(std::move(prompt));
  executor().take_now(Interrupted{});
  if (phase_ == Phase::awaiting) await_prompts(AfterPrompts::last_word);
}

// --- another turn wants to begin ---

// As with an abort, one that comes when its turn has just ended is not meant for the next.
void Agent::make_room() {
  executor().post([this, turn = turn_.load()] { take_make_room(turn); });
}

// What was said by now stays said: the next turn's prompt follows it.
void Agent::take_make_room(std::size_t turn) {
  const bool has_turn = turn == turn_ && turn % 2 == 1;
  if (!has_turn || this_turn_.aborted || std::exchange(makes_room_, true)) return;
  switch (phase_) {
    case Phase::idle:       // it is announced
    case Phase::prompting:  // it ends instead of the next request
    case Phase::stopping: return;
    case Phase::awaiting: return end_turn(TurnReason::completed);
    case Phase::finishing: return executor().take_now(Interrupted{});
    case Phase::compacting:
      if (after_compaction_ == AfterCompaction::nothing) return;  // it was asked for
      abort_compaction();
      break;
    case Phase::waiting: break;
    case Phase::asking:
      this_turn_.aborted_streaming = true;
      end_request();
      executor().take_now(Interrupted{});
      return keep_message(message_.so_far(), MessageCompleted::How::aborted);
  }
  this_turn_.aborted_streaming = true;
  ++request_;  // no retry either
  phase_ = Phase::finishing;
}

// --- prompts that wait for a turn of their own ---

void Agent::look_at_waiting() {
  executor().post([this] {
    if (phase_ != Phase::awaiting) return;
    add_waiting();
    if (!this_turn_.prompts.empty()) await_prompts(AfterPrompts::last_word);
  });
}

// Not before a request that is not made: whoever is told then is not answered.
void Agent::add_waiting() {
  if (!options_.waiting || makes_room_ || reached_limit()) return;
  for (Prompt& prompt : options_.waiting->offered()) take_prompt(std::move(prompt), /*waits=*/true);
}

// Those that have a turn of their own after all, or none any more. If a hook ends this turn, the others wait on.
void Agent::drop_waiting() {
  const bool stops = std::ranges::any_of(this_turn_.prompts, [](const GivenPrompt& given) { return given.said.stops; });
  std::erase_if(this_turn_.prompts, [&](const GivenPrompt& given) {
    if (!given.waits) return false;
    const bool waits_on = makes_room_ || (stops && !given.said.stops);
    return waits_on || !options_.waiting->take(given.prompt.uuid);
  });
}

}  // namespace deft
