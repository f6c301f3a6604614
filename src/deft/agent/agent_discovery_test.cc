#include <gtest/gtest.h>

#include "deft/testing/agent_bench.h"
#include "deft/tools/plan_mode.h"
#include "deft/tools/tool_search.h"

namespace deft {
namespace {

using Names = std::vector<std::string>;

std::shared_ptr<Tool> server_tool(std::string name) {
  return std::make_shared<LambdaTool>(LambdaTool::Parts{
      .spec = {.name = std::move(name),
               .description = "d",
               .input_schema =
                   *parse_json(R"({"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]})"),
               .origin = Origin::mcp},
      .run = [](const Json&, ToolIo&) -> Result<ToolResult> { return ToolResult{.text = "ran"}; }});
}

std::vector<std::shared_ptr<Tool>> server(const Names& names) {
  std::vector<std::shared_ptr<Tool>> tools;
  for (const std::string& name : names) tools.push_back(server_tool(name));
  return tools;
}

AgentOptions deferring(bool by_reference = false) {
  return {.deferral = {.when = Deferral::When::always, .by_reference = by_reference}};
}

Names defined(const ModelRequest& request) {
  Names names;
  const Json list = *parse_json(request.tools.str());
  for (const Json& tool : list.get_array()) names.emplace_back(*find_string(tool, "name"));
  return names;
}

std::string all_told(const ModelRequest& request) {
  std::string text;
  for (const HistoryMessage& message : *request.history) text += message.content + "\n";
  return text;
}

// What an agent with ToolSearch, a tool of its own and a server's tools is asked and told.
struct Bench : AgentBench {
  explicit Bench(AgentOptions given = deferring()) : AgentBench(std::move(given)) {
    add_tool(make_tool_search_tool());
    add_reader("Look", "seen");
    serve({"mcp__a__x", "mcp__a__y"});
  }
  void serve(const Names& names) { agent().feed(ToolsChanged{"a", server(names)}); }
  void will_search(const std::string& id, const std::string& query) {
    model.will_answer({call_of_model(id, "ToolSearch", JsonObject{{"query", query}})});
  }
};

TEST(Discovery, TheModelIsToldNamesOnceAndGetsDefinitionsWhenItLoadsThem) {
  Bench bench;
  bench.will_search("1", "select:mcp__a__y");
  bench.model.will_answer({call_of_model("2", "mcp__a__y", JsonObject{{"n", 1}})});
  bench.model.will_answer({text_of_model("Done.")});
  ASSERT_EQ(bench.turn("go").reason, TurnReason::completed);
  const auto requests = bench.model.requests();
  ASSERT_EQ(requests.size(), 3U);
  EXPECT_EQ(defined(requests[0]), (Names{"Look", "ToolSearch"}));
  EXPECT_EQ(defined(requests[1]), (Names{"Look", "ToolSearch", "mcp__a__y"}));
  EXPECT_EQ(requests[2].tools, requests[1].tools);
  EXPECT_TRUE(requests[1].tools.str().starts_with(requests[0].tools.str().substr(0, requests[0].tools.size() - 1)));
  const std::string last = all_told(requests[2]);
  EXPECT_EQ(last.find("mcp__a__x\\n"), last.rfind("mcp__a__x\\n")) << "told once";
  EXPECT_NE(last.find("mcp__a__x\\n"), std::string::npos);
  EXPECT_NE(last.find("\"content\":\"ran\""), std::string::npos);
  for (std::size_t i = 0; i + 1 < requests.size(); ++i) {
    EXPECT_TRUE(all_told(requests[i + 1]).starts_with(all_told(requests[i]))) << "the beginning keeps its bytes";
  }
}

TEST(Discovery, WhereTheApiLoadsToolsItselfTheDefinitionsNeverChange) {
  Bench bench(deferring(true));
  bench.will_search("1", "select:mcp__a__y");
  bench.model.will_answer({text_of_model("Done.")});
  bench.turn("go");
  const auto requests = bench.model.requests();
  EXPECT_EQ(requests[0].tools, requests[1].tools);
  EXPECT_NE(requests[0].tools.str().find(R"("defer_loading":true)"), std::string::npos);
  EXPECT_NE(all_told(requests[1]).find(R"([{"type":"tool_reference","tool_name":"mcp__a__y"}])"), std::string::npos)
      << all_told(requests[1]);
}

