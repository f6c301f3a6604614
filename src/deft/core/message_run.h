#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "deft/core/cancel_scope.h"
#include "deft/core/scheduler.h"

namespace deft {

// What the run needs to know of a call; the rest stays with the owner.
struct CallTraits {
  Footprint footprint = Footprint::everything();
  bool read_only = false;                 // cannot have had an effect
  bool interruptible = false;             // stops when the user sends a new message
  bool failure_cancels_siblings = false;  // a shell: later shells of the message depend on it
  std::string label;                      // how a sibling's text names it: "Bash(mkdir x…)"
};

enum class Ending : std::uint8_t {
  not_run,    // denied, invalid or cancelled before it did anything
  completed,  // it ran; a benign error counts as this
  failed,     // it ran and ended in an error or a timeout; after a stop it counts as stopped, not as failed
};

// What a parked call waits for. Before it ran it cannot have had an effect.
enum class Waiting : std::uint8_t { before_run, in_run };

// One model message being carried out: from its first complete call to its last answer. Everything that is decided
// about it is decided here, and nothing is done here: the owner (Executor, or the simulator) reports what happened,
// then asks next() what to do, until done().
//
// Kept at all times: every call is answered exactly once and in order (unless that is not wanted); no call runs beside
// one it conflicts with.
class MessageRun {
 public:
  struct Options {
    bool sibling_cancellation = true;
    // False: the calls have nothing to do with each other (they come from several clients), and each is answered when
    // it has finished.
    bool in_order = true;
  };
  struct Stop {
    CallIndex call;
    Cancellation why;
  };
  // What the owner does now, in this order. A call in `stop` was started, so the owner will still report it finished
  // (until then it may be named in `start`, if it had just stopped waiting); one in `answer_unstarted` never runs and
  // counts as finished: the owner only makes its text.
  struct Step {
    std::vector<Stop> stop;
    std::vector<Stop> answer_unstarted;
    std::vector<CallIndex> resolve;  // take its footprint, then resolved()
    std::vector<CallIndex> settle;   // apply the modifiers of these, in this order; none of a discarded message
    std::vector<CallIndex> start;    // begin, or go on after a wait
    std::vector<CallIndex> emit;     // results that may leave now, in call order if that was wanted
    bool empty() const;
  };

  MessageRun(Slots& slots, CancelScope& turn, Options options);
  MessageRun(const MessageRun&) = delete;
  MessageRun& operator=(const MessageRun&) = delete;
  ~MessageRun();

  // --- what happened ---
  CallIndex add(CallTraits traits);
  CallIndex add_answered();         // it can only fail, and its answer is there already
  void close() { closed_ = true; }  // the message is complete
  void resolved(CallIndex call, Footprint footprint, bool read_only);
  void parked(CallIndex call, Waiting waiting);
  void unparked(CallIndex call) { scheduler_.unpark(call); }
  bool replaced(CallIndex call, CallTraits traits);  // its input was replaced; false: it has to wait, see Scheduler
  void finished(CallIndex call, Ending ending, bool leaves_modifiers = false);

  void cancel(CallIndex call);  // whoever made this call takes it back
  void interrupt();             // a new message of the user waits
  void abort();                 // the turn ends
  // The stream broke. True: the message never existed; running calls are stopped and nothing is answered any more.
  // False: a call that may have had an effect has started, so the message is kept as far as it came, and closed.
  bool discard();

  // --- what to do ---
  Step next();
  bool done() const { return closed_ && next_to_emit_ == calls_.size(); }
  bool discarded() const { return discarded_; }

  std::vector<CallIndex> visible_to(CallIndex call) const { return scheduler_.visible_to(call); }
  const std::optional<Cancellation>& cancellation(CallIndex call) const { return calls_[call].scope.cancelled(); }
  std::size_t calls() const { return calls_.size(); }
  std::size_t in_progress() const { return scheduler_.started(); }
  bool can_interrupt() const { return scheduler_.started() > 0 && started_blocking_ == 0; }

 private:
  enum class Phase : std::uint8_t { queued, started, finished, emitted };
  struct Call {
    explicit Call(CancelScope& parent) : scope(parent) {}
    CancelScope scope;
    std::optional<CancelScope> later_shells;  // what a failure of this call cancels: the parent of all shells after it
    std::string label;
    Phase phase = Phase::queued;
    bool read_only = true;
    bool interruptible = false;
    bool stop_sent = false;
    bool may_have_effect = false;  // counted in effects_
  };

  static void set_traits(Call& call, CallTraits traits);
  void set_may_have_effect(Call& call, bool may);
  void note_finished(CallIndex call);
  void emit(CallIndex call, Step& step);
  void carry_out_cancellation(CallIndex call, Step& step);
  void carry_out_cancellations(Step& step);

  Scheduler scheduler_;
  Options options_;
  CancelScope message_scope_;
  CancelScope* next_shell_parent_ = &message_scope_;
  std::deque<Call> calls_;  // stable addresses: scopes are linked
  bool closed_ = false;
  bool discarded_ = false;
  bool cancellations_pending_ = false;      // some call may be cancelled: look at all
  std::vector<CallIndex> added_cancelled_;  // these were when they were added
  std::size_t effects_ = 0;                 // calls that may have had an effect
  std::size_t started_blocking_ = 0;        // started calls that an interrupt would not stop
  CallIndex next_to_emit_ = 0;              // all before it were
  std::vector<CallIndex> finished_early_;   // not in order: these may leave
};

}  // namespace deft
