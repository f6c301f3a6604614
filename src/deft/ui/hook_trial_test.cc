#include "deft/ui/hook_trial.h"

#include <gtest/gtest.h>

namespace deft {
namespace {

TEST(HookTrial, SaysWhatWouldHappen) {
  EXPECT_EQ(describe_outcome(HookEvent::pre_tool_use, {}), "nothing changes");
  EXPECT_EQ(describe_outcome(HookEvent::pre_tool_use, {.verdict = HookVerdict::deny, .reason = "no"}),
            "the call is denied: no");
  EXPECT_EQ(describe_outcome(HookEvent::stop, {.blocked = true, .block_reason = "tests fail"}),
            "the turn goes on, and the model is told: tests fail");
  EXPECT_EQ(describe_outcome(HookEvent::user_prompt_submit, {.context = {"it is Monday"}, .stops = true}),
            "the model is told: it is Monday; no further request is sent to the model");
}

TEST(HookTrial, WhatAHookPrintedCannotMoveTheTerminal) {
  const HookOutcome outcome{.reports = {{.hook = "h", .source = "s", .output = "\x1b[2Jx"}}};
  const std::string text = trial_text({.event = HookEvent::stop}, outcome);
  EXPECT_FALSE(text.contains('\x1b'));
  EXPECT_TRUE(text.contains("stdout: \\x1b[2Jx")) << text;
}

TEST(HookTrial, ListsEveryHookWithItsFileAndWhetherItIsBroken) {
  HookConfig config;
  add_hooks(
      parse_json(
          R"({"Stop":[{"matcher":"x","hooks":[{"type":"command","command":"a","timeout":2.5,"async":true},{"type":"command","onFailure":"block"}]}]})")
          .value(),
      SettingSource::user, "f.json", config);
  const std::string text = hooks_text(config);
  EXPECT_TRUE(text.contains("x  command  a\n      from f.json, 2.5 s, in the background")) << text;
  EXPECT_TRUE(text.contains("broken")) << text;
  EXPECT_EQ(hooks_json(config).size(), 2U);
}

}  // namespace
}  // namespace deft