TEST(Discovery, ACallToAToolThatWasNotLoadedIsTaughtHowIfItsInputIsWrong) {
  Bench bench;
  bench.model.will_answer(
      {call_of_model("1", "mcp__a__x", JsonObject{{"m", 1}}), call_of_model("2", "mcp__a__x", JsonObject{{"n", 1}})});
  bench.model.will_answer({text_of_model("Done.")});
  bench.turn("go");
  const auto answers = bench.frontend.all<CallAnswered>();
  ASSERT_EQ(answers.size(), 2U);
  EXPECT_NE(answers[0].result.text.find("InputValidationError"), std::string::npos);
  EXPECT_NE(answers[0].result.text.find("\"select:mcp__a__x\""), std::string::npos) << answers[0].result.text;
  EXPECT_EQ(answers[1].result.text, "ran");
}

TEST(Discovery, WhatComesAndGoesLaterIsToldLater) {
  Bench bench;
  bench.model.will_answer({text_of_model("One.")});
  bench.turn("go");
  bench.serve({"mcp__a__y", "mcp__a__z"});
  bench.model.will_answer({text_of_model("Two.")});
  bench.turn("on");
  const std::string last = (*bench.model.requests()[1].history).back().content;
  EXPECT_NE(last.find("mcp__a__z"), std::string::npos) << last;
  EXPECT_NE(last.find("not available any more:\\nmcp__a__x"), std::string::npos) << last;
  EXPECT_EQ(last.find("mcp__a__y"), std::string::npos) << last;
}

