#include "deft/core/scheduler.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "deft/base/check.h"

namespace deft {
namespace {

constexpr std::size_t kMessageCallsUsual = 8;  // few messages have more calls

// All or nothing is the same whatever the calls before it do.
bool has_fixed_meaning(const Footprint& footprint) { return footprint.is_everything() || footprint.is_nothing(); }

}  // namespace

Scheduler::Scheduler(Slots& slots) : slots_(slots) { calls_.reserve(kMessageCallsUsual); }

Scheduler::~Scheduler() {
  for (const Call& call : calls_) {
    if (call.phase == Phase::running) slots_.give_back();
  }
}

CallIndex Scheduler::add(Footprint footprint) {
  const auto call = static_cast<CallIndex>(calls_.size());
  if (footprint.changes_meaning_of_later_calls()) meaning_changers_.add(call);
  calls_.push_back({.footprint = std::move(footprint)});
  ++unfinished_;
  if (has_fixed_meaning(calls_[call].footprint)) {
    admit(call);
  } else {
    set_phase(call, Phase::unresolved);
  }
  return call;
}

void Scheduler::set_phase(CallIndex call, Phase phase) {
  const Phase before = std::exchange(calls_[call].phase, phase);
  if (before == Phase::unresolved) unresolved_.remove(call);
  if (before == Phase::asked) --asked_;
  if (before == Phase::ready) ready_.remove(call);
  if (before == Phase::running) slots_.give_back();
  if (before == Phase::resuming) resuming_.remove(call);
  if (is_started(before) && !is_started(phase)) started_.remove(call);

  if (phase == Phase::unresolved) unresolved_.add(call);
  if (phase == Phase::asked) ++asked_;
  if (phase == Phase::ready) ready_.add(call);
  if (phase == Phase::resuming) resuming_.add(call);
  if (is_started(phase) && !is_started(before)) started_.add(call);
}

std::vector<CallIndex> Scheduler::take_unresolved() {
  std::vector<CallIndex> due;
  const auto changer = meaning_changers_.first();
  for (auto first = unresolved_.first(); first && (!changer || *first <= *changer); first = unresolved_.first()) {
    set_phase(*first, Phase::asked);
    due.push_back(*first);
  }
  return due;
}

void Scheduler::resolve(CallIndex call, Footprint footprint) {
  Call& it = calls_[call];
  if (it.phase == Phase::finished) return;  // cancelled while its footprint was being taken
  DEFT_CHECK(it.phase == Phase::asked);
  set_footprint(call, std::move(footprint));
  if (has_fixed_meaning(it.footprint) || !meaning_changers_.latest_before(call)) {
    admit(call);
  } else {  // a call before it was asked about at the same time and turned out to change meanings
    set_phase(call, Phase::unresolved);
  }
  wake_waiters(call);  // of a footprint it had before
}

void Scheduler::set_footprint(CallIndex call, Footprint footprint) {
  Call& it = calls_[call];
  const bool changed_meanings = it.footprint.changes_meaning_of_later_calls();
  it.footprint = std::move(footprint);
  meaning_changers_.remove(call);
  if (!it.footprint.changes_meaning_of_later_calls()) return;
  meaning_changers_.add(call);
  if (!changed_meanings) forget_later_footprints(call);
}

void Scheduler::admit(CallIndex call) {
  unfinished_accesses_.add(call, calls_[call].footprint);
  block_or_ready(call);
}

void Scheduler::block_or_ready(CallIndex call) {
  const auto other = blocker(call);
  if (other) calls_[*other].waiters.push_back(call);
  set_phase(call, other ? Phase::blocked : Phase::ready);
}

std::optional<CallIndex> Scheduler::blocker(CallIndex call) const {
  const Call& it = calls_[call];
  if (const auto earlier = unfinished_accesses_.latest_conflict(it.footprint, call)) return earlier;
  if (!it.changed_late) return std::nullopt;
  // Later calls that started while this one still had its old footprint.
  for (auto later = started_.latest_before(static_cast<CallIndex>(calls_.size())); later && *later > call;
       later = started_.latest_before(*later)) {
    if (conflicts(it.footprint, calls_[*later].footprint)) return later;
  }
  return std::nullopt;
}

std::vector<CallIndex> Scheduler::start_ready() {
  DEFT_CHECK(asked_ == 0);
  std::vector<CallIndex> begun;
  for (auto call = resuming_.first(); call; call = resuming_.first()) {
    if (!slots_.take()) return begun;
    set_phase(*call, Phase::running);
    begun.push_back(*call);
  }
  for (auto call = ready_.first(); call; call = ready_.first()) {
    if (blocker(*call)) {  // a call got its footprint, or a new one, after this one was ready
      block_or_ready(*call);
      continue;
    }
    if (!slots_.take()) return begun;
    set_phase(*call, Phase::running);
    begun.push_back(*call);
  }
  return begun;
}

void Scheduler::park(CallIndex call) {
  DEFT_CHECK(calls_[call].phase == Phase::running);
  set_phase(call, Phase::parked);
}

void Scheduler::unpark(CallIndex call) {
  if (calls_[call].phase == Phase::parked) set_phase(call, Phase::resuming);
}

bool Scheduler::readmit(CallIndex call, Footprint footprint) {
  Call& it = calls_[call];
  DEFT_CHECK(is_started(it.phase));
  unfinished_accesses_.remove(call, it.footprint);
  set_footprint(call, std::move(footprint));
  it.changed_late = true;

  const bool known = has_fixed_meaning(it.footprint) || !meaning_changers_.latest_before(call);
  if (known) unfinished_accesses_.add(call, it.footprint);
  // Calls before it whose footprints are still to be taken are not in the index.
  const bool index_is_complete = it.footprint.is_nothing() || !unresolved_.latest_before(call);
  const bool goes_on = known && index_is_complete && !blocker(call);
  if (!known) {
    set_phase(call, Phase::unresolved);
  } else if (!goes_on) {
    block_or_ready(call);
  }
  wake_waiters(call);  // they may have waited only for what it touched before, or only because it ran
  return goes_on;
}

// Calls that have not started were resolved on the assumption that this call changes nothing for them.
void Scheduler::forget_later_footprints(CallIndex call) {
  for (auto later = call + 1; later < calls_.size(); ++later) {
    Call& it = calls_[later];
    const bool waiting = it.phase == Phase::blocked || it.phase == Phase::ready;
    if (!waiting || has_fixed_meaning(it.footprint)) continue;
    unfinished_accesses_.remove(later, it.footprint);
    it.changed_late = true;
    set_phase(later, Phase::unresolved);
  }
}

void Scheduler::finish(CallIndex call, bool leaves_modifiers) {
  Call& it = calls_[call];
  DEFT_CHECK(it.phase != Phase::finished);
  if (it.phase != Phase::unresolved && it.phase != Phase::asked) unfinished_accesses_.remove(call, it.footprint);
  set_phase(call, Phase::finished);
  meaning_changers_.remove(call);
  --unfinished_;
  if (leaves_modifiers) {
    settling_accesses_.add(call, it.footprint);
    settling_.push_back(call);
  }
  wake_waiters(call);
}

void Scheduler::wake_waiters(CallIndex call) {
  const std::vector<CallIndex> waiters = std::exchange(calls_[call].waiters, {});
  for (const CallIndex waiter : waiters) {
    if (calls_[waiter].phase == Phase::blocked) block_or_ready(waiter);
  }
}

std::vector<CallIndex> Scheduler::visible_to(CallIndex call) const {
  std::vector<CallIndex> seen;
  if (settling_.empty()) return seen;
  const Footprint& own = calls_[call].footprint;
  for (auto earlier = settling_accesses_.latest_conflict(own, call); earlier;
       earlier = settling_accesses_.latest_conflict(own, *earlier)) {
    seen.push_back(*earlier);
  }
  std::reverse(seen.begin(), seen.end());
  return seen;
}

std::vector<CallIndex> Scheduler::settle() {
  if (settling_.empty()) return {};
  for (const CallIndex call : settling_) settling_accesses_.remove(call, calls_[call].footprint);
  std::vector<CallIndex> settled = std::exchange(settling_, {});
  std::sort(settled.begin(), settled.end());
  return settled;
}

}  // namespace deft
