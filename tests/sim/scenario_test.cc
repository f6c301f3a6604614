// Turns made by hand, played in virtual time: how long they take is exact.

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <utility>

#include "deft/testing/sim_plan.h"
#include "deft/testing/sim_world.h"

namespace deft::sim {
namespace {

using PathUse = Footprint::PathUse;
using What = Stage::What;
using Disturb = Disturbance::What;

constexpr PathId kSourceFile = 3;  // "/p/a/x"

CallPlan call(Input input, Time duration) {
  CallPlan plan{.input = input, .replacement = input};
  plan.then(What::work, duration);
  return plan;
}

Input touching(PathId path, PathUse use) {
  Input input{.word_count = 1, .read_only = use != PathUse::write};
  input.words[0] = {.path = path, .use = use};
  return input;
}

CallPlan reads(PathId path, Time duration) { return call(touching(path, PathUse::read), duration); }
CallPlan writes(PathId path, Time duration) { return call(touching(path, PathUse::write), duration); }

// Touches nothing, works not at all, only waits.
CallPlan sleeps(Time duration) {
  CallPlan plan = call({.read_only = true}, 0);
  plan.then(What::wait, duration);
  plan.then(What::work);
  return plan;
}

CallPlan shell(Time duration, Ending ending = Ending::completed) {
  CallPlan plan = call(touching(0, PathUse::read_tree), duration);
  plan.input.read_only = plan.replacement.read_only = false;
  plan.shell = true;
  plan.ending = ending;
  return plan;
}

class Scenario {
 public:
  explicit Scenario(std::size_t slots_max) {
    plan_.slots_max = slots_max;
    add_message();
  }
  std::uint8_t add_message() {
    plan_.add_message().streaming = false;
    return static_cast<std::uint8_t>(plan_.message_count - 1);
  }
  CallPlan& add(CallPlan call, std::uint8_t message = 0) {
    return plan_.messages[message].calls.emplace_back(std::move(call));
  }
  // A call whose agent carries out the message that is returned.
  std::uint8_t add_agent(std::uint8_t parent_message = 0) {
    CallPlan plan = call({}, 0);
    plan.agent_message = add_message();
    plan.then(What::agent);
    plan.then(What::work);
    add(plan, parent_message);
    return plan.agent_message;
  }
  MessagePlan& message(std::uint8_t index = 0) { return plan_.messages[index]; }
  void at(Time time, Disturb what) { plan_.messages[0].disturbances.push_back({.at = time, .what = what}); }

  Outcome play() {
    world_.keep_log();
    Outcome outcome = world_.play(plan_);
    EXPECT_EQ(outcome.broken, "") << world_.log();
    return outcome;
  }
  const Tally& tally() const { return world_.tally(); }

