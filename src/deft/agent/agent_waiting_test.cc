#include <gtest/gtest.h>

#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "deft/core/conversation.h"
#include "deft/testing/agent_bench.h"

// What is said while a turn is under way: prompts that wait for a turn of their own, and turns that make room.

namespace deft {
namespace {

// Prompts of somebody else, by their uuids.
class Waiting final : public WaitingPrompts {
 public:
  void add(const std::string& text) {
    const std::lock_guard lock(mutex_);
    Prompt prompt = Prompt::of(text);
    prompt.uuid = text;
    prompts_.push_back(std::move(prompt));
  }
  void drop() {
    const std::lock_guard lock(mutex_);
    prompts_.clear();
  }
  std::vector<std::string> left() {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> names;
    for (const Prompt& prompt : prompts_) names.push_back(prompt.uuid);
    return names;
  }
  std::vector<Prompt> offered() override {
    const std::lock_guard lock(mutex_);
    return prompts_;
  }
  bool take(const std::string& uuid) override {
    const std::lock_guard lock(mutex_);
    return std::erase_if(prompts_, [&](const Prompt& prompt) { return prompt.uuid == uuid; }) > 0;
  }

 private:
  std::mutex mutex_;
  std::vector<Prompt> prompts_;  // under mutex_
};

using Names = std::vector<std::string>;

class AgentWaiting : public ::testing::Test {
 protected:
  AgentWaiting() { bench.options.waiting = &waiting; }

  // A tool during whose call something happens.
  void add_tool(std::string name, std::function<void()> what, OnInterrupt on_interrupt = OnInterrupt::block) {
    bench.add_tool({.spec = {.name = std::move(name), .on_interrupt = on_interrupt},
                    .run = [happens = std::move(what)](const Json&, ToolIo& io) -> Result<ToolResult> {
                      happens();
                      if (io.stop.stop_requested()) return fail(Errc::cancelled, "stopped");
                      return ToolResult{.text = "done"};
                    }});
  }
  // A hook that says this to the prompt of that text.
  void on_prompt(const std::string& text, HookOutcome outcome) {
    bench.hooks.on[HookEvent::user_prompt_submit] = [text, outcome](const HookMoment& moment, std::stop_token) {
      return find_string(Json(moment.fields), "prompt") == text ? outcome : HookOutcome{};
    };
  }
  std::string told(std::size_t request) { return bench.model.requests().at(request).history->back().content; }
  void expect_a_history_that_the_api_takes() { EXPECT_EQ(history_problem(bench.history()), std::nullopt); }
  void expect_that_the_api_took_the_last() {
    EXPECT_EQ(history_problem(*bench.model.requests().back().history), std::nullopt);
  }

