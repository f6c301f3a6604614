#include "deft/testing/sim_oracle.h"

#include <algorithm>
#include <bit>

#include "deft/base/check.h"

namespace deft::sim {
namespace {

// What it touches is the same whatever the calls before it do, so nobody needs to look.
bool is_known_at_once(const Footprint& footprint) { return footprint.is_everything() || footprint.is_nothing(); }

}  // namespace

CallIndex Oracle::first(Set set) { return static_cast<CallIndex>(std::countr_zero(set)); }

void Oracle::put(Set& set, CallIndex call, bool in) { set = in ? set | bit(call) : set & ~bit(call); }

void Oracle::begin(const MessageRun& run, bool sibling_cancellation) {
  // Footprints and labels of the last turn stay, their memory is used again.
  run_ = &run;
  count_ = 0;
  broken_ = nullptr;
  queued_ = working_ = parked_ = resuming_ = finished_ = emitted_ = 0;
  resolved_ = changes_meaning_ = read_only_ = interruptible_ = shells_ = 0;
  stopped_ = effect_ = unsettled_ = ever_begun_ = 0;
  message_reason_ = Reason::none;
  shell_failed_ = false;
  sibling_cancellation_ = sibling_cancellation;
  closed_ = discarded_ = ever_cancelled_ = order_changed_ = false;
}

void Oracle::expect(bool holds, const char* rule, CallIndex call) {
  if (holds || broken_) return;
  broken_ = rule;
  broken_call_ = call;
}

std::size_t Oracle::working() const { return static_cast<std::size_t>(std::popcount(working_)); }

// --- what the owner reports ---

void Oracle::added(CallIndex call, const CallTraits& traits) {
  DEFT_CHECK(call < kMessageCallsMax);
  expect(call == count_, "calls are numbered in their order", call);
  ++count_;
  Call& it = calls_[call];
  it.reason = Reason::none;
  it.label = traits.label;
  it.conflicts = 0;
  queued_ |= bit(call);
  if (traits.failure_cancels_siblings && sibling_cancellation_) shells_ |= bit(call);
  set_traits(call, traits);
  put(resolved_, call, is_known_at_once(traits.footprint));
  if (message_reason_ != Reason::none) cancel(bit(call), message_reason_);
  if (has(shells_, call) && shell_failed_) cancel(bit(call), Reason::sibling_error, failed_shell_);
}

void Oracle::added_answered(CallIndex call) {
  added(call, {.footprint = Footprint::nothing(), .read_only = true});
  queued_ &= ~bit(call);
  finished_ |= bit(call);
}

void Oracle::set_traits(CallIndex call, const CallTraits& traits) {
  put(read_only_, call, traits.read_only);
  put(interruptible_, call, traits.interruptible);
  set_footprint(call, traits.footprint);
}

void Oracle::set_footprint(CallIndex call, const Footprint& footprint) {
  Call& it = calls_[call];
  it.footprint = footprint;
  it.conflicts = 0;
  for (CallIndex other = 0; other < count_; ++other) {
    if (other == call) continue;
    const bool conflict = conflicts(calls_[other].footprint, footprint);
    put(calls_[other].conflicts, call, conflict);
    put(it.conflicts, other, conflict);
  }
  put(changes_meaning_, call, footprint.changes_meaning_of_later_calls());
}

// A later call that has begun may have seen what this one will only change now.
void Oracle::note_change_of_order(CallIndex call, bool changed_meaning) {
  const Set overtaken_by = ever_begun_ & after(call);
  const bool changes_now = has(changes_meaning_, call) && !changed_meaning;
  const Set matters = changes_now ? overtaken_by : overtaken_by & (calls_[call].conflicts | changes_meaning_);
  if (matters) order_changed_ = true;
}

// A call that may now change what the words of later ones mean: those that wait must be looked at again after it.
void Oracle::forget_later_footprints(CallIndex call) {
  for (CallIndex later = call + 1; later < count_; ++later) {
    if (has(queued_, later) && !is_known_at_once(calls_[later].footprint)) resolved_ &= ~bit(later);
  }
}

void Oracle::resolved(CallIndex call, const Footprint& footprint) {
  const bool changed_meaning = has(changes_meaning_, call);
  if (calls_[call].footprint != footprint) set_footprint(call, footprint);
  note_change_of_order(call, changed_meaning);
  // Calls are asked about together; one before it may have turned out to change its meaning.
  if (!is_known_at_once(footprint) && (changes_meaning_ & unfinished() & before(call))) return;
  resolved_ |= bit(call);
  if (has(changes_meaning_, call) && !changed_meaning) forget_later_footprints(call);
}

void Oracle::parked(CallIndex call, Waiting waiting) {
  working_ &= ~bit(call);
  parked_ |= bit(call);
  if (waiting == Waiting::before_run) effect_ &= ~bit(call);
}

void Oracle::unparked(CallIndex call) {
  parked_ &= ~bit(call);
  resuming_ |= bit(call);
}

void Oracle::replaced(CallIndex call, const CallTraits& traits, bool goes_on) {
  const bool changed_meaning = has(changes_meaning_, call);
  set_traits(call, traits);
  note_change_of_order(call, changed_meaning);
  if (has(changes_meaning_, call) && !changed_meaning) forget_later_footprints(call);

  const bool known = is_known_at_once(traits.footprint) || !(changes_meaning_ & unfinished() & before(call));
  const Set in_the_way = (unfinished() & before(call)) | (started() & after(call));
  const bool comparable = traits.footprint.is_nothing() || !(queued_ & ~resolved_ & before(call));
  const bool free = known && comparable && !(calls_[call].conflicts & in_the_way);
  expect(goes_on || !free, "a replaced input that conflicts with nobody goes on", call);
  expect(!goes_on || free, "a replaced input waits for what it now conflicts with", call);
  put(effect_, call, goes_on && has(working_, call) && !traits.read_only);
  if (goes_on) return;
  put(resolved_, call, known);
  working_ &= ~bit(call);
  parked_ &= ~bit(call);
  resuming_ &= ~bit(call);
  queued_ |= bit(call);
}

void Oracle::finished(CallIndex call, Ending ending, bool leaves_modifiers) {
  const auto& why = run_->cancellation(call);
  expect(why.has_value() == (calls_[call].reason != Reason::none), "a call knows whether it was cancelled", call);
  if (why) expect_reason(call, *why);

  working_ &= ~bit(call);
  parked_ &= ~bit(call);
  resuming_ &= ~bit(call);
  finished_ |= bit(call);
  put(unsettled_, call, leaves_modifiers);
  if (ending == Ending::not_run) effect_ &= ~bit(call);
  const bool failed_by_itself = ending == Ending::failed && !has(stopped_, call);
  if (!failed_by_itself || !has(shells_, call)) return;
  cancel(shells_ & after(call) & unfinished(), Reason::sibling_error, call);
  if (!shell_failed_) failed_shell_ = call;
  shell_failed_ = true;
}

void Oracle::interrupted() { cancel(unfinished() & interruptible_, Reason::interrupt); }

void Oracle::aborted() {
  cancel(unfinished(), Reason::abort);
  message_reason_ = std::min(message_reason_, Reason::abort);
}

void Oracle::discarded(bool accepted) {
  expect(accepted == (effect_ == 0), "a message is discarded unless it may have had an effect", 0);
  closed_ = true;
  if (!accepted) return;
  discarded_ = true;
  cancel(unfinished(), Reason::discard);
  message_reason_ = Reason::discard;
}

void Oracle::cancel(Set calls, Reason reason, CallIndex cause) {
  ever_cancelled_ = ever_cancelled_ || calls != 0;
  for (; calls; calls &= calls - 1) {
    Call& it = calls_[first(calls)];
    if (it.reason <= reason) continue;
    it.reason = reason;
    it.cause = cause;
  }
}

// --- what the run says ---

void Oracle::expect_reason(CallIndex call, const Cancellation& why) {
  const Call& it = calls_[call];
  expect(static_cast<Reason>(why.reason) == it.reason, "the reason is the first that applies", call);
  if (it.reason != Reason::sibling_error) return;
  expect(why.cause == calls_[it.cause].label, "a sibling's text names the call that failed", call);
}

void Oracle::says_stop(const MessageRun::Stop& stop) {
  expect(has(started(), stop.call), "only a started call is stopped", stop.call);
  expect(!has(stopped_, stop.call), "a call is told to stop once", stop.call);
  expect(calls_[stop.call].reason != Reason::none, "only a cancelled call is stopped", stop.call);
  expect_reason(stop.call, stop.why);
  stopped_ |= bit(stop.call);
}

void Oracle::says_answer_unstarted(const MessageRun::Stop& answer) {
  expect(has(queued_, answer.call), "only a queued call is answered unstarted", answer.call);
  expect(calls_[answer.call].reason != Reason::none, "only a cancelled call is answered unstarted", answer.call);
  expect_reason(answer.call, answer.why);
  queued_ &= ~bit(answer.call);
  finished_ |= bit(answer.call);
}

void Oracle::says_resolve(CallIndex call) {
  expect(has(queued_, call) && !has(resolved_, call), "a footprint is taken once, before the call starts", call);
  expect(!(changes_meaning_ & unfinished() & before(call)),
         "a footprint is taken when nothing before the call can change its meaning", call);
}

void Oracle::says_settle(const std::vector<CallIndex>& calls) {
  expect(!started(), "modifiers are applied when the calls that ran together have ended", calls.front());
  expect(!discarded_, "a message that never existed changes nothing", calls.front());
  Set settled = 0;
  for (const CallIndex call : calls) {
    expect(!(settled & ~before(call)), "modifiers are applied in call order", call);
    settled |= bit(call);
  }
  expect(settled == unsettled_, "all modifiers are applied, and each once", calls.front());
  unsettled_ = 0;
}

void Oracle::says_start(CallIndex call) {
  expect(has(queued_ | resuming_, call), "only a call that waits to start is started", call);
  if (has(queued_, call)) expect_unhindered(call);
  queued_ &= ~bit(call);
  resuming_ &= ~bit(call);
  working_ |= bit(call);
  ever_begun_ |= bit(call);
  put(effect_, call, !has(read_only_, call));

  Set visible = unsettled_ & before(call) & calls_[call].conflicts;
  for (const CallIndex seen : run_->visible_to(call)) {
    expect(visible && seen == first(visible),
           "a call sees the modifiers of the earlier calls it conflicts with, in order", call);
    visible &= visible - 1;
  }
  expect(visible == 0, "a call sees the modifiers of all earlier calls it conflicts with", call);
}

void Oracle::expect_unhindered(CallIndex call) {
  const Set conflicting = calls_[call].conflicts;
  expect(calls_[call].reason == Reason::none, "a cancelled call is not started", call);
  expect(has(resolved_, call), "a call starts when its footprint is known", call);
  expect(!(conflicting & unfinished() & before(call)), "no call overtakes an earlier one it conflicts with", call);
  expect(!(conflicting & started() & after(call)), "no call works beside one it conflicts with", call);
}

void Oracle::says_emit(CallIndex call) {
  expect(has(finished_, call), "a result leaves once, and when it is there", call);
  expect(!(before(call) & ~emitted_), "results leave in call order", call);
  expect(!discarded_, "a discarded message is not answered", call);
  finished_ &= ~bit(call);
  emitted_ |= bit(call);
}

void Oracle::says_nothing(std::size_t slots_free) {
  for (Set left = unfinished(); left; left &= left - 1) {
    const CallIndex call = first(left);
    expect(has(resolved_, call) || (changes_meaning_ & unfinished() & before(call)),
           "a footprint is taken as soon as nothing before the call can change its meaning", call);
    const bool cancelled = calls_[call].reason != Reason::none;
    expect(cancelled == run_->cancellation(call).has_value(), "exactly the calls in the scope are cancelled", call);
    expect(!cancelled || has(stopped_ & started(), call), "a cancelled call is stopped or answered at once", call);
  }
  const bool first_is_finished = has(finished_, static_cast<CallIndex>(std::countr_one(emitted_)));
  expect(discarded_ || !first_is_finished, "a result leaves as soon as all before it have left", 0);
  expect(started() || !unsettled_ || discarded_, "modifiers are applied as soon as nothing is started", 0);
  expect(run_->in_progress() == static_cast<std::size_t>(std::popcount(started())), "calls in progress are known", 0);
  expect(run_->can_interrupt() == (started() && !(started() & ~interruptible_)),
         "it is known whether all that runs can be interrupted", 0);
  expect(run_->done() == (closed_ && !unfinished()), "a message is done when it is complete and answered", 0);
  if (slots_free > 0) expect_no_idle_slot();
}

void Oracle::expect_no_idle_slot() {
  expect(!resuming_, "a call that can go on does when a slot is free", 0);
  for (Set left = queued_; left; left &= left - 1) {
    const CallIndex call = first(left);
    const Set in_the_way = (unfinished() & before(call)) | (started() & after(call));
    expect(!has(resolved_, call) || (calls_[call].conflicts & in_the_way),
           "a call that hinders nobody starts when a slot is free", call);
  }
}

}  // namespace deft::sim