 private:
  TurnPlan plan_;
  SimWorld world_;
};

TEST(Scenario, TenWaitsTakeAsLongAsOneEvenWithOneSlot) {
  Scenario turn(1);
  for (int i = 0; i < 10; ++i) turn.add(sleeps(30));
  EXPECT_EQ(turn.play().end, 30U);
}

TEST(Scenario, EditsOfDifferentFilesOverlapAndEditsOfOneFileAddUp) {
  Scenario different(10);
  for (const PathId path : std::initializer_list<PathId>{3, 4, 5, 6, 8, 9}) different.add(writes(path, 10));
  EXPECT_EQ(different.play().end, 10U);

  Scenario same(10);
  for (int i = 0; i < 6; ++i) same.add(writes(kSourceFile, 10));
  EXPECT_EQ(same.play().end, 60U);
}

TEST(Scenario, MoreCallsThanSlotsTakeTurns) {
  Scenario turn(2);
  for (int i = 0; i < 6; ++i) turn.add(reads(kSourceFile, 10));
  const Outcome outcome = turn.play();
  EXPECT_EQ(outcome.end, 30U);
  EXPECT_EQ(outcome.working_max, 2U);
}

TEST(Scenario, ACallStartsWhileLaterBlocksStillStream) {
  Scenario turn(4);
  turn.message().streaming = true;
  turn.message().close_gap = 100;
  turn.add(reads(kSourceFile, 10));
  turn.add(reads(kSourceFile, 10)).gap = 11;
  turn.add(reads(kSourceFile, 10)).gap = 11;
  const Outcome outcome = turn.play();
  EXPECT_EQ(outcome.working_max, 1U);
  EXPECT_EQ(outcome.end, 32U);  // each answer left before the message was complete
}

TEST(Scenario, AQuestionHoldsNoSlot) {
  Scenario turn(1);
  CallPlan asks = writes(kSourceFile, 0);
  asks.then(What::ask_allow, 50);
  asks.then(What::work, 5);
  turn.add(asks);
  turn.add(reads(9, 10));
  turn.add(reads(8, 40));
  EXPECT_EQ(turn.play().end, 55U);
}

TEST(Scenario, AgentsShareOneSlotWithTheirOwnAgentsAndNoneStarves) {
  Scenario turn(1);
  for (int i = 0; i < 2; ++i) {
    std::uint8_t message = 0;
    for (unsigned depth = 0; depth < kAgentDepthMax; ++depth) {
      message = turn.add_agent(message);
      turn.add(writes(kSourceFile, 10), message);
    }
  }
  const Outcome outcome = turn.play();
  EXPECT_EQ(outcome.end, 60U);
  EXPECT_EQ(outcome.working_max, 1U);
  EXPECT_EQ(turn.tally().agents_at_depth_max, 2U);
}

TEST(Scenario, AFailedShellEndsLaterShellsAndNothingElse) {
  Scenario turn(4);
  turn.add(shell(100));
  turn.add(shell(5, Ending::failed));
  turn.add(shell(1'000)).grace = 1;
  turn.add(reads(kSourceFile, 50));
  turn.add(shell(1'000));  // has no slot yet
  const Outcome outcome = turn.play();
  EXPECT_EQ(outcome.end, 100U);
  EXPECT_EQ(outcome.answers, 5U);
  EXPECT_EQ(turn.tally().siblings_stopped, 1U);
  EXPECT_EQ(turn.tally().siblings_unstarted, 1U);
}

TEST(Scenario, AFailedShellOfAnAgentIsNoSiblingOfItsParentsShells) {
  Scenario turn(4);
  const auto message = turn.add_agent();
  turn.add(shell(5, Ending::failed), message);
  turn.add(shell(50), message);
  turn.add(shell(100));
  EXPECT_EQ(turn.play().end, 100U);
  EXPECT_EQ(turn.tally().siblings_stopped, 1U);
}

TEST(Scenario, AnInterruptEndsOnlyWhatAllowsIt) {
  Scenario turn(4);
  turn.add(reads(kSourceFile, 1'000)).input.interruptible = true;
  turn.add(writes(9, 100));
  turn.at(10, Disturb::interrupt);
  EXPECT_EQ(turn.play().end, 100U);
  EXPECT_EQ(turn.tally().stops, 1U);
}

TEST(Scenario, AnAbortReachesAgentsOfAgents) {
  Scenario turn(1);
  std::uint8_t message = 0;
  for (unsigned depth = 0; depth < kAgentDepthMax; ++depth) message = turn.add_agent(message);
  turn.add(sleeps(1'000), message);
  turn.add(writes(kSourceFile, 1'000), message);
  turn.add(writes(kSourceFile, 1'000), message);
  turn.at(10, Disturb::abort);
  const Outcome outcome = turn.play();
  EXPECT_EQ(outcome.end, 10U);
  EXPECT_EQ(outcome.answers, 6U);
}

TEST(Scenario, ABrokenStreamIsForgottenUnlessSomethingMayHaveHadAnEffect) {
  for (const bool with_effect : {false, true}) {
    Scenario turn(4);
    turn.message().streaming = true;
    turn.add(with_effect ? writes(kSourceFile, 100) : reads(kSourceFile, 100));
    turn.add(reads(9, 100)).gap = 5;
    turn.add(reads(9, 100)).gap = 50;  // never arrives
    turn.at(20, Disturb::discard);
    EXPECT_EQ(turn.play().answers, with_effect ? 2U : 0U);
  }
}

TEST(Scenario, AReplacedInputWaitsForTheCallItNowConflictsWith) {
  Scenario turn(4);
  CallPlan& replaced = turn.add(writes(kSourceFile, 10));
  replaced.then(What::replace);
  replaced.then(What::work, 10);
  replaced.replacement = touching(9, PathUse::write);
  turn.add(writes(9, 50));
  turn.add(reads(9, 5));  // waits for both
  EXPECT_EQ(turn.play().end, 65U);
  EXPECT_EQ(turn.tally().replaced_and_waited, 1U);
}

TEST(Scenario, ALinkThatACommandMovesLeadsLaterCallsElsewhere) {
  Scenario turn(4);
  turn.add(reads(kSourceFile, 10));
  turn.add(call({.everything = true}, 10));
  Input through_link = touching(kSourceFile, PathUse::write);
  through_link.words[0].via = Via::link;
  turn.add(call(through_link, 10));
  EXPECT_EQ(turn.play().end, 30U);
  EXPECT_EQ(turn.tally().footprints_moved, 1U);
}

}  // namespace
}  // namespace deft::sim