TEST(Discovery, AServerThatRenamesItsToolsAllTheTimeDoesNotFillTheContext) {
  Bench bench;
  const auto all_words = [&] { return all_told(bench.model.requests().back()).size(); };
  std::vector<std::size_t> sizes;
  for (int round = 0; round < 40; ++round) {
    Names names;
    for (int i = 0; i < 100; ++i) {
      names.push_back("mcp__a__a_rather_long_name_" + std::to_string(round) + "_" + std::to_string(i));
    }
    bench.serve(names);
    bench.model.will_answer({text_of_model("Well.")});
    bench.turn("go");
    sizes.push_back(all_words());
  }
  EXPECT_LT(sizes.back(), 120'000U);
  EXPECT_NE(all_told(bench.model.requests().back()).find("not told of it any more"), std::string::npos);
  EXPECT_LT(sizes.back() - sizes[38], 1'000U) << "the last rounds add nothing but their own words";
}

TEST(Discovery, WhatWasLoadedAndToldSurvivesResuming) {
  Bench bench;
  bench.will_search("1", "select:mcp__a__y");
  bench.model.will_answer({text_of_model("Done.")});
  bench.turn("go");
  bench.reopen();
  bench.serve({"mcp__a__x", "mcp__a__y"});
  bench.model.will_answer({text_of_model("Again.")});
  bench.turn("on");
  const auto requests = bench.model.requests();
  EXPECT_EQ(requests[2].tools, requests[1].tools);
  EXPECT_EQ(requests[2].history->back().content.find("mcp__a__x"), std::string::npos) << "nothing is new";
}

TEST(Discovery, AfterTheContextWasForgottenNamesAreToldAgainAndLoadedToolsAreListed) {
  Bench bench(deferring(true));
  bench.will_search("1", "select:mcp__a__y");
  bench.model.will_answer({text_of_model("Done.")});
  bench.turn("go");
  bench.agent().feed(ContextForgotten{});
  bench.model.will_answer({text_of_model("Again.")});
  bench.turn("on");
  const auto requests = bench.model.requests();
  EXPECT_NE(requests[2].history->back().content.find("mcp__a__x"), std::string::npos);
  EXPECT_EQ(defined(requests[2]), (Names{"Look", "ToolSearch", "mcp__a__y", "mcp__a__x"}));
}

TEST(Discovery, ChangedToolsCountFromTheNextMessageOn) {
  EngineBench bench;
  bench.feed(ToolsChanged{"a", server({"mcp__a__x", "not a name"})});
  bench.call("1", "mcp__a__x", JsonObject{{"n", 1}});
  bench.frontend.wait_for<CallAnswered>(1);
  bench.feed(ToolsChanged{"a", {}});
  bench.feed(MessageEnded{});
  bench.call("2", "mcp__a__x", JsonObject{{"n", 1}});
  bench.finish();
  EXPECT_EQ(bench.answers()[0].result.text, "ran");
  EXPECT_NE(bench.answers()[1].result.text.find("No such tool"), std::string::npos);
  EXPECT_NE(bench.frontend.all<Notice>().at(0).text.find("\"not a name\" of a is not used"), std::string::npos);
}

TEST(UnorderedExecutor, AnswersEachCallWhenItHasFinishedAndStopsTheOneThatIsTakenBack) {
  EngineBench bench({.executor = {.in_order = false}});
  bench.add_tool({.spec = {.name = "Wait", .input_schema = any_object_schema()},
                  .run = [](const Json&, ToolIo&) -> Result<ToolResult> { return ToolResult{.text = "waited"}; },
                  .is_read_only = [](const Json&) { return true; },
                  .wait_for = [](const Json&, ToolIo&) { return std::optional(Wait{}); }});
  bench.add_tool({.spec = {.name = "Now", .input_schema = any_object_schema()},
                  .run = [](const Json&, ToolIo&) -> Result<ToolResult> { return ToolResult{.text = "now"}; },
                  .is_read_only = [](const Json&) { return true; }});
  bench.call("1", "Wait");
  bench.call("2", "Now");
  EXPECT_EQ(bench.frontend.wait_for<CallAnswered>(1).call_id, "2");
  bench.feed(CallCancelled{"1"});
  const CallAnswered stopped = bench.frontend.wait_for<CallAnswered>(2);
  EXPECT_EQ(stopped.call_id, "1");
  EXPECT_EQ(stopped.result.error, Errc::cancelled);
  bench.call("3", "Now");
  EXPECT_EQ(bench.frontend.wait_for<CallAnswered>(3).result.text, "now");
  bench.finish();
}

// It ends with the process and nobody has approved anything.
TEST(PlanModeOfASession, OutlivesTheProcessUntilAPersonChoosesAMode) {
  AgentBench bench;
  bench.add_tool(make_enter_plan_mode_tool());
  bench.add_effect("Do");
  bench.model.will_answer({call_of_model("1", "EnterPlanMode")});
  bench.model.will_answer({text_of_model("I plan.")});
  bench.turn("go");
  bench.reopen();
  EXPECT_EQ(bench.agent().engine().permissions()->mode(), Mode::plan) << bench.journal_text();
  bench.model.will_answer({call_of_model("2", "Do")});
  bench.model.will_answer({text_of_model("It is not allowed.")});
  bench.turn("go on");
  EXPECT_TRUE(bench.effects.empty());
  EXPECT_NE(bench.model.requests().back().history->end()[-3].content.find("Plan mode is on"), std::string::npos);

  bench.options.mode_is_chosen = true;
  bench.reopen();
  EXPECT_EQ(bench.agent().engine().permissions()->mode(), Mode::bypass);
  bench.model.will_answer({call_of_model("3", "Do")});
  bench.model.will_answer({text_of_model("Done.")});
  bench.turn("do it");
  EXPECT_EQ(bench.effects.size(), 1U);
  EXPECT_NE(bench.model.requests().back().history->end()[-3].content.find("Plan mode was turned off"),
            std::string::npos);

  bench.options.mode_is_chosen = false;
  bench.reopen();
  EXPECT_EQ(bench.agent().engine().permissions()->mode(), Mode::bypass) << "that was said";
}

}  // namespace
}  // namespace deft
