#include <gtest/gtest.h>

#include "deft/core/conversation.h"
#include "deft/core/history.h"
#include "deft/testing/agent_bench.h"

// A PreToolUse hook may want a call to be decided later: the turn ends, and the next one begins with it.

namespace deft {
namespace {

AgentOptions that_defer() {
  AgentOptions options;
  options.engine.mode = Mode::bypass;
  options.engine.executor.defers = true;
  return options;
}

class Deferral : public ::testing::Test {
 protected:
  Deferral() : bench_(that_defer()) {
    bench_.add_effect("Do");
    bench_.hooks.on[HookEvent::pre_tool_use] = [this](const HookMoment& moment, std::stop_token) {
      asked_.push_back(moment.call->id);
      return HookOutcome{.verdict = verdict_, .reason = "by the test"};
    };
    bench_.options.engine.hooks = &bench_.hooks;
  }

  TurnEnd defer() {
    verdict_ = HookVerdict::defer;
    bench_.model.will_answer({text_of_model("I do it."), call_of_model("t1", "Do", JsonObject{{"what", "it"}})});
    return bench_.turn("go");
  }

  std::atomic<HookVerdict> verdict_ = HookVerdict::defer;
  std::vector<std::string> asked_;
  AgentBench bench_;
};

TEST_F(Deferral, ACallThatStandsAloneEndsTheTurn) {
  const TurnEnd end = defer();
  EXPECT_EQ(end.reason, TurnReason::tool_deferred);
  ASSERT_TRUE(end.deferred);
  EXPECT_EQ(end.deferred->id, "t1");
  EXPECT_EQ(end.deferred->name, "Do");
  EXPECT_EQ(to_json(end.deferred->input), R"({"what":"it"})");
  EXPECT_TRUE(bench_.effects.empty());
  EXPECT_TRUE(bench_.frontend.all<CallAnswered>().empty());
}

TEST_F(Deferral, TheNextTurnBeginsWithItAndAsksTheHookAgain) {
  for (const bool reopens : {false, true}) {
    defer();
    if (reopens) bench_.reopen();
    verdict_ = HookVerdict::allow;
    const std::size_t asked_before = asked_.size();
    bench_.model.will_answer({text_of_model("done")});
    const TurnEnd end = bench_.turn("now you may");
    EXPECT_EQ(end.reason, TurnReason::completed) << end.explanation;
    EXPECT_EQ(asked_.size(), asked_before + 1);
    EXPECT_EQ(bench_.effects.size(), reopens ? 2U : 1U);
    EXPECT_FALSE(bench_.agent().deferred());
    const std::string& results = bench_.history()[bench_.history().size() - 2].content;
    EXPECT_LT(results.find("tool_result"), results.find("now you may"));
  }
}

TEST_F(Deferral, ItMayBeDeferredAgainAndAgain) {
  defer();
  EXPECT_EQ(bench_.turn("and now?").reason, TurnReason::tool_deferred);
  bench_.reopen();
  EXPECT_EQ(bench_.turn("and now?").reason, TurnReason::tool_deferred);
  bench_.reopen();
  verdict_ = HookVerdict::deny;
  bench_.model.will_answer({text_of_model("a pity")});
  EXPECT_EQ(bench_.turn("no").reason, TurnReason::completed);
  EXPECT_TRUE(bench_.effects.empty());
}

TEST_F(Deferral, ItGoesOnWithoutANewPrompt) {
  defer();
  bench_.reopen();
  EXPECT_TRUE(bench_.agent().deferred());
  verdict_ = HookVerdict::allow;
  bench_.model.will_answer({text_of_model("done")});
  EXPECT_EQ(bench_.agent().run_turn(Prompt{}).reason, TurnReason::completed);
  EXPECT_EQ(bench_.effects.size(), 1U);
}

TEST_F(Deferral, ItIsForgottenWithTheConversation) {
  defer();
  EXPECT_FALSE(bench_.agent().compact()) << "a summary could not be asked for before it is answered";
  bench_.agent().clear();
  verdict_ = HookVerdict::allow;
  bench_.model.will_answer({text_of_model("hello")});
  EXPECT_EQ(bench_.turn("something else").reason, TurnReason::completed);
  EXPECT_TRUE(bench_.effects.empty());
  EXPECT_EQ(history_problem(*bench_.model.requests().back().history), std::nullopt);
  bench_.reopen();
  EXPECT_FALSE(bench_.agent().deferred());
}

TEST_F(Deferral, BesideOtherCallsItIsAskedFor) {
  bench_.add_reader("Look");
  bench_.model.will_answer({call_of_model("t1", "Do", JsonObject{{"what", "it"}}), call_of_model("t2", "Look")});
  bench_.model.will_answer({text_of_model("done")});
  EXPECT_EQ(bench_.turn("go").reason, TurnReason::completed);
  EXPECT_TRUE(bench_.effects.empty());  // nobody can be asked
  EXPECT_EQ(bench_.frontend.all<CallAnswered>().size(), 2U);
}

TEST_F(Deferral, WithoutItsToolTheModelIsToldAndTheTurnEnds) {
  defer();
  bench_.reopen();
  AgentBench other(that_defer());
  other.options.engine.session_folder = bench_.options.engine.session_folder;
  EXPECT_EQ(other.turn("go on").reason, TurnReason::tool_deferred_unavailable);
  EXPECT_EQ(history_problem(other.history()), std::nullopt);
}

}  // namespace
}  // namespace deft
