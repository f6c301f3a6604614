#include "deft/core/message_run.h"

#include <utility>

#include "deft/base/check.h"

namespace deft {

bool MessageRun::Step::empty() const {
  return resolve.empty() && start.empty() && stop.empty() && answer_unstarted.empty() && emit.empty() && settle.empty();
}

MessageRun::MessageRun(Slots& slots, CancelScope& turn, Options options)
    : scheduler_(slots), options_(options), message_scope_(turn) {}

MessageRun::~MessageRun() {
  while (!calls_.empty()) calls_.pop_back();  // a scope goes before the one it is in
}

CallIndex MessageRun::add(CallTraits traits) {
  DEFT_CHECK(!closed_);
  const CallIndex index = scheduler_.add(std::move(traits.footprint));
  const bool is_shell = traits.failure_cancels_siblings && options_.sibling_cancellation;
  Call& call = calls_.emplace_back(is_shell ? *next_shell_parent_ : message_scope_);
  set_traits(call, std::move(traits));
  if (is_shell) next_shell_parent_ = &call.later_shells.emplace(*next_shell_parent_);
  if (call.scope.cancelled()) added_cancelled_.push_back(index);
  return index;
}

// The footprint is the scheduler's.
void MessageRun::set_traits(Call& call, CallTraits traits) {
  call.label = std::move(traits.label);
  call.read_only = traits.read_only;
  call.interruptible = traits.interruptible;
}

CallIndex MessageRun::add_answered() {
  DEFT_CHECK(!closed_);
  const CallIndex index = scheduler_.add(Footprint::nothing());
  calls_.emplace_back(message_scope_);
  note_finished(index);
  scheduler_.finish(index);
  return index;
}

void MessageRun::resolved(CallIndex call, Footprint footprint, bool read_only) {
  calls_[call].read_only = read_only;
  scheduler_.resolve(call, std::move(footprint));
}

void MessageRun::parked(CallIndex call, Waiting waiting) {
  scheduler_.park(call);
  if (waiting == Waiting::before_run) set_may_have_effect(calls_[call], false);
}

bool MessageRun::replaced(CallIndex index, CallTraits traits) {
  Call& call = calls_[index];
  DEFT_CHECK(call.phase == Phase::started);
  if (!call.interruptible) --started_blocking_;
  set_may_have_effect(call, false);  // an input is only replaced before the call runs
  const bool goes_on = scheduler_.readmit(index, std::move(traits.footprint));
  set_traits(call, std::move(traits));
  if (!goes_on) {
    call.phase = Phase::queued;
    if (call.scope.cancelled()) cancellations_pending_ = true;
    return false;
  }
  if (scheduler_.holds_slot(index)) set_may_have_effect(call, !call.read_only);  // else when it goes on
  if (!call.interruptible) ++started_blocking_;
  return true;
}

void MessageRun::finished(CallIndex index, Ending ending, bool leaves_modifiers) {
  Call& call = calls_[index];
  DEFT_CHECK(call.phase == Phase::started);
  if (!call.interruptible) --started_blocking_;
  if (ending == Ending::not_run) set_may_have_effect(call, false);
  note_finished(index);
  scheduler_.finish(index, leaves_modifiers);
  const bool failed_by_itself = ending == Ending::failed && !call.stop_sent;
  if (failed_by_itself && call.later_shells) {
    call.later_shells->cancel({CancelReason::sibling_error, call.label});
    cancellations_pending_ = true;
  }
}

void MessageRun::set_may_have_effect(Call& call, bool may) {
  if (std::exchange(call.may_have_effect, may) == may) return;
  effects_ += may ? 1 : static_cast<std::size_t>(-1);
}

void MessageRun::note_finished(CallIndex index) {
  calls_[index].phase = Phase::finished;
  if (!options_.in_order) finished_early_.push_back(index);
}

void MessageRun::cancel(CallIndex index) {
  const Call& call = calls_[index];
  if (call.phase != Phase::queued && call.phase != Phase::started) return;
  calls_[index].scope.cancel({CancelReason::abort, {}});
  cancellations_pending_ = true;
}

void MessageRun::interrupt() {
  for (Call& call : calls_) {
    const bool waits_or_runs = call.phase == Phase::queued || call.phase == Phase::started;
    if (waits_or_runs && call.interruptible) call.scope.cancel({CancelReason::interrupt, {}});
  }
  cancellations_pending_ = true;
}

void MessageRun::abort() {
  message_scope_.cancel({CancelReason::abort, {}});
  cancellations_pending_ = true;
}

bool MessageRun::discard() {
  closed_ = true;
  if (effects_ > 0) return false;
  discarded_ = true;
  message_scope_.cancel({CancelReason::discard, {}});
  cancellations_pending_ = true;
  return true;
}

void MessageRun::carry_out_cancellation(CallIndex index, Step& step) {
  Call& call = calls_[index];
  const auto& why = call.scope.cancelled();
  if (!why) return;
  if (call.phase == Phase::queued) {
    scheduler_.finish(index);
    note_finished(index);
    step.answer_unstarted.push_back({index, *why});
  } else if (call.phase == Phase::started && !std::exchange(call.stop_sent, true)) {
    step.stop.push_back({index, *why});
  }
}

void MessageRun::carry_out_cancellations(Step& step) {
  for (const CallIndex index : added_cancelled_) carry_out_cancellation(index, step);
  added_cancelled_.clear();
  if (!std::exchange(cancellations_pending_, false)) return;
  for (CallIndex index = next_to_emit_; index < calls_.size(); ++index) carry_out_cancellation(index, step);
}

MessageRun::Step MessageRun::next() {
  Step step;
  carry_out_cancellations(step);  // first: a call that is cancelled now must not be started below
  step.resolve = scheduler_.take_unresolved();
  if (!step.resolve.empty()) return step;  // the owner resolves, then asks again

  if (scheduler_.started() == 0 && !discarded_) step.settle = scheduler_.settle();
  step.start = scheduler_.start_ready();
  for (const CallIndex index : step.start) {
    Call& call = calls_[index];
    set_may_have_effect(call, !call.read_only);
    if (std::exchange(call.phase, Phase::started) == Phase::started) continue;  // goes on after a wait
    if (!call.interruptible) ++started_blocking_;
  }
  for (const CallIndex index : std::exchange(finished_early_, {})) emit(index, step);
  for (; next_to_emit_ < calls_.size(); ++next_to_emit_) {
    const Phase phase = calls_[next_to_emit_].phase;
    if (phase != Phase::finished && phase != Phase::emitted) break;
    if (phase == Phase::finished) emit(next_to_emit_, step);
  }
  return step;
}

void MessageRun::emit(CallIndex index, Step& step) {
  calls_[index].phase = Phase::emitted;
  if (!discarded_) step.emit.push_back(index);
}

}  // namespace deft
