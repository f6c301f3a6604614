#include "deft/core/hook_answer.h"

#include <gtest/gtest.h>

namespace deft {
namespace {

using End = HookReport::End;

HookAnswer answer(HookEvent event, int exit_code, std::string output, std::string errors = {}, bool blocks = false) {
  return answer_of_program(event, {.exit_code = exit_code, .output = std::move(output), .errors = std::move(errors)},
                           blocks);
}
HookAnswer pre(int exit_code, std::string output, std::string errors = {}) {
  return answer(HookEvent::pre_tool_use, exit_code, std::move(output), std::move(errors));
}
std::string specific(HookEvent event, std::string_view fields) {
  return R"({"hookSpecificOutput":{"hookEventName":")" + std::string(to_string(event)) + R"(",)" + std::string(fields) +
         "}}";
}
std::string decision(std::string_view word, std::string_view more = {}) {
  return specific(HookEvent::pre_tool_use, R"("permissionDecision":")" + std::string(word) +
                                               R"(","permissionDecisionReason":"why")" + std::string(more));
}

TEST(HookAnswer, AHookThatSaysNothingChangesNothing) {
  const auto said = pre(0, "");
  EXPECT_EQ(said.end, End::fine);
  EXPECT_FALSE(said.verdict);
  EXPECT_FALSE(said.blocks);
}

TEST(HookAnswer, PlainTextIsContextOnlyWhereItMeansThat) {
  EXPECT_EQ(answer(HookEvent::session_start, 0, "hello\n").context, "hello");
  EXPECT_EQ(answer(HookEvent::user_prompt_submit, 0, "hello\n").context, "hello");
  EXPECT_EQ(pre(0, "hello\n").context, "");
  EXPECT_EQ(pre(0, "hello\n").end, End::fine);
}

TEST(HookAnswer, TheDecisionOfAPreToolUseHook) {
  EXPECT_EQ(pre(0, decision("allow")).verdict, HookVerdict::allow);
  EXPECT_EQ(pre(0, decision("ask")).verdict, HookVerdict::ask);
  EXPECT_EQ(pre(0, decision("defer")).verdict, HookVerdict::defer);
  const auto denied = pre(0, decision("deny"));
  EXPECT_EQ(denied.verdict, HookVerdict::deny);
  EXPECT_EQ(denied.reason, "why");
  EXPECT_EQ(denied.end, End::blocked);
}

TEST(HookAnswer, TheOldWordsStillDecide) {
  EXPECT_EQ(pre(0, R"({"decision":"approve","reason":"ok"})").verdict, HookVerdict::allow);
  EXPECT_EQ(pre(0, R"({"decision":"block","reason":"no"})").verdict, HookVerdict::deny);
  const std::string both = R"({"decision":"approve",)" + decision("deny").substr(1);
  EXPECT_EQ(pre(0, both).verdict, HookVerdict::deny) << "said twice: the stronger word counts";
}

TEST(HookAnswer, TwoBlocksWithWhatWasPrintedAsErrors) {
  const auto denied = pre(2, "", "not here\n");
  EXPECT_EQ(denied.verdict, HookVerdict::deny);
  EXPECT_EQ(denied.reason, "not here");
  EXPECT_FALSE(pre(2, "").reason.empty());
}

TEST(HookAnswer, TwoIsNotLiftedByAnAllow) {
  const auto denied = pre(2, decision("allow", R"(,"updatedInput":{"a":1})"), "no");
  EXPECT_EQ(denied.verdict, HookVerdict::deny);
  EXPECT_EQ(denied.reason, "no");
  EXPECT_FALSE(denied.updated_input);
}

TEST(HookAnswer, TwoWithAReasonInJsonKeepsThatReason) {
  EXPECT_EQ(pre(2, decision("deny"), "other words").reason, "why");
  const auto blocked = answer(HookEvent::post_tool_use, 2, R"({"decision":"block","reason":"in JSON"})", "on stderr");
  EXPECT_EQ(blocked.block_reason, "in JSON");
}

TEST(HookAnswer, TwoBlocksAlsoWithJsonThatIsNotValid) {
  EXPECT_EQ(pre(2, R"({"continue":"perhaps"})", "no").verdict, HookVerdict::deny);
  EXPECT_EQ(pre(2, R"({"half)", "no").verdict, HookVerdict::deny);
}

TEST(HookAnswer, WhereTwoMeansNothingItIsShownAndNothingElse) {
  for (const HookEvent event : {HookEvent::permission_request, HookEvent::notification, HookEvent::session_start,
                                HookEvent::session_end, HookEvent::subagent_start, HookEvent::post_compact}) {
    const auto said = answer(event, 2, "", "no");
    EXPECT_EQ(said.end, End::failed) << to_string(event);
    EXPECT_EQ(said.error, "no");
    EXPECT_FALSE(said.blocks || said.permission || said.stops) << to_string(event);
  }
}

TEST(HookAnswer, AnyOtherCodeIsAnErrorThatBlocksNothing) {
  const auto failed = pre(1, "", "first line\nsecond line");
  EXPECT_EQ(failed.end, End::failed);
  EXPECT_TRUE(failed.error.contains("first line") && !failed.error.contains("second")) << failed.error;
  EXPECT_FALSE(failed.verdict);
  EXPECT_EQ(pre(127, "", "sh: 1: nope: not found").end, End::failed);
}

TEST(HookAnswer, WithValidJsonAnyOtherCodeDoesNotMatter) {
  EXPECT_EQ(pre(1, decision("deny")).verdict, HookVerdict::deny);
  EXPECT_EQ(pre(1, decision("allow")).verdict, HookVerdict::allow);
}

TEST(HookAnswer, HalfAJsonIsPlainTextAndAllowsNothing) {
  const auto half = pre(0, decision("allow").substr(0, 60));
  EXPECT_FALSE(half.verdict);
  EXPECT_EQ(half.end, End::failed) << "people should know";
}

TEST(HookAnswer, OfAnInvalidAnswerOnlyThatCountsWhichForbids) {
  const auto allowed = pre(0, decision("allow", R"(,"additionalContext":5)"));
  EXPECT_FALSE(allowed.verdict);
  EXPECT_EQ(allowed.end, End::failed);
  const auto denied = pre(0, decision("deny", R"(,"additionalContext":5)"));
  EXPECT_EQ(denied.verdict, HookVerdict::deny);
  EXPECT_FALSE(pre(0, decision("allow", R"(,"updatedInput":"text")")).verdict);
  EXPECT_EQ(pre(0, R"({"decision":"maybe"})").end, End::failed);
  const auto of_another = pre(0, specific(HookEvent::stop, R"("permissionDecision":"allow")"));
  EXPECT_FALSE(of_another.verdict) << "an answer to another event";
}

TEST(HookAnswer, AFieldThatIsNullIsAsGoodAsMissing) {
  const auto said =
      pre(0, R"({"continue":null,"decision":null,"reason":null,"systemMessage":"hi","hookSpecificOutput":null})");
  EXPECT_EQ(said.end, End::fine);
  EXPECT_EQ(said.message, "hi");
  EXPECT_FALSE(said.stops);
}

TEST(HookAnswer, AnInputIsReplacedWhole) {
  const auto said = pre(0, decision("allow", R"(,"updatedInput":{"command":"ls"})"));
  EXPECT_EQ(*said.updated_input, Json(JsonObject{{"command", "ls"}}));
}

TEST(HookAnswer, ContinueFalseStopsWithItsReasonForTheUser) {
  const auto said = answer(HookEvent::post_tool_use, 0, R"({"continue":false,"stopReason":"enough"})");
  EXPECT_TRUE(said.stops);
  EXPECT_EQ(said.stop_reason, "enough");
  EXPECT_FALSE(said.blocks);
}

TEST(HookAnswer, ABlockedBatchStopsTheTurn) {
  EXPECT_TRUE(answer(HookEvent::post_tool_batch, 2, "", "broken build").stops);
  const auto said = answer(HookEvent::post_tool_batch, 0, R"({"decision":"block","reason":"r"})");
  EXPECT_TRUE(said.stops && said.blocks);
  EXPECT_EQ(said.stop_reason, "r");
}

TEST(HookAnswer, OutputMayBeReplacedAfterACall) {
  const auto said =
      answer(HookEvent::post_tool_use, 0,
             specific(HookEvent::post_tool_use, R"("updatedToolOutput":{"a":1},"updatedMCPToolOutput":"x")"));
  EXPECT_EQ(*said.updated_output, Json(JsonObject{{"a", 1}}));
  EXPECT_EQ(*said.updated_mcp_output, Json("x"));
}

TEST(HookAnswer, APermissionIsAnsweredInAPersonsPlace) {
  const HookEvent event = HookEvent::permission_request;
  const auto yes = answer(
      event, 0,
      specific(event,
               R"("decision":{"behavior":"allow","updatedInput":{"a":1},"updatedPermissions":[{"type":"setMode"}]})"));
  ASSERT_TRUE(yes.permission);
  EXPECT_TRUE(yes.permission->allow);
  EXPECT_EQ(yes.permission->updated_permissions.size(), 1U);
  const auto no = answer(event, 0, specific(event, R"("decision":{"behavior":"deny","message":"m","interrupt":true})"));
  EXPECT_FALSE(no.permission->allow);
  EXPECT_TRUE(no.permission->interrupt);
  EXPECT_FALSE(answer(event, 0, specific(event, R"("decision":{"behavior":"perhaps"})")).permission);
  EXPECT_FALSE(answer(event, 2, specific(event, R"("decision":{"behavior":"allow"})")).permission);
}

TEST(HookAnswer, WhateverEndsAHookBesideItselfIsAFailure) {
  for (const auto how : {HookEnd::How::crashed, HookEnd::How::timed_out, HookEnd::How::not_started}) {
    const auto said =
        answer_of_program(HookEvent::pre_tool_use, {.how = how, .output = decision("allow"), .detail = "d"}, false);
    EXPECT_EQ(said.end, End::failed);
    EXPECT_FALSE(said.verdict) << "what it printed before does not count";
    const auto strict = answer_of_program(HookEvent::pre_tool_use, {.how = how}, true);
    EXPECT_EQ(strict.verdict, HookVerdict::deny);
  }
  EXPECT_EQ(answer_of_program(HookEvent::pre_tool_use, {.how = HookEnd::How::cancelled}, true).end, End::cancelled);
}

TEST(HookAnswer, BlockOnFailureCountsEveryFailureAsTwo) {
  EXPECT_EQ(answer(HookEvent::pre_tool_use, 1, "", "x", true).verdict, HookVerdict::deny);
  EXPECT_EQ(answer(HookEvent::pre_tool_use, 0, "{half", "", true).verdict, HookVerdict::deny);
  EXPECT_EQ(answer(HookEvent::pre_tool_use, 0, R"({"continue":3})", "", true).verdict, HookVerdict::deny);
  EXPECT_FALSE(answer(HookEvent::pre_tool_use, 0, "fine", "", true).verdict);
  EXPECT_TRUE(answer(HookEvent::user_prompt_submit, 1, "", "x", true).blocks);
  EXPECT_FALSE(answer(HookEvent::permission_request, 1, "", "x", true).permission) << "where 2 means nothing";
}

TEST(HookAnswer, MoreThanIsKeptIsNoJsonAnyMore) {
  const auto said =
      answer_of_program(HookEvent::pre_tool_use, {.output = decision("allow"), .output_cut = true}, false);
  EXPECT_FALSE(said.verdict);
}

TEST(HookAnswer, OfAServerOnlySuccessWithNothingOrAnObjectIsAnAnswer) {
  const HookEvent event = HookEvent::pre_tool_use;
  EXPECT_EQ(answer_of_http(event, 204, "", false).end, End::fine);
  EXPECT_EQ(answer_of_http(event, 200, decision("deny"), false).verdict, HookVerdict::deny);
  for (const auto& [status, body] : std::vector<std::pair<int, std::string>>{
           {200, "yes"}, {200, "[]"}, {301, decision("allow")}, {404, ""}, {500, decision("allow")}}) {
    EXPECT_EQ(answer_of_http(event, status, body, false).end, End::failed) << status << body;
    EXPECT_FALSE(answer_of_http(event, status, body, false).verdict) << status << body;
    EXPECT_EQ(answer_of_http(event, status, body, true).verdict, HookVerdict::deny) << status << body;
  }
}

TEST(HookAnswer, AModelSaysOkOrNotOk) {
  EXPECT_EQ(answer_of_model(HookEvent::pre_tool_use, R"({"ok":true})", false, false).end, End::fine);
  const auto no = answer_of_model(HookEvent::pre_tool_use, R"({"ok":false,"reason":"r"})", false, false);
  EXPECT_EQ(no.verdict, HookVerdict::deny);
  EXPECT_TRUE(no.stops);
  EXPECT_FALSE(answer_of_model(HookEvent::pre_tool_use, R"({"ok":false})", true, false).stops);
  const auto stop = answer_of_model(HookEvent::stop, R"({"ok":false,"reason":"tests fail"})", false, false);
  EXPECT_TRUE(stop.blocks && !stop.stops);
  EXPECT_EQ(answer_of_model(HookEvent::permission_request, R"({"ok":false})", false, false).end, End::fine);
  const auto nonsense = answer_of_model(HookEvent::pre_tool_use, "sure, go ahead!", false, false);
  EXPECT_EQ(nonsense.end, End::failed);
  EXPECT_FALSE(nonsense.verdict);
}

TEST(HookAnswer, AHookMaySayThatItGoesOnInTheBackground) {
  EXPECT_TRUE(asks_for_background(R"( {"async":true,"asyncTimeout":250} )"));
  EXPECT_EQ(background_time(R"({"async":true,"asyncTimeout":250})"), std::chrono::milliseconds(250));
  EXPECT_FALSE(background_time(R"({"async":true})"));
  EXPECT_FALSE(asks_for_background(R"({"async":false})"));
  EXPECT_FALSE(asks_for_background("async"));
}

}  // namespace
}  // namespace deft