  Waiting waiting;
  AgentBench bench;
};

TEST_F(AgentWaiting, AWaitingPromptFollowsTheNextResults) {
  add_tool("Do", [&] { waiting.add("also this"); });
  bench.model.will_answer({call_of_model("1", "Do")});
  bench.model.will_answer({text_of_model("Done.")});
  EXPECT_EQ(bench.turn("go").text, "Done.");
  EXPECT_EQ(told(1),
            R"([{"type":"tool_result","tool_use_id":"1","content":"done"},{"type":"text","text":"also this"}])");
  EXPECT_TRUE(waiting.left().empty());
  // It is in the journal where it was said.
  bench.reopen();
  EXPECT_EQ(bench.history().size(), 4U);
  EXPECT_EQ(bench.history().at(2).content, told(1));
}

TEST_F(AgentWaiting, WithoutResultsItWaitsForATurnOfItsOwn) {
  waiting.add("later");
  bench.model.will_answer({text_of_model("Done.")});
  EXPECT_EQ(bench.turn("go").text, "Done.");
  EXPECT_EQ(waiting.left(), Names{"later"});
  EXPECT_EQ(bench.model.requests().size(), 1U);
}

TEST_F(AgentWaiting, WhoWouldNotBeAnsweredWaitsOn) {
  bench.options.limits.requests_max = 1;
  add_tool("Do", [&] { waiting.add("also this"); });
  bench.model.will_answer({call_of_model("1", "Do")});
  EXPECT_EQ(bench.turn("go").reason, TurnReason::max_turns);
  EXPECT_EQ(waiting.left(), Names{"also this"});
  expect_a_history_that_the_api_takes();
}

TEST_F(AgentWaiting, AnAbortLeavesItToItsOwner) {
  add_tool("Do", [&] { waiting.add("also this"); });
  bench.hooks.on[HookEvent::user_prompt_submit] = [&](const HookMoment& moment, std::stop_token) {
    if (find_string(Json(moment.fields), "prompt") == "also this") bench.agent().abort();
    return HookOutcome{};
  };
  bench.model.will_answer({call_of_model("1", "Do")});
  EXPECT_EQ(bench.turn("go").reason, TurnReason::aborted_streaming);
  EXPECT_EQ(waiting.left(), Names{"also this"});
  expect_a_history_that_the_api_takes();
}

TEST_F(AgentWaiting, OneThatIsTakenBackWhileHooksJudgeItIsNotTold) {
  add_tool("Do", [&] { waiting.add("also this"); });
  bench.hooks.on[HookEvent::user_prompt_submit] = [&](const HookMoment& moment, std::stop_token) {
    if (find_string(Json(moment.fields), "prompt") == "also this") waiting.drop();
    return HookOutcome{};
  };
  bench.model.will_answer({call_of_model("1", "Do")});
  bench.model.will_answer({text_of_model("Done.")});
  EXPECT_EQ(bench.turn("go").text, "Done.");
  EXPECT_EQ(told(1), R"([{"type":"tool_result","tool_use_id":"1","content":"done"}])");
}

TEST_F(AgentWaiting, OneThatAHookTakesBackIsGone) {
  add_tool("Do", [&] { waiting.add("bad"); });
  on_prompt("bad", {.blocked = true, .block_reason = "no"});
  bench.model.will_answer({call_of_model("1", "Do")});
  bench.model.will_answer({text_of_model("Done.")});
  EXPECT_EQ(bench.turn("go").text, "Done.");
  EXPECT_TRUE(waiting.left().empty());
  EXPECT_FALSE(told(1).contains("bad"));
}

TEST_F(AgentWaiting, IfAHookEndsTheTurnTheOthersWaitOn) {
  add_tool("Do", [&] {
    waiting.add("bad");
    waiting.add("good");
  });
  on_prompt("bad", {.stops = true, .stop_reason = "lunch"});
  bench.model.will_answer({call_of_model("1", "Do")});
  EXPECT_EQ(bench.turn("go").reason, TurnReason::hook_stopped);
  EXPECT_EQ(waiting.left(), Names{"good"});
  expect_a_history_that_the_api_takes();
}

// --- a turn makes room ---

TEST_F(AgentWaiting, ATurnThatMakesRoomFinishesWhatCannotBeInterruptedAndEnds) {
  add_tool("Do", [&] { bench.agent().make_room(); });
  bench.model.will_answer({call_of_model("1", "Do")});
  EXPECT_EQ(bench.turn("go").reason, TurnReason::aborted_tools);
  EXPECT_EQ(bench.history().back().content, R"([{"type":"tool_result","tool_use_id":"1","content":"done"}])");
  bench.model.will_answer({text_of_model("Done.")});
  EXPECT_EQ(bench.turn("now this").text, "Done.");
  EXPECT_EQ(told(1),
            R"([{"type":"tool_result","tool_use_id":"1","content":"done"},{"type":"text","text":"now this"}])");
  expect_that_the_api_took_the_last();
}

TEST_F(AgentWaiting, ItTakesNoOtherPromptAlong) {
  add_tool("Do", [&] {
    waiting.add("not this");
    bench.agent().make_room();
  });
  bench.model.will_answer({call_of_model("1", "Do")});
  EXPECT_EQ(bench.turn("go").reason, TurnReason::aborted_tools);
  EXPECT_EQ(waiting.left(), Names{"not this"});
}

TEST_F(AgentWaiting, TheModelIsCutShortAndWhatItSaidStays) {
  bench.model.will({ModelEvent(TextDelta{"Once upon"})});
  bench.model.when_asked = [&] { bench.agent().make_room(); };
  EXPECT_EQ(bench.turn("go").reason, TurnReason::aborted_streaming);
  EXPECT_FALSE(bench.model.is_open());
  bench.model.when_asked = nullptr;
  bench.model.will_answer({text_of_model("Done.")});
  EXPECT_EQ(bench.turn("now this").text, "Done.");
  expect_that_the_api_took_the_last();
}

TEST_F(AgentWaiting, ATurnThatIsOnlyAnnouncedKeepsItsPromptAndAsksNothing) {
  bench.agent().announce_turn();
  bench.agent().make_room();
  EXPECT_EQ(bench.turn("first").reason, TurnReason::aborted_streaming);
  EXPECT_TRUE(bench.model.requests().empty());
  bench.model.will_answer({text_of_model("Done.")});
  EXPECT_EQ(bench.turn("now this").text, "Done.");
  EXPECT_EQ(told(0), R"([{"type":"text","text":"first"},{"type":"text","text":"now this"}])");
}

TEST_F(AgentWaiting, BetweenTwoTurnsThereIsNoTurnToMakeRoom) {
  bench.agent().make_room();
  bench.model.will_answer({text_of_model("Done.")});
  EXPECT_EQ(bench.turn("go").text, "Done.");
  bench.agent().make_room();
  bench.model.will_answer({text_of_model("Again.")});
  EXPECT_EQ(bench.turn("go").text, "Again.");
}

}  // namespace
}  // namespace deft
