#include "deft/agent/agent.h"

#include <gtest/gtest.h>

#include <thread>

#include "deft/testing/agent_bench.h"

namespace deft {
namespace {

std::string told(const AgentBench& bench, std::size_t request, std::size_t message) {
  const auto requests = bench.model.requests();
  if (request >= requests.size() || message >= requests[request].history->size()) return "";
  return (*requests[request].history)[message].content;
}

TEST(Agent, GivesBackTheResultsOfAMessageInOneMessageInTheOrderOfItsCalls) {
  AgentBench bench;
  bench.add_reader("Look", "seen");
  bench.add_effect("Do");
  bench.model.will_answer({text_of_model("I look."), call_of_model("1", "Look"), call_of_model("2", "Do"),
                           call_of_model("3", "Look"), call_of_model("4", "Missing")});
  bench.model.will_answer({text_of_model("Done.")});
  const TurnEnd end = bench.turn("go");
  EXPECT_EQ(end.reason, TurnReason::completed);
  EXPECT_EQ(end.text, "Done.");
  EXPECT_EQ(end.requests, 2U);
  EXPECT_EQ(told(bench, 0, 0), R"([{"type":"text","text":"go"}])");
  EXPECT_EQ(told(bench, 1, 1),
            R"([{"type":"text","text":"I look."},{"type":"tool_use","id":"1","name":"Look","input":{}},)"
            R"({"type":"tool_use","id":"2","name":"Do","input":{}},)"
            R"({"type":"tool_use","id":"3","name":"Look","input":{}},)"
            R"({"type":"tool_use","id":"4","name":"Missing","input":{}}])");
  EXPECT_EQ(
      told(bench, 1, 2),
      R"([{"type":"tool_result","tool_use_id":"1","content":"seen"},)"
      R"({"type":"tool_result","tool_use_id":"2","content":"done"},)"
      R"({"type":"tool_result","tool_use_id":"3","content":"seen"},)"
      R"({"type":"tool_result","tool_use_id":"4","content":"<tool_use_error>No such tool available: Missing</tool_use_error>","is_error":true}])");
  EXPECT_EQ(history_problem(*bench.model.requests()[1].history), std::nullopt);
}

TEST(Agent, StartsACallWhileTheMessageStillStreams) {
  AgentBench bench;
  bench.add_tool({.spec = {.name = "Do"}, .run = [&](const Json&, ToolIo&) -> Result<ToolResult> {
                    // Only once the call runs does the model go on.
                    for (ModelEvent& event : stream_of({call_of_model("1", "Do")})) {
                      if (std::holds_alternative<MessageDone>(event)) bench.model.say(std::move(event));
                    }
                    return ToolResult{.text = "done"};
                  }});
  auto events = stream_of({call_of_model("1", "Do")});
  events.pop_back();
  bench.model.will(std::move(events));
  bench.model.will_answer({text_of_model("Done.")});
  EXPECT_EQ(bench.turn("go").reason, TurnReason::completed);
}

TEST(Agent, AsksAgainAfterFailuresWithLongerAndLongerWaits) {
  AgentBench bench;
  for (int i = 0; i < 3; ++i) {
    bench.model.will({failure_of({.kind = ModelFailure::Kind::status, .status = 500, .message = "oops"})});
  }
  bench.model.will_answer({text_of_model("Here.")});
  EXPECT_EQ(bench.turn("go").text, "Here.");
  const auto retries = bench.frontend.all<RetryScheduled>();
  ASSERT_EQ(retries.size(), 3U);
  EXPECT_LT(retries[0].delay, retries[1].delay);
  EXPECT_LT(retries[1].delay, retries[2].delay);
}

TEST(Agent, EndsWithTheProvidersWordsWhereAskingAgainIsNoUse) {
  AgentBench bench;
  bench.model.will({failure_of({.kind = ModelFailure::Kind::status, .status = 401, .message = "invalid x-api-key"})});
  const TurnEnd end = bench.turn("go");
  EXPECT_EQ(end.reason, TurnReason::model_error);
  EXPECT_EQ(end.explanation, "invalid x-api-key");
  EXPECT_EQ(bench.model.requests().size(), 1U);
  // And the next prompt is one more word of the user's.
  bench.model.will_answer({text_of_model("Hello.")});
  EXPECT_EQ(bench.turn("again").reason, TurnReason::completed);
  EXPECT_EQ(told(bench, 1, 0), R"([{"type":"text","text":"go"},{"type":"text","text":"again"}])");
}

TEST(Agent, ABrokenStreamIsDiscardedUnlessSomethingMayHaveBeenDone) {
  AgentBench bench;
  bench.add_reader("Look");
  bench.add_effect("Do");
  bench.model.will(broken_stream_of({text_of_model("Hm, well."), call_of_model("1", "Look")}, 4));
  bench.model.will_answer({call_of_model("1", "Do")});
  bench.model.will_answer({text_of_model("Done.")});
  EXPECT_EQ(bench.turn("go").text, "Done.");
  EXPECT_EQ(bench.effects, std::vector<std::string>{"Do"});
  ASSERT_EQ(bench.frontend.all<MessageDiscarded>().size(), 1U);
  EXPECT_FALSE(bench.frontend.all<MessageDiscarded>()[0].kept);
  EXPECT_EQ(bench.history().size(), 4U);
}

TEST(Agent, WhatMayHaveBeenDoneIsNotAskedForTwice) {
  AgentBench bench;
  bench.add_tool({.spec = {.name = "Do"}, .run = [&](const Json&, ToolIo&) -> Result<ToolResult> {
                    bench.effects.emplace_back("Do");
                    for (ModelEvent& event : broken_stream_of({call_of_model("1", "Do"), text_of_model("and")}, 3)) {
                      if (std::holds_alternative<ModelFailed>(event)) bench.model.say(std::move(event));
                    }
                    return ToolResult{.text = "done"};
                  }});
  auto events = stream_of({call_of_model("1", "Do")});
  events.pop_back();
  bench.model.will(std::move(events));
  bench.model.will_answer({text_of_model("Done.")});
  EXPECT_EQ(bench.turn("go").text, "Done.");
  EXPECT_EQ(bench.effects.size(), 1U);
  EXPECT_EQ(bench.model.requests().size(), 2U);
  EXPECT_EQ(told(bench, 1, 1), R"([{"type":"tool_use","id":"1","name":"Do","input":{}}])");
  EXPECT_EQ(told(bench, 1, 2), R"([{"type":"tool_result","tool_use_id":"1","content":"done"}])");
}

TEST(Agent, AStreamThatKeepsBreakingIsAskedForOnceWithoutStreaming) {
  AgentBench bench;
  for (int i = 0; i < 4; ++i) bench.model.will(broken_stream_of({text_of_model("Hm, well.")}, 2));
  bench.model.will_answer({text_of_model("Done.")});
  EXPECT_EQ(bench.turn("go").text, "Done.");
  std::vector<bool> streams;
  for (const ModelRequest& request : bench.model.requests()) streams.push_back(request.stream);
  EXPECT_EQ(streams, (std::vector<bool>{true, true, true, false, true}));
}

TEST(Agent, AnOverloadedModelIsReplacedForTheRestOfTheTurn) {
  AgentBench bench(AgentOptions{.model = "large", .fallback_models = {"small"}});
  for (int i = 0; i < 3; ++i) {
    bench.model.will({failure_of({.kind = ModelFailure::Kind::status, .status = 529, .type = "overloaded_error"})});
  }
  bench.model.will_answer({text_of_model("Done.")});
  bench.model.will_answer({text_of_model("Again.")});
  bench.turn("go");
  bench.turn("go on");
  const auto requests = bench.model.requests();
  ASSERT_EQ(requests.size(), 5U);
  EXPECT_EQ(requests[2].model, "large");
  EXPECT_EQ(requests[3].model, "small");
  EXPECT_EQ(requests[4].model, "large");
}

TEST(Agent, AModelThatIsNotThereIsReplacedAtOnce) {
  AgentBench bench(AgentOptions{.model = "gone", .fallback_models = {"gone too", "here"}});
  for (int i = 0; i < 2; ++i) {
    bench.model.will({failure_of({.kind = ModelFailure::Kind::status, .status = 404, .type = "not_found_error"})});
  }
  bench.model.will_answer({text_of_model("Done.")});
  EXPECT_EQ(bench.turn("go").text, "Done.");
  const auto requests = bench.model.requests();
  ASSERT_EQ(requests.size(), 3U);
  EXPECT_EQ(requests[1].model, "gone too");
  EXPECT_EQ(requests[2].model, "here");
}

TEST(Agent, HalfACallIsAskedForAgainWithRoomForMore) {
  AgentBench bench;
  bench.add_effect("Do");
  bench.model.will_answer({broken_call_of_model("1", "Do", "{\"wha")}, "max_tokens");
  bench.model.will_answer({call_of_model("1", "Do")});
  bench.model.will_answer({text_of_model("Done.")});
  EXPECT_EQ(bench.turn("go").text, "Done.");
  const auto requests = bench.model.requests();
  ASSERT_EQ(requests.size(), 3U);
  EXPECT_GT(requests[1].output_tokens_max, requests[0].output_tokens_max);
  EXPECT_EQ(requests[1].history->size(), 1U);
  EXPECT_EQ(bench.effects.size(), 1U);
}

TEST(Agent, HalfACallIsAnsweredAsInvalidWhenThereIsNoMoreRoom) {
  AgentBench bench(AgentOptions{.output_tokens_max = kOutputTokensMax});
  bench.add_effect("Do");
  bench.model.will_answer({broken_call_of_model("1", "Do", "{\"wha")}, "max_tokens");
  bench.model.will_answer({text_of_model("Done.")});
  EXPECT_EQ(bench.turn("go").text, "Done.");
  EXPECT_EQ(told(bench, 1, 1), R"([{"type":"tool_use","id":"1","name":"Do","input":{}}])");
  EXPECT_NE(told(bench, 1, 2).find("INVALID_JSON"), std::string::npos);
  EXPECT_TRUE(bench.effects.empty());
}

TEST(Agent, APausedMessageIsSentBackAsItIs) {
  AgentBench bench;
  bench.model.will_answer({text_of_model("Searching")}, "pause_turn");
  bench.model.will_answer({text_of_model(" found.")});
  EXPECT_EQ(bench.turn("go").text, " found.");
  EXPECT_EQ(told(bench, 1, 1), R"([{"type":"text","text":"Searching"}])");
}

// The API refuses a message that ends in thought, and would refuse every later request of the session with it.
TEST(Agent, WhatTheModelThoughtLastIsNotHandedBack) {
  AgentBench bench;
  bench.add_reader("Look");
  const Block thought = ThinkingBlock{.thinking = "hm", .signature = "s", .extra = {}};
  bench.model.will_answer({thought}, "max_tokens");
  bench.model.will_answer({thought, call_of_model("1", "Look"), thought});
  bench.model.will_answer({thought, text_of_model("\n")});
  bench.model.will_answer({text_of_model("Done.")});
  for (const char* prompt : {"go", "on", "and?"}) bench.turn(prompt);
  EXPECT_EQ(history_problem(*bench.model.requests().back().history), std::nullopt);
  EXPECT_EQ(
      told(bench, 2, 1),
      R"([{"type":"thinking","thinking":"hm","signature":"s"},{"type":"tool_use","id":"1","name":"Look","input":{}}])");
}

TEST(Agent, StopsAtTheLimitOfRequests) {
  AgentBench bench(AgentOptions{.limits = {.requests_max = 2}});
  bench.add_reader("Look");
  for (int i = 0; i < 3; ++i) bench.model.will_answer({call_of_model(std::to_string(i), "Look")});
  const TurnEnd end = bench.turn("go");
  EXPECT_EQ(end.reason, TurnReason::max_turns);
  EXPECT_EQ(bench.model.requests().size(), 2U);
  EXPECT_EQ(history_problem(bench.history()), std::nullopt);
}

TEST(Agent, StopsWhenTheMoneyIsSpent) {
  AgentBench bench(AgentOptions{.limits = {.cost_max = 1.5}, .cost = [](const auto&, const auto&) { return 1.0; }});
  bench.add_reader("Look");
  for (int i = 0; i < 3; ++i) bench.model.will_answer({call_of_model(std::to_string(i), "Look")});
  EXPECT_EQ(bench.turn("go").reason, TurnReason::budget_exhausted);
  EXPECT_EQ(bench.model.requests().size(), 2U);
}

TEST(Agent, IdsThatAProviderUsesAgainAreTakenApart) {
  AgentBench bench;
  bench.add_effect("Do");
  bench.model.will_answer({call_of_model("call_0", "Do")});
  bench.model.will_answer({call_of_model("call_0", "Do")});
  bench.model.will_answer({text_of_model("Done.")});
  EXPECT_EQ(bench.turn("go").text, "Done.");
  EXPECT_EQ(bench.effects.size(), 2U);
  EXPECT_EQ(history_problem(*bench.model.requests()[2].history), std::nullopt);
}

TEST(Agent, AProvidersIdsStayAsTheyAreUnlessTheyAreNone) {
  AgentBench bench;
  bench.add_effect("Do");
  bench.model.will_answer({call_of_model("functions.Do:0", "Do"), call_of_model("../a b", "Do")});
  bench.model.will_answer({text_of_model("Done.")});
  bench.turn("go");
  const History& history = *bench.model.requests()[1].history;
  EXPECT_EQ(history_problem(history), std::nullopt);
  EXPECT_NE(history.back().content.find(R"("tool_use_id":"functions.Do:0")"), std::string::npos);
  EXPECT_NE(history.back().content.find(R"("tool_use_id":"_._a_b")"), std::string::npos) << history.back().content;
}

TEST(Agent, AnAbortWhileTheModelSpeaksKeepsWhatItSaid) {
  AgentBench bench;
  bench.model.will({ModelBegan{"r"}, TextDelta{"I think"}});
  std::thread user([&] {
    bench.frontend.wait_for<TextArrived>();
    bench.agent().abort();
  });
  bench.agent();
  const TurnEnd end = bench.turn("go");
  user.join();
  EXPECT_EQ(end.reason, TurnReason::aborted_streaming);
  EXPECT_FALSE(bench.model.is_open());
  ASSERT_EQ(bench.history().size(), 3U);
  EXPECT_EQ(bench.history()[1].content, R"([{"type":"text","text":"I think"}])");
  EXPECT_EQ(history_problem(bench.history()), std::nullopt);
}

TEST(Agent, AnAbortWhileCallsRunAnswersEveryCallAndTheNextTurnGoesOn) {
  AgentBench bench;
  bench.add_tool({.spec = {.name = "Hang"}, .run = [](const Json&, ToolIo& io) -> Result<ToolResult> {
                    while (!io.stop.stop_requested()) std::this_thread::yield();
                    return fail(Errc::cancelled, "stopped");
                  }});
  bench.add_effect("Do");
  bench.model.will_answer({call_of_model("1", "Hang"), call_of_model("2", "Do")});
  bench.agent();
  std::thread user([&] {
    bench.frontend.wait_for<MessageCompleted>();
    bench.agent().abort();
  });
  EXPECT_EQ(bench.turn("go").reason, TurnReason::aborted_tools);
  user.join();
  EXPECT_TRUE(bench.effects.empty());
  EXPECT_EQ(history_problem(bench.history()), std::nullopt);
  bench.model.will_answer({call_of_model("3", "Do")});
  bench.model.will_answer({text_of_model("Done.")});
  EXPECT_EQ(bench.turn("again").text, "Done.");
  EXPECT_EQ(bench.effects.size(), 1U);
  EXPECT_EQ(history_problem(*bench.model.requests().back().history), std::nullopt);
}

TEST(Agent, AMessageOfTheUserFollowsTheResults) {
  AgentBench bench;
  bench.add_tool({.spec = {.name = "Do"}, .run = [&](const Json&, ToolIo&) -> Result<ToolResult> {
                    bench.agent().interrupt(Prompt::of("also this"));
                    return ToolResult{.text = "done"};
                  }});
  bench.model.will_answer({call_of_model("1", "Do")});
  bench.model.will_answer({text_of_model("Done.")});
  EXPECT_EQ(bench.turn("go").text, "Done.");
  EXPECT_EQ(told(bench, 1, 2),
            R"([{"type":"tool_result","tool_use_id":"1","content":"done"},{"type":"text","text":"also this"}])");
}

}  // namespace
}  // namespace deft
