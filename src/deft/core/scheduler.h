#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "deft/core/access_index.h"
#include "deft/core/footprint.h"

namespace deft {

// How many calls may work at once. One per session, shared by the schedulers of an agent and of its subagents: when a
// call of one ends or waits, the others are asked too. Here all of them have one owner; where each has a thread of its
// own, agent/session_slots.h stands in its place.
class Slots {
 public:
  explicit Slots(std::size_t slots_max) : free_(slots_max) {}
  virtual ~Slots() = default;
  virtual bool take() {
    if (free_ == 0) return false;
    --free_;
    return true;
  }
  virtual void give_back() { ++free_; }
  std::size_t free() const { return free_; }

 private:
  std::size_t free_;
};

// Decides which call of one message may start now. Pure; the owner feeds it and does what it says.
//
// A queued call starts when it conflicts with no earlier unfinished call, running or still queued, and a slot is free.
// Comparing only with running calls is the classic mistake: a later read would overtake a blocked earlier write.
//
// Life of a call: add → [take_unresolved → resolve] → start_ready → (park → unpark → start_ready)* → finish.
// finish() may come at any time (a cancelled call may never have started).
class Scheduler {
 public:
  explicit Scheduler(Slots& slots);
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;
  ~Scheduler();

  CallIndex add(Footprint footprint);

  // Calls whose footprint is to be taken now: nothing before them can change any more what their words mean. The owner
  // answers each with resolve() before it asks start_ready().
  std::vector<CallIndex> take_unresolved();
  void resolve(CallIndex call, Footprint footprint);

  // Calls that begin or go on now; each holds a slot until it parks or finishes.
  std::vector<CallIndex> start_ready();

  // The call only waits now (for a person, a timer, a subagent): it holds no slot, but what it touches stays taken.
  void park(CallIndex call);
  // What it waited for has come: start_ready() will name it when a slot is free.
  void unpark(CallIndex call);

  // A started call whose input was replaced. True: it may go on. False: it now conflicts with an earlier unfinished
  // call or with one that is running, or its footprint has to be taken when an earlier call has ended; it has given its
  // slot back, and start_ready() will name it again.
  bool readmit(CallIndex call, Footprint footprint);

  // `leaves_modifiers`: later conflicting calls must see what it changed (visible_to), until settle().
  void finish(CallIndex call, bool leaves_modifiers = false);

  // Finished calls whose modifiers this call sees at once: the earlier ones that it conflicts with, in order.
  std::vector<CallIndex> visible_to(CallIndex call) const;
  // Calls that left modifiers since the last time, in order; asked when the calls that ran together have ended.
  std::vector<CallIndex> settle();

  std::size_t unfinished() const { return unfinished_; }
  std::size_t started() const { return started_.size(); }  // running, parked or about to go on
  bool holds_slot(CallIndex call) const { return calls_[call].phase == Phase::running; }
  const Footprint& footprint(CallIndex call) const { return calls_[call].footprint; }

 private:
  enum class Phase : std::uint8_t {
    added,
    unresolved,  // its footprint is to be taken, but not yet
    asked,       // handed out by take_unresolved
    blocked,     // waits for another call, see waiters
    ready,       // waits for a slot
    running,
    parked,
    resuming,  // waits for a slot, to go on
    finished,
  };
  struct Call {
    Footprint footprint;
    Phase phase = Phase::added;
    bool changed_late = false;       // its footprint, when later calls may have started
    std::vector<CallIndex> waiters;  // calls to look at again when this one ends
  };

  static bool is_started(Phase phase) {
    return phase == Phase::running || phase == Phase::parked || phase == Phase::resuming;
  }
  void set_phase(CallIndex call, Phase phase);
  void set_footprint(CallIndex call, Footprint footprint);
  void admit(CallIndex call);  // footprint known: enter it, then block or ready it
  void block_or_ready(CallIndex call);
  std::optional<CallIndex> blocker(CallIndex call) const;
  void wake_waiters(CallIndex call);
  void forget_later_footprints(CallIndex call);

  Slots& slots_;
  std::vector<Call> calls_;
  AccessIndex unfinished_accesses_;
  AccessIndex settling_accesses_;    // of finished calls whose modifiers are not applied yet
  std::vector<CallIndex> settling_;  // the same calls
  CallList meaning_changers_;        // unfinished calls that may change what later ones mean
  // The calls of a phase; kept by set_phase().
  CallList unresolved_, ready_, resuming_;
  CallList started_;
  std::size_t asked_ = 0;
  std::size_t unfinished_ = 0;
};

}  // namespace deft
