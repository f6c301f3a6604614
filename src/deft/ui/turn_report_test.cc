#include "deft/ui/turn_report.h"

#include <gtest/gtest.h>

namespace deft {
namespace {

TEST(TurnReport, EveryEndHasAMeaningAndAnErrorHasNoResult) {
  const SessionUsage usage;
  const PriceSettings prices;
  for (const TurnReason reason :
       {TurnReason::completed, TurnReason::max_turns, TurnReason::budget_exhausted, TurnReason::aborted_streaming,
        TurnReason::aborted_tools, TurnReason::hook_stopped, TurnReason::prompt_blocked, TurnReason::refusal,
        TurnReason::prompt_too_long, TurnReason::model_error, TurnReason::structured_output_failed,
        TurnReason::tool_deferred, TurnReason::tool_deferred_unavailable}) {
    const TurnEnd end{.reason = reason, .text = "text", .stop_reason = "end_turn", .explanation = "because"};
    const Json line = TurnReport().result(end, {.id = "s", .usage = usage, .prices = prices}, "u");
    const bool is_success = find_string(line, "subtype") == "success";
    EXPECT_EQ(find(line, "result") != nullptr, is_success) << to_json(line);
    EXPECT_EQ(find_array(line, "errors") != nullptr, !is_success) << to_json(line);
    if (!is_success) {
      EXPECT_EQ(find_bool(line, "is_error"), true) << to_json(line);
    }
    EXPECT_NE(find_string(line, "terminal_reason"), std::nullopt);
  }
}

TEST(TurnReport, UseIsThatOfTheTurnAndCostThatOfTheSession) {
  TurnReport report;
  const auto say = [&](std::int64_t tokens) {
    report.note(RequestSent{.model = "m"});
    report.note(MessageCompleted{.message = {.usage = JsonObject{{"input_tokens", tokens}, {"output_tokens", 1}}}});
  };
  report.begin();
  say(100);
  report.begin();
  say(10);
  say(1);
  SessionUsage usage{.cost = 4.5};
  usage.by_model["m"] = {.input = 111, .output = 3};
  const PriceSettings prices;
  const Json line = report.result({}, {.id = "s", .usage = usage, .prices = prices}, "u");
  EXPECT_EQ(find_int(*find(line, "usage"), "input_tokens"), 11);
  EXPECT_EQ(find_number(line, "total_cost_usd"), 4.5);
  EXPECT_EQ(find_int(*find(*find(line, "modelUsage"), "m"), "inputTokens"), 111);
}

TEST(TurnReport, UseHasEveryFieldOfItsApiAlsoWhereItsApiDidNotSay) {
  const SessionUsage usage;
  const PriceSettings prices;
  TurnReport report;
  const auto told = [&] {
    return *find(report.result({}, {.id = "s", .usage = usage, .prices = prices}, "u"), "usage");
  };
  report.begin();
  const char* const kNothing =
      R"({"input_tokens":0,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":0,)"
      R"("cache_creation":{"ephemeral_5m_input_tokens":0,"ephemeral_1h_input_tokens":0},)"
      R"("output_tokens_details":{"thinking_tokens":0},)"
      R"("server_tool_use":{"web_search_requests":0,"web_fetch_requests":0},)"
      R"("service_tier":"standard","speed":"standard","inference_geo":"","iterations":[],"fallback_credit":null})";
  EXPECT_EQ(to_json(told()), kNothing);
  for (int i = 0; i < 2; ++i) {
    report.note(MessageCompleted{
        .message = {.usage = *parse_json(R"({"output_tokens":9,"output_tokens_details":{"thinking_tokens":4},)"
                                         R"("cache_creation":{"ephemeral_1h_input_tokens":7},"service_tier":"batch",)"
                                         R"("inference_geo":"eu","speed":null})")}});
  }
  report.note(
      MessageCompleted{.message = {.usage = *parse_json(R"({"completion_tokens_details":{"reasoning_tokens":1}})")}});
  const Json use = told();
  EXPECT_EQ(find_int(*find(use, "output_tokens_details"), "thinking_tokens"), 9);
  EXPECT_EQ(find_int(*find(use, "cache_creation"), "ephemeral_1h_input_tokens"), 14);
  EXPECT_EQ(find_string(use, "service_tier"), "batch");
  EXPECT_EQ(find_string(use, "inference_geo"), "eu");
  EXPECT_EQ(find_string(use, "speed"), "standard");
}

TEST(TurnReport, DenialsNameTheCallAndItsInput) {
  TurnReport report;
  report.begin();
  report.note(
      BlockCompleted{ToolUseBlock{{"t1", "Bash", JsonObject{{"command", "rm"}}, R"({"command":"rm"})", {}}, {}}});
  report.note(CallAnswered{"t1", "Bash", engine_error(Errc::denied, "no"), {}});
  report.note(CallAnswered{"t2", "Bash", engine_error(Errc::failed, "broken"), {}});
  EXPECT_EQ(report.tool_of("t1"), "Bash");
  const SessionUsage usage;
  const PriceSettings prices;
  const Json line = report.result({}, {.id = "s", .usage = usage, .prices = prices}, "u");
  EXPECT_EQ(to_json(*find(line, "permission_denials")),
            R"([{"tool_name":"Bash","tool_use_id":"t1","tool_input":{"command":"rm"}}])");
}

TEST(TurnReport, WhyTheModelDeclinedIsSaidWhereItSaidNothingElse) {
  TurnEnd end{.reason = TurnReason::refusal};
  EXPECT_EQ(text_of_result(end), "The model declined to answer.");
  end.explanation = "not that";
  EXPECT_EQ(text_of_result(end), "The model declined to answer: not that");
  end.text = "words";
  EXPECT_EQ(text_of_result(end), "words");
}

TEST(TurnReport, AStructuredAnswerIsTheText) {
  TurnEnd end{.reason = TurnReason::completed, .text = "words", .stop_reason = "tool_use"};
  EXPECT_EQ(text_of_result(end), "words");
  end.structured_output = JsonObject{{"a", 1}};
  EXPECT_EQ(text_of_result(end), R"({"a":1})");
  const SessionUsage usage;
  const PriceSettings prices;
  const Json line = TurnReport().result(end, {.id = "s", .usage = usage, .prices = prices}, "u");
  EXPECT_EQ(find_string(line, "stop_reason"), "end_turn");  // though the model's last word was a call
}

}  // namespace
}  // namespace deft
