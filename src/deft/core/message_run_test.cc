#include "deft/core/message_run.h"

#include <gtest/gtest.h>

namespace deft {
namespace {

using Ids = std::vector<CallIndex>;

CallTraits shell(std::string label) {
  return {.footprint = Footprint::reads_everything(), .failure_cancels_siblings = true, .label = std::move(label)};
}
CallTraits reader(std::string path) {
  return {.footprint = Footprint::reads(std::move(path)), .read_only = true, .interruptible = true, .label = "Read"};
}
CallTraits writer(std::string path) { return {.footprint = Footprint::writes(std::move(path)), .label = "Write"}; }

// Carries out one step after another, resolving footprints as they are, and remembers what happened.
class Stepper {
 public:
  explicit Stepper(std::size_t slots_max = 8) : slots(slots_max), run(slots, turn, {}) {}
  MessageRun::Step step() {
    MessageRun::Step all = run.next();
    for (MessageRun::Step more = all; !more.resolve.empty(); more = run.next(), append(all, more)) {
      for (const CallIndex call : more.resolve) run.resolved(call, footprints[call], reads[call]);
    }
    return all;
  }
  CallIndex add(CallTraits traits) {
    footprints.push_back(traits.footprint);
    reads.push_back(traits.read_only);
    return run.add(std::move(traits));
  }
  static void append(MessageRun::Step& all, const MessageRun::Step& more) {
    all.start.insert(all.start.end(), more.start.begin(), more.start.end());
    all.emit.insert(all.emit.end(), more.emit.begin(), more.emit.end());
    all.stop.insert(all.stop.end(), more.stop.begin(), more.stop.end());
    all.answer_unstarted.insert(all.answer_unstarted.end(), more.answer_unstarted.begin(), more.answer_unstarted.end());
  }
  Slots slots;
  CancelScope turn;
  MessageRun run;
  std::vector<Footprint> footprints;
  std::vector<bool> reads;
};

TEST(MessageRun, ResultsLeaveInTheOrderOfTheCalls) {
  Stepper run;
  run.add(reader("/a"));
  run.add(reader("/b"));
  run.run.close();
  EXPECT_EQ(run.step().start, (Ids{0, 1}));
  run.run.finished(1, Ending::completed);
  EXPECT_EQ(run.step().emit, Ids{});
  run.run.finished(0, Ending::completed);
  EXPECT_EQ(run.step().emit, (Ids{0, 1}));
  EXPECT_TRUE(run.run.done());
}

TEST(MessageRun, AFailedShellCancelsLaterShellsAndNobodyElse) {
  Stepper run(3);
  run.add(shell("Bash(first)"));
  run.add(shell("Bash(fails)"));
  run.add(shell("Bash(running)"));
  run.add(shell("Bash(queued)"));
  run.add(reader("/a"));
  EXPECT_EQ(run.step().start, (Ids{0, 1, 2}));
  run.run.finished(1, Ending::failed);
  const auto step = run.step();
  ASSERT_EQ(step.stop.size(), 1U);
  EXPECT_EQ(step.stop[0].call, 2U);
  EXPECT_EQ(step.stop[0].why.cause, "Bash(fails)");
  ASSERT_EQ(step.answer_unstarted.size(), 1U);
  EXPECT_EQ(step.answer_unstarted[0].call, 3U);
  EXPECT_EQ(step.start, Ids{4});
  EXPECT_FALSE(run.run.cancellation(0));
  EXPECT_FALSE(run.turn.cancelled());

  run.add(shell("Bash(arrives later)"));
  EXPECT_EQ(run.step().answer_unstarted.size(), 1U);
}

TEST(MessageRun, AnInterruptStopsOnlyCallsThatAllowIt) {
  Stepper run;
  run.add(reader("/a"));
  run.add(writer("/b"));
  run.step();
  EXPECT_EQ(run.run.in_progress(), 2U);
  EXPECT_FALSE(run.run.can_interrupt());
  run.run.interrupt();
  const auto step = run.step();
  ASSERT_EQ(step.stop.size(), 1U);
  EXPECT_EQ(step.stop[0].call, 0U);
  EXPECT_EQ(step.stop[0].why.reason, CancelReason::interrupt);
}

TEST(MessageRun, AnAbortAnswersWhatNeverStartedAndStopsTheRest) {
  Stepper run(1);
  run.add(writer("/a"));
  run.add(writer("/b"));
  EXPECT_EQ(run.step().start, Ids{0});
  run.run.abort();
  const auto step = run.step();
  EXPECT_EQ(step.stop.size(), 1U);
  EXPECT_EQ(step.answer_unstarted.size(), 1U);
  run.add(writer("/c"));  // its block closes after the abort
  run.run.close();
  EXPECT_EQ(run.step().answer_unstarted.size(), 1U);
  run.run.finished(0, Ending::completed);
  EXPECT_EQ(run.step().emit, (Ids{0, 1, 2}));
  EXPECT_TRUE(run.run.done());
}

TEST(MessageRun, ADiscardEmitsNothingUnlessSomethingMayHaveHadAnEffect) {
  Stepper clean;
  clean.add(reader("/a"));
  clean.step();
  EXPECT_TRUE(clean.run.discard());
  EXPECT_EQ(clean.step().stop.size(), 1U);
  EXPECT_FALSE(clean.run.done());
  clean.run.finished(0, Ending::completed);
  EXPECT_EQ(clean.step().emit, Ids{});
  EXPECT_TRUE(clean.run.done());

  Stepper effect;
  effect.add(writer("/a"));
  effect.add(reader("/b"));
  effect.step();
  EXPECT_FALSE(effect.run.discard());
  effect.run.finished(0, Ending::completed);
  effect.run.finished(1, Ending::completed);
  EXPECT_EQ(effect.step().emit, (Ids{0, 1}));
  EXPECT_TRUE(effect.run.done());
}

TEST(MessageRun, ACallThatWaitsForPermissionHasHadNoEffectYet) {
  Stepper run;
  run.add(writer("/a"));
  run.step();
  run.run.parked(0, Waiting::before_run);
  EXPECT_TRUE(run.run.discard());
}

TEST(MessageRun, ACallThatWaitsWithAnInputThePersonReplacedHasHadNoEffectYet) {
  Stepper run;
  run.add(writer("/a"));
  run.step();
  run.run.parked(0, Waiting::before_run);
  EXPECT_TRUE(run.run.replaced(0, writer("/b")));
  EXPECT_TRUE(run.run.discard());
}

TEST(MessageRun, ADiscardedMessageLeavesNoModifiers) {
  Stepper run;
  run.add(reader("/a"));
  run.step();
  EXPECT_TRUE(run.run.discard());
  run.run.finished(0, Ending::completed, true);
  EXPECT_EQ(run.step().settle, Ids{});
  EXPECT_TRUE(run.run.done());
}

TEST(MessageRun, AShellThatWasStoppedHasNotFailedAndCancelsNobody) {
  Stepper run(2);
  CallTraits interruptible = shell("Bash(stopped)");
  interruptible.interruptible = true;
  run.add(interruptible);
  run.add(shell("Bash(goes on)"));
  run.step();
  run.run.interrupt();
  EXPECT_EQ(run.step().stop.size(), 1U);
  run.run.finished(0, Ending::failed);
  EXPECT_EQ(run.step().stop.size(), 0U);
  EXPECT_FALSE(run.run.cancellation(1));
}

TEST(MessageRun, TheTextNamesTheFirstReasonThatApplies) {
  Stepper run(2);
  run.add(shell("Bash(fails)"));
  run.add(shell("Bash(later)"));
  run.step();
  run.run.abort();
  EXPECT_EQ(run.run.cancellation(1)->reason, CancelReason::abort);
  run.run.finished(0, Ending::failed);
  EXPECT_EQ(run.run.cancellation(1)->reason, CancelReason::sibling_error);
}

TEST(MessageRun, CallsThatCanOnlyFailBlockNobody) {
  Stepper run;
  run.add(writer("/a"));
  run.run.add_answered();
  run.footprints.push_back(Footprint::nothing());
  run.add(reader("/b"));
  const auto step = run.step();
  EXPECT_EQ(step.start, (Ids{0, 2}));
}

TEST(MessageRun, ModifiersSettleWhenTheCallsThatRanTogetherHaveEnded) {
  Stepper run(4);
  run.add(reader("/a"));
  run.add(reader("/b"));
  run.step();
  run.run.finished(1, Ending::completed, true);
  EXPECT_EQ(run.step().settle, Ids{});
  run.run.finished(0, Ending::completed, true);
  EXPECT_EQ(run.step().settle, (Ids{0, 1}));
}

TEST(MessageRun, CallsThatHaveNothingToDoWithEachOtherAreAnsweredWhenTheyHaveFinished) {
  Slots slots(8);
  CancelScope turn;
  MessageRun run(slots, turn, {.in_order = false});
  const auto step = [&] {
    MessageRun::Step now = run.next();
    for (const CallIndex call : now.resolve) {
      run.resolved(call, Footprint::reads("/" + std::to_string(call)), true);
    }
    return now.resolve.empty() ? now : run.next();
  };
  for (int i = 0; i < 3; ++i) run.add(reader("/" + std::to_string(i)));
  EXPECT_EQ(step().start, (Ids{0, 1, 2}));
  run.finished(2, Ending::completed);
  EXPECT_EQ(step().emit, Ids{2});
  run.finished(0, Ending::completed);
  EXPECT_EQ(step().emit, Ids{0});
  const CallIndex refused = run.add_answered();
  EXPECT_EQ(step().emit, Ids{refused});
  run.close();
  EXPECT_FALSE(run.done());
  run.finished(1, Ending::completed);
  EXPECT_EQ(step().emit, Ids{1});
  EXPECT_TRUE(run.done());
}

TEST(MessageRun, ACallThatIsTakenBackStopsAndNoOther) {
  Stepper stepper;
  stepper.add(writer("/a"));
  stepper.add(writer("/a"));
  stepper.add(writer("/b"));
  EXPECT_EQ(stepper.step().start, (Ids{0, 2}));
  stepper.run.cancel(1);
  stepper.run.cancel(2);
  const auto step = stepper.step();
  ASSERT_EQ(step.answer_unstarted.size(), 1U);
  EXPECT_EQ(step.answer_unstarted[0].call, 1U);
  ASSERT_EQ(step.stop.size(), 1U);
  EXPECT_EQ(step.stop[0].call, 2U);
  stepper.run.finished(2, Ending::completed);
  stepper.run.cancel(2);
  EXPECT_TRUE(stepper.step().stop.empty());
}

}  // namespace
}  // namespace deft
