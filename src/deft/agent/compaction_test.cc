#include "deft/agent/compaction.h"

#include <gtest/gtest.h>

#include "deft/core/compaction_plan.h"
#include "deft/core/context_gauge.h"
#include "deft/testing/agent_bench.h"
#include "deft/tools/background_tasks.h"
#include "deft/tools/todo_write.h"

// Conversations that grow too long for their model.

namespace deft {
namespace {

using enum HookEvent;

ModelFailed too_long() {
  return failure_of({.kind = ModelFailure::Kind::status,
                     .status = 400,
                     .type = "invalid_request_error",
                     .message = "prompt is too long: 210000 tokens > 200000 maximum"});
}

std::vector<ModelEvent> answer_that_cost(std::vector<Block> blocks, std::int64_t input_tokens) {
  return stream_of(Message{.blocks = std::move(blocks),
                           .stop_reason = "end_turn",
                           .usage = Json{{"input_tokens", input_tokens}, {"output_tokens", 10}}});
}

bool asks_for_a_summary(const ModelRequest& request) {
  return request.history->back().content.find("Write that summary now") != std::string::npos;
}

class Compacting : public ::testing::Test {
 protected:
  Compacting() {
    bench.add_reader("Look", "seen");
    bench.options.retry_delay = [](const ModelFailure&, std::size_t) { return std::nullopt; };
  }
  // A first turn after which the context is as good as full.
  void fill_context() {
    bench.model.will(answer_that_cost({text_of_model("The answer is 42.")}, 190'000));
    ASSERT_EQ(bench.turn("What is the answer?").reason, TurnReason::completed);
  }
  std::vector<CompactionDone> done() { return bench.frontend.all<CompactionDone>(); }
  void expect_a_history_that_the_api_takes() {
    History history = bench.history();
    if (history.back().role == Role::assistant) history.push_back({Role::user, R"([{"type":"text","text":"more"}])"});
    EXPECT_EQ(history_problem(history), std::nullopt);
  }

  AgentBench bench;
};

TEST_F(Compacting, HappensBeforeARequestThatWouldHardlyFitAndKeepsWhatTheUserHasJustSaid) {
  fill_context();
  bench.model.will_answer({text_of_model("The user asked for the answer; it is 42.")});
  bench.model.will_answer({text_of_model("Because it is.")});
  EXPECT_EQ(bench.turn("Why?").reason, TurnReason::completed);

  const auto requests = bench.model.requests();
  ASSERT_EQ(requests.size(), 3U);
  EXPECT_TRUE(asks_for_a_summary(requests[1]));
  EXPECT_EQ(requests[1].history->size(), 3U);
  EXPECT_EQ((*requests[1].history)[0].content, (*requests[0].history)[0].content);  // the provider's cache holds
  ASSERT_EQ(requests[2].history->size(), 1U);
  const std::string& told = requests[2].history->front().content;
  EXPECT_NE(told.find("it is 42"), std::string::npos);
  EXPECT_NE(told.find("Why?"), std::string::npos);
  ASSERT_EQ(done().size(), 1U);
  EXPECT_EQ(done()[0].trigger, "auto");
  EXPECT_GT(done()[0].tokens_before, 190'000U);
  EXPECT_LT(done()[0].tokens_after, 1'000U);
  EXPECT_EQ(done()[0].problem, "");
  expect_a_history_that_the_api_takes();
}

TEST_F(Compacting, HappensInTheMiddleOfATurnWithoutLosingResults) {
  bench.model.will(answer_that_cost({call_of_model("1", "Look")}, 190'000));
  bench.model.will_answer({text_of_model("The user wants a look.")});
  bench.model.will_answer({text_of_model("Done.")});
  EXPECT_EQ(bench.turn("look").text, "Done.");
  const auto requests = bench.model.requests();
  ASSERT_EQ(requests.size(), 3U);
  // Everything fits into what may be kept, so as little as possible is: the results are in the summary's sight.
  EXPECT_NE(requests[1].history->back().content.find("seen"), std::string::npos);
  expect_a_history_that_the_api_takes();
}

TEST_F(Compacting, HappensAfterARequestThatDidNotFit) {
  bench.model.will_answer({text_of_model("hi")});
  bench.turn("hello");
  bench.model.will({too_long()});
  bench.model.will_answer({text_of_model("They said hello.")});
  bench.model.will_answer({text_of_model("Fine.")});
  EXPECT_EQ(bench.turn("How are you?").text, "Fine.");
  EXPECT_EQ(done().size(), 1U);
}

TEST_F(Compacting, ASummaryThatDoesNotFitEitherIsAskedForWithLess) {
  for (const char* prompt : {"a", "b", "c", "d"}) {
    bench.model.will_answer({text_of_model(std::string(9'000, 'x'))});
    bench.turn(prompt);
  }
  bench.model.will({too_long()});
  bench.model.will({too_long()});
  bench.model.will({too_long()});
  bench.model.will_answer({text_of_model("the summary")});
  bench.model.will_answer({text_of_model("Fine.")});
  EXPECT_EQ(bench.turn("e").text, "Fine.");
  const auto requests = bench.model.requests();
  ASSERT_EQ(requests.size(), 9U);
  for (std::size_t i : {5U, 6U, 7U}) {
    EXPECT_TRUE(asks_for_a_summary(requests[i]));
    EXPECT_EQ(history_problem(*requests[i].history), std::nullopt);
  }
  expect_a_history_that_the_api_takes();
}

TEST_F(Compacting, ATurnWhoseRequestsNeverFitEndsInsteadOfLooping) {
  bench.model.will_answer({text_of_model("hi")});
  bench.turn("hello");
  bench.model.answer = [](const ModelRequest& request) {
    if (asks_for_a_summary(request)) return stream_of({text_of_model("a summary")});
    return std::vector<ModelEvent>{too_long()};
  };
  const TurnEnd end = bench.turn("more");
  EXPECT_EQ(end.reason, TurnReason::prompt_too_long);
  EXPECT_LE(bench.model.requests().size(), 2 + 2 * kCompactionsInARowMax);
  expect_a_history_that_the_api_takes();
}

TEST_F(Compacting, WhereTheToolsAloneAreTooLongThatIsSaid) {
  bench.add_tool({.spec = {.name = "Wordy", .description = std::string(30'000, 'w')},
                  .run = [](const Json&, ToolIo&) -> Result<ToolResult> { return ToolResult{.text = "done"}; }});
  bench.model.will({too_long()});
  const TurnEnd end = bench.turn("hello");
  EXPECT_EQ(end.reason, TurnReason::prompt_too_long);
  EXPECT_NE(end.explanation.find("offer fewer of them"), std::string::npos) << end.explanation;
  fill_context();
  bench.options.context.automatic = false;
  bench.reopen();
  bench.model.will({too_long()});
  EXPECT_EQ(bench.turn(std::string(100'000, 'x')).explanation.find("offer fewer"), std::string::npos);
}

TEST_F(Compacting, AContextThatIsFullAgainAfterEveryAnswerIsNotCompactedForEver) {
  bench.model.answer = [n = 0](const ModelRequest& request) mutable {
    if (asks_for_a_summary(request)) return stream_of({text_of_model("a summary")});
    if (++n > 12) return stream_of({text_of_model("enough")});
    return answer_that_cost({call_of_model(std::to_string(n), "Look")}, 199'000);
  };
  EXPECT_EQ(bench.turn("go").text, "enough");
  EXPECT_EQ(done().size(), kCompactionsInARowMax);
}

TEST_F(Compacting, NoSummaryEndsATurnOnlyIfTheRequestDoesNotFit) {
  fill_context();
  const ModelFailure broken{.kind = ModelFailure::Kind::status, .status = 401, .message = "no key"};
  bench.model.will({failure_of(broken)});
  bench.model.will_answer({text_of_model("it fitted all the same")});
  EXPECT_EQ(bench.turn("Why?").text, "it fitted all the same");
  ASSERT_EQ(done().size(), 1U);
  EXPECT_EQ(done()[0].problem, "no key");

  bench.model.will({too_long()});
  bench.model.will({failure_of(broken)});
  const TurnEnd end = bench.turn("And why?");
  EXPECT_EQ(end.reason, TurnReason::prompt_too_long);
  EXPECT_NE(end.explanation.find("no key"), std::string::npos);
}

TEST_F(Compacting, IsLeftToTheUserIfTheyWantItSo) {
  bench.options.context.automatic = false;
  fill_context();
  bench.model.will({too_long()});
  EXPECT_EQ(bench.turn("Why?").reason, TurnReason::prompt_too_long);
  EXPECT_TRUE(done().empty());
  bench.model.will_answer({text_of_model("the answer is 42")});
  EXPECT_TRUE(bench.agent().compact());
}

TEST_F(Compacting, ByHandTakesTheUsersWishesAndTellsWhatBecameOfIt) {
  bench.model.will_answer({text_of_model("hi")});
  bench.turn("hello");
  bench.model.will_answer({text_of_model(" They said hello. \n")});
  const auto compacted = bench.agent().compact("keep the names");
  ASSERT_TRUE(compacted);
  EXPECT_EQ(compacted->summary, "They said hello.");
  EXPECT_EQ(compacted->trigger, "manual");
  EXPECT_NE(bench.model.requests().back().history->back().content.find("keep the names"), std::string::npos);
  bench.model.will_answer({text_of_model("yes")});
  EXPECT_EQ(bench.turn("Still there?").text, "yes");
  EXPECT_NE(bench.model.requests().back().history->front().content.find("They said hello."), std::string::npos);
}

TEST_F(Compacting, ByHandHelpsASessionWhosePromptNeverFits) {
  bench.model.answer = [](const ModelRequest& request) {
    if (estimated_tokens(*request.history) > 100'000) return std::vector<ModelEvent>{too_long()};
    return stream_of({text_of_model(asks_for_a_summary(request) ? "a long list" : "fine")});
  };
  EXPECT_EQ(bench.turn(std::string(400'000, 'x')).reason, TurnReason::prompt_too_long);
  EXPECT_EQ(bench.turn("again?").reason, TurnReason::prompt_too_long);
  EXPECT_TRUE(bench.agent().compact());
  EXPECT_EQ(bench.turn("and now?").text, "fine");
  expect_a_history_that_the_api_takes();
}

TEST_F(Compacting, NothingIsThereToCompactInANewSession) {
  const auto compacted = bench.agent().compact();
  ASSERT_FALSE(compacted);
  EXPECT_EQ(compacted.error().code, Errc::invalid_input);
}

TEST_F(Compacting, AHookMayForbidIt) {
  bench.hooks.on[pre_compact] = [](const HookMoment& moment, std::stop_token) {
    EXPECT_EQ(to_json(moment.fields), R"({"trigger":"auto","custom_instructions":null})");
    return HookOutcome{.blocked = true, .block_reason = "not now"};
  };
  fill_context();
  bench.model.will_answer({text_of_model("fine")});
  EXPECT_EQ(bench.turn("Why?").text, "fine");
  ASSERT_EQ(done().size(), 1U);
  EXPECT_NE(done()[0].problem.find("not now"), std::string::npos);
}

TEST_F(Compacting, HooksHearOfTheSummaryAndMayAddToIt) {
  std::string heard;
  bench.hooks.on[post_compact] = [&](const HookMoment& moment, std::stop_token) {
    heard = to_json(moment.fields);
    return HookOutcome{};
  };
  bench.hooks.on[session_start] = [](const HookMoment& moment, std::stop_token) {
    EXPECT_EQ(moment.subject, "compact");
    return HookOutcome{.context = {"the branch is main"}};
  };
  fill_context();
  bench.model.will_answer({text_of_model("it is 42")});
  bench.model.will_answer({text_of_model("fine")});
  bench.turn("Why?");
  EXPECT_EQ(heard, R"({"trigger":"auto","compact_summary":"it is 42"})");
  EXPECT_NE(bench.model.requests().back().history->front().content.find("the branch is main"), std::string::npos);
}

TEST_F(Compacting, WhatStillStandsIsToldBesideTheSummaryAlsoToAResumedSession) {
  const auto tasks = std::make_shared<BackgroundTasks>();
  BackgroundWork work{.type = "local_agent", .title = "Watch it", .description = {}, .output = nullptr, .stop = [] {}};
  work.output = std::make_unique<ShellOutput>(nullptr, "watcher", ShellOutput::Keep::all);
  ASSERT_TRUE(tasks->add("watcher", std::move(work)));
  bench.options.tasks = tasks;
  bench.add_tool(make_todo_write_tool());
  const JsonArray todos{JsonObject{{"content", "Run the tests"}, {"status", "pending"}}};
  bench.model.will_answer({call_of_model("1", "TodoWrite", JsonObject{{"todos", todos}})});
  bench.model.will(answer_that_cost({text_of_model("Planned.")}, 190'000));
  bench.turn("Plan it");
  bench.model.will_answer({text_of_model("They planned.")});
  bench.model.will_answer({text_of_model("fine")});
  bench.turn("Go on");
  const std::string told = bench.model.requests().back().history->front().content;
  EXPECT_NE(told.find("[pending] Run the tests"), std::string::npos) << told;
  EXPECT_NE(told.find("- watcher: Watch it"), std::string::npos) << told;
  bench.reopen();
  EXPECT_EQ(bench.history().front().content, told);
  expect_a_history_that_the_api_takes();
}

TEST_F(Compacting, CallsInsteadOfASummaryAreNotCarriedOut) {
  bench.add_effect("Do");
  fill_context();
  bench.model.will_answer({call_of_model("9", "Do")});
  bench.model.will_answer({text_of_model("it is 42")});
  bench.model.will_answer({text_of_model("fine")});
  EXPECT_EQ(bench.turn("Why?").text, "fine");
  EXPECT_TRUE(bench.effects.empty());
  EXPECT_EQ(bench.model.requests()[2].tool_choice, Json({{"type", "none"}}));
  EXPECT_EQ(bench.model.requests()[3].tool_choice, std::nullopt);
}

TEST_F(Compacting, WhatBecameNoSummaryIsPaidForToo) {
  bench.model.will(answer_that_cost({text_of_model("hi")}, 100));
  bench.turn("hello");
  const auto before = bench.agent().usage().tokens;
  bench.model.will(answer_that_cost({call_of_model("9", "Look")}, 1'000));
  bench.model.will(answer_that_cost({text_of_model("they said hello")}, 2'000));
  ASSERT_TRUE(bench.agent().compact());
  bench.model.will(answer_that_cost({text_of_model("fine")}, 50));
  bench.turn("Still there?");
  EXPECT_EQ(bench.agent().usage().tokens - before, 1'010U + 2'010U + 60U);
  bench.model.will(answer_that_cost({text_of_model(" ")}, 300));
  bench.model.will(answer_that_cost({}, 400));
  EXPECT_FALSE(bench.agent().compact());
  bench.model.will(answer_that_cost({text_of_model("fine")}, 50));
  bench.turn("And now?");
  EXPECT_EQ(bench.agent().usage().tokens - before, 1'010U + 2'010U + 60U + 310U + 410U + 60U);
  const auto tokens = bench.agent().usage().tokens;
  bench.reopen();
  EXPECT_EQ(bench.agent().usage().tokens, tokens);
}

TEST_F(Compacting, ASummaryHasRoomBesideWhatIsThought) {
  bench.options.thinking = JsonObject{{"type", "enabled"}, {"budget_tokens", 30'000}};
  bench.options.output_tokens_max = 62'000;
  bench.model.will_answer({text_of_model("hi")});
  bench.turn("hello");
  bench.model.will_answer({text_of_model("they said hello")});
  ASSERT_TRUE(bench.agent().compact());
  EXPECT_EQ(bench.model.requests().back().output_tokens_max, 30'000 + kSummaryTokensMax);
}

TEST_F(Compacting, AnAbortEndsItAndTheConversationStaysAsItWas) {
  fill_context();
  bench.model.answer = [&](const ModelRequest& request) {
    EXPECT_TRUE(asks_for_a_summary(request));
    bench.agent().abort();
    return std::vector<ModelEvent>{};  // it is never finished
  };
  EXPECT_EQ(bench.turn("Why?").reason, TurnReason::aborted_streaming);
  EXPECT_EQ(bench.history().size(), 3U);
  expect_a_history_that_the_api_takes();

  const auto compacted = bench.agent().compact();
  ASSERT_FALSE(compacted);
  EXPECT_EQ(compacted.error().code, Errc::cancelled);
  bench.model.answer = nullptr;
  bench.model.will_answer({text_of_model("a summary")});
  EXPECT_TRUE(bench.agent().compact());
}

TEST_F(Compacting, AResumedSessionHasTheSameShorterHistoryAndKnowsWhatItCost) {
  fill_context();
  bench.model.will(answer_that_cost({text_of_model("it is 42")}, 190'100));
  bench.model.will_answer({call_of_model("1", "Look")});
  bench.model.will_answer({text_of_model("fine")});
  bench.turn("Why?");
  const History before = bench.history();
  const auto tokens = bench.agent().usage().tokens;
  bench.reopen();
  EXPECT_EQ(bench.agent().usage().tokens, tokens);
  ASSERT_EQ(bench.history().size(), before.size());
  for (std::size_t i = 0; i < before.size(); ++i) EXPECT_EQ(bench.history()[i].content, before[i].content);
}

TEST_F(Compacting, AResultThatIsOutOfSightIsGivenInFullAgain) {
  const std::string text(5'000, 's');
  bench.add_reader("Long", text);
  bench.model.will(answer_that_cost({call_of_model("1", "Long")}, 190'000));
  bench.model.will_answer({text_of_model("they looked")});
  bench.model.will_answer({call_of_model("2", "Long")});
  bench.model.will_answer({text_of_model("fine")});
  bench.turn("look twice");
  EXPECT_NE(bench.model.requests().back().history->back().content.find(text), std::string::npos);
}

}  // namespace
}  // namespace deft
