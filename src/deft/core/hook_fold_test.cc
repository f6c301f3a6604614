#include "deft/core/hook_fold.h"

#include <gtest/gtest.h>

namespace deft {
namespace {

AnsweredHook says(HookVerdict verdict, std::string reason = {}) {
  return {.answer = {.verdict = verdict, .reason = std::move(reason)}, .report = {}};
}

TEST(HookFold, DenyBeatsDeferBeatsAskBeatsAllow) {
  using enum HookVerdict;
  EXPECT_EQ(fold_hooks({says(allow), says(deny), says(ask)}).verdict, deny);
  EXPECT_EQ(fold_hooks({says(ask), says(defer), says(allow)}).verdict, defer);
  EXPECT_EQ(fold_hooks({says(allow), says(ask)}).verdict, ask);
  EXPECT_EQ(fold_hooks({says(allow)}).verdict, allow);
  EXPECT_FALSE(fold_hooks({}).verdict);
}

TEST(HookFold, TheReasonsOfThoseWhoDecidedAreJoined) {
  const auto outcome = fold_hooks(
      {says(HookVerdict::deny, "first"), says(HookVerdict::allow, "fine by me"), says(HookVerdict::deny, "second")});
  EXPECT_EQ(outcome.reason, "first\nsecond");
}

TEST(HookFold, OfSeveralReplacementsTheLastCounts) {
  AnsweredHook first{.answer = {.updated_input = JsonObject{{"a", 1}}}, .report = {}};
  AnsweredHook second{.answer = {.updated_input = JsonObject{{"a", 2}}}, .report = {}};
  EXPECT_EQ(*fold_hooks({first, second}).updated_input, Json(JsonObject{{"a", 2}}));
}

TEST(HookFold, AnAllowIsNotAboutAnInputThatAnotherHookPutInItsPlace) {
  AnsweredHook replaces{.answer = {.updated_input = JsonObject{{"command", "rm x"}}}, .report = {}};
  EXPECT_FALSE(fold_hooks({says(HookVerdict::allow), replaces}).verdict);
  EXPECT_EQ(fold_hooks({says(HookVerdict::ask), replaces}).verdict, HookVerdict::ask);
  replaces.answer.verdict = HookVerdict::allow;
  EXPECT_EQ(fold_hooks({says(HookVerdict::allow), replaces}).verdict, HookVerdict::allow);
}

TEST(HookFold, ADeniedPermissionBeatsAGrantedOneInAnyOrder) {
  AnsweredHook yes{.answer = {.permission = HookPermission{.allow = true}}, .report = {}};
  AnsweredHook no{.answer = {.permission = HookPermission{.allow = false, .message = "no"}}, .report = {}};
  EXPECT_FALSE(fold_hooks({yes, no}).permission->allow);
  EXPECT_FALSE(fold_hooks({no, yes}).permission->allow);
  EXPECT_EQ(fold_hooks({no, yes, no}).permission->message, "no\nno");
}

TEST(HookFold, ContextAndMessagesComeInTheOrderOfTheSettingsAndReportsOfAll) {
  AnsweredHook one{.answer = {.context = "1", .message = "m1"}, .report = {.hook = "a"}};
  AnsweredHook two{.answer = {.end = HookReport::End::failed, .error = "bad", .context = "2"}, .report = {.hook = "b"}};
  const auto outcome = fold_hooks({one, two});
  EXPECT_EQ(outcome.context, (std::vector<std::string>{"1", "2"}));
  EXPECT_EQ(outcome.messages, std::vector<std::string>{"m1"});
  ASSERT_EQ(outcome.reports.size(), 2U);
  EXPECT_EQ(outcome.reports[1].end, HookReport::End::failed);
  EXPECT_EQ(outcome.reports[1].error, "bad");
}

TEST(HookFold, OneWhoStopsIsEnoughAndOneWhoWasCancelledToo) {
  AnsweredHook stops{.answer = {.stops = true, .stop_reason = "enough"}, .report = {}};
  AnsweredHook cancelled{.answer = {.end = HookReport::End::cancelled}, .report = {}};
  const auto outcome = fold_hooks({says(HookVerdict::allow), stops, cancelled});
  EXPECT_TRUE(outcome.stops);
  EXPECT_EQ(outcome.stop_reason, "enough");
  EXPECT_TRUE(outcome.cancelled);
}

}  // namespace
}  // namespace deft
