#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "deft/core/message_run.h"
#include "deft/testing/sim_plan.h"

namespace deft::sim {

// Watches one message run from outside and knows what it may and must do. It uses conflicts() and its own books only:
// every rule is written a second time here, as plainly as possible. A call is a bit, a set of calls is a word.
//
// The owner tells it what it reports to the run, and what the run answers, in the order in which it carries that out.
// The first rule that is broken is kept in broken().
class Oracle {
 public:
  using Set = std::uint64_t;

  void begin(const MessageRun& run, bool sibling_cancellation);

  // --- what the owner reports ---
  void added(CallIndex call, const CallTraits& traits);
  void added_answered(CallIndex call);
  void closed() { closed_ = true; }
  void resolved(CallIndex call, const Footprint& footprint);
  void parked(CallIndex call, Waiting waiting);
  void unparked(CallIndex call);
  void replaced(CallIndex call, const CallTraits& traits, bool goes_on);
  void finished(CallIndex call, Ending ending, bool leaves_modifiers);
  void interrupted();
  void aborted();
  void discarded(bool accepted);

  // --- what the run says ---
  void says_stop(const MessageRun::Stop& stop);
  void says_answer_unstarted(const MessageRun::Stop& answer);
  void says_resolve(CallIndex call);
  void says_settle(const std::vector<CallIndex>& calls);
  void says_start(CallIndex call);
  void says_emit(CallIndex call);
  // next() has nothing more to say.
  void says_nothing(std::size_t slots_free);

  const char* broken() const { return broken_; }
  CallIndex broken_call() const { return broken_call_; }

  std::size_t working() const;
  bool is_waiting(CallIndex call) const { return has(parked_ | resuming_, call); }
  bool is_queued(CallIndex call) const { return has(queued_, call); }
  bool ever_cancelled() const { return ever_cancelled_; }
  // A replaced input had to let a later call go first: the order of the calls is no longer the serial one.
  bool order_changed() const { return order_changed_; }

 private:
  enum class Reason : std::uint8_t { discard, sibling_error, abort, interrupt, none };
  struct Call {
    Footprint footprint;  // in force
    Set conflicts = 0;    // all calls it conflicts with, itself aside
    Reason reason = Reason::none;
    CallIndex cause = 0;  // the call that failed
    std::string label;
  };

  static Set bit(CallIndex call) { return Set{1} << call; }
  static Set before(CallIndex call) { return bit(call) - 1; }
  static Set after(CallIndex call) { return ~(before(call) | bit(call)); }
  static bool has(Set set, CallIndex call) { return (set >> call & 1) != 0; }
  static CallIndex first(Set set);
  static void put(Set& set, CallIndex call, bool in);

  Set started() const { return working_ | parked_ | resuming_; }
  Set unfinished() const { return queued_ | started(); }

  void expect(bool holds, const char* rule, CallIndex call);
  void set_traits(CallIndex call, const CallTraits& traits);
  void set_footprint(CallIndex call, const Footprint& footprint);
  void note_change_of_order(CallIndex call, bool changed_meaning);
  void forget_later_footprints(CallIndex call);
  void cancel(Set calls, Reason reason, CallIndex cause = 0);
  void expect_reason(CallIndex call, const Cancellation& why);
  void expect_unhindered(CallIndex call);
  void expect_no_idle_slot();

  const MessageRun* run_ = nullptr;
  std::array<Call, kMessageCallsMax> calls_;
  CallIndex count_ = 0;
  const char* broken_ = nullptr;
  CallIndex broken_call_ = 0;

  // Where each call is: in exactly one of these.
  Set queued_ = 0, working_ = 0, parked_ = 0, resuming_ = 0, finished_ = 0, emitted_ = 0;
  // What is known of it.
  Set resolved_ = 0, changes_meaning_ = 0, read_only_ = 0, interruptible_ = 0, shells_ = 0;
  Set stopped_ = 0;     // was told to stop
  Set effect_ = 0;      // may have had an effect
  Set unsettled_ = 0;   // left modifiers that are not applied yet
  Set ever_begun_ = 0;  // some work was done

  Reason message_reason_ = Reason::none;
  CallIndex failed_shell_ = 0;
  bool shell_failed_ = false;
  bool sibling_cancellation_ = true;
  bool closed_ = false;
  bool discarded_ = false;
  bool ever_cancelled_ = false;
  bool order_changed_ = false;
};

}  // namespace deft::sim
