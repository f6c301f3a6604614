#include "deft/core/hook_config.h"

#include <gtest/gtest.h>

namespace deft {
namespace {

HookConfig config_of(std::string_view json, SettingSource source = SettingSource::user) {
  HookConfig config;
  add_hooks(parse_json(json).value(), source, "s.json", config);
  return config;
}

const Hook& only(const HookConfig& config, HookEvent event = HookEvent::pre_tool_use) {
  EXPECT_EQ(config.of(event).size(), 1U);
  EXPECT_TRUE(config.problems.empty()) << config.problems.front();
  return config.of(event).front();
}

std::string in_pre_tool_use(std::string_view handler) {
  return R"({"PreToolUse":[{"matcher":"Bash","hooks":[)" + std::string(handler) + "]}]}";
}

TEST(HookConfig, ACommandIsReadWithAllThatBelongsToIt) {
  const Hook hook = only(config_of(in_pre_tool_use(
      R"-({"type":"command","command":"./check.sh","args":["-v","${CLAUDE_PROJECT_DIR}"],"timeout":1.5,
          "if":"Bash(rm *)","statusMessage":"Checking","onFailure":"block"})-")));
  EXPECT_EQ(hook.type, HookType::command);
  EXPECT_EQ(hook.command, "./check.sh");
  EXPECT_EQ(*hook.args, (std::vector<std::string>{"-v", "${CLAUDE_PROJECT_DIR}"}));
  EXPECT_EQ(*hook.timeout, std::chrono::milliseconds(1500));
  EXPECT_EQ(hook.condition->text, "Bash(rm *)");
  EXPECT_TRUE(hook.blocks_on_failure);
  EXPECT_TRUE(hook.matcher.matches("Bash"));
  EXPECT_FALSE(hook.matcher.matches("Read"));
}

TEST(HookConfig, AsyncRewakeImpliesAsync) {
  const Hook hook = only(config_of(in_pre_tool_use(R"({"type":"command","command":"x","asyncRewake":true})")));
  EXPECT_TRUE(hook.is_async);
  EXPECT_TRUE(hook.wakes_model);
}

TEST(HookConfig, TheOtherTypesHaveTheirOwnFields) {
  const Hook http = only(config_of(in_pre_tool_use(
      R"({"type":"http","url":"https://h/x","headers":{"Authorization":"Bearer $T"},"allowedEnvVars":["T"]})")));
  EXPECT_EQ(http.url, "https://h/x");
  EXPECT_EQ(http.headers.front().second, "Bearer $T");
  EXPECT_EQ(http.allowed_variables, std::vector<std::string>{"T"});
  const Hook tool = only(config_of(
      in_pre_tool_use(R"({"type":"mcp_tool","server":"s","tool":"t","input":{"p":"${tool_input.file_path}"}})")));
  EXPECT_EQ(tool.server + tool.tool, "st");
  const Hook prompt =
      only(config_of(in_pre_tool_use(R"({"type":"prompt","prompt":"Is it safe?","continueOnBlock":true})")));
  EXPECT_TRUE(prompt.continue_on_block);
}

TEST(HookConfig, ABrokenHandlerIsLeftOutAndNamedWithItsPlace) {
  const auto config =
      config_of(R"({"PreToolUse":[{"hooks":[{"type":"command"},{"type":"command","command":"good"}]}],"Nonsense":[]})");
  EXPECT_EQ(config.of(HookEvent::pre_tool_use).size(), 1U);
  ASSERT_EQ(config.problems.size(), 2U);
  EXPECT_TRUE(config.problems[0].contains("s.json: hooks.PreToolUse[0].hooks[0]")) << config.problems[0];
  EXPECT_TRUE(config.problems[0].contains("command is missing")) << config.problems[0];
  EXPECT_TRUE(config.problems[1].contains("Nonsense")) << config.problems[1];
}

TEST(HookConfig, EveryWrongFieldIsAProblem) {
  for (const char* handler :
       {R"("x")", R"({})", R"({"type":"magic"})", R"({"type":"command","command":""})",
        R"({"type":"command","command":"a\u0000b"})", R"({"type":"command","command":"x","args":"y"})",
        R"({"type":"command","command":"x","args":[1]})", R"({"type":"command","command":"x","timeout":-1})",
        R"({"type":"command","command":"x","timeout":"5"})", R"({"type":"command","command":"x","if":"Bash("})",
        R"({"type":"command","command":"x","async":"yes"})", R"({"type":"command","command":"x","shell":"powershell"})",
        R"({"type":"command","command":"x","onFailure":"explode"})", R"({"type":"http","url":"file:///etc/passwd"})",
        R"({"type":"http","url":"http://h","headers":{"A":1}})", R"({"type":"mcp_tool","server":"s"})",
        R"({"type":"prompt"})"}) {
    const auto config = config_of(in_pre_tool_use(handler));
    EXPECT_TRUE(config.of(HookEvent::pre_tool_use).empty()) << handler;
    EXPECT_EQ(config.problems.size(), 1U) << handler;
  }
  for (const char* hooks : {"[]", R"({"Stop":{}})", R"({"Stop":[1]})", R"({"Stop":[{"matcher":"x"}]})",
                            R"({"Stop":[{"matcher":5,"hooks":[{"type":"command","command":"x"}]}]})",
                            R"({"Stop":[{"matcher":"(","hooks":[{"type":"command","command":"x"}]}]})"}) {
    EXPECT_EQ(config_of(hooks).problems.size(), 1U) << hooks;
    EXPECT_TRUE(config_of(hooks).empty()) << hooks;
  }
}

TEST(HookConfig, AManagedHookOrOneThatIsToBlockHoldsAlsoWhenItIsBroken) {
  const auto managed = config_of(in_pre_tool_use(R"({"type":"command"})"), SettingSource::managed);
  ASSERT_EQ(managed.of(HookEvent::pre_tool_use).size(), 1U);
  EXPECT_TRUE(managed.of(HookEvent::pre_tool_use).front().broken);
  EXPECT_TRUE(can_block_on_failure(managed.of(HookEvent::pre_tool_use).front()));
  const auto strict = config_of(in_pre_tool_use(R"({"type":"command","onFailure":"block"})"));
  EXPECT_TRUE(strict.of(HookEvent::pre_tool_use).front().broken);
}

TEST(HookConfig, OneFileCannotCrowdOutTheHooksOfAnother) {
  std::string many;
  for (std::size_t i = 0; i < 3 * kHooksPerEventMax; ++i) {
    many += (i == 0 ? "" : ",") + std::string(R"({"type":"command","command":"x )") + std::to_string(i) + R"("})";
  }
  HookConfig config = config_of(in_pre_tool_use(many));
  EXPECT_EQ(config.of(HookEvent::pre_tool_use).size(), kHooksPerEventMax);
  add_hooks(parse_json(in_pre_tool_use(R"({"type":"command","command":"policy"})")).value(), SettingSource::managed,
            "m.json", config);
  EXPECT_EQ(config.of(HookEvent::pre_tool_use).back().command, "policy");
}

TEST(HookConfig, SomeEventsTakeNoModelsAndTheStartOfASessionNoAddresses) {
  EXPECT_FALSE(config_of(R"({"SessionEnd":[{"hooks":[{"type":"prompt","prompt":"x"}]}]})").problems.empty());
  EXPECT_FALSE(config_of(R"({"SessionStart":[{"hooks":[{"type":"http","url":"http://h"}]}]})").problems.empty());
  EXPECT_TRUE(config_of(R"({"Notification":[{"hooks":[{"type":"http","url":"http://h"}]}]})").problems.empty());
}

TEST(HookConfig, AnIfWhereThereIsNoCallIsSaidToNeverRun) {
  const auto config = config_of(R"-({"Stop":[{"hooks":[{"type":"command","command":"x","if":"Bash(ls)"}]}]})-");
  ASSERT_EQ(config.problems.size(), 1U);
  EXPECT_TRUE(config.problems[0].contains("never runs"));
}

TEST(HookConfig, TimesAreThoseOfTheTypeAndTheEventUnlessOneIsGiven) {
  const auto time_of = [](std::string_view json, HookEvent event) {
    const auto config = config_of(json);
    return timeout_of(only(config, event), config);
  };
  const std::string command = R"([{"hooks":[{"type":"command","command":"x"}]}])";
  EXPECT_EQ(time_of(R"({"PreToolUse":)" + command + "}", HookEvent::pre_tool_use), std::chrono::seconds(600));
  EXPECT_EQ(time_of(R"({"UserPromptSubmit":)" + command + "}", HookEvent::user_prompt_submit),
            std::chrono::seconds(30));
  EXPECT_EQ(time_of(R"({"SessionEnd":)" + command + "}", HookEvent::session_end), std::chrono::milliseconds(1500));
  EXPECT_EQ(time_of(R"({"Stop":[{"hooks":[{"type":"prompt","prompt":"x"}]}]})", HookEvent::stop),
            std::chrono::seconds(30));
  EXPECT_EQ(time_of(R"({"Stop":[{"hooks":[{"type":"agent","prompt":"x"}]}]})", HookEvent::stop),
            std::chrono::seconds(60));
  EXPECT_EQ(time_of(in_pre_tool_use(R"({"type":"command","command":"x","timeout":1e12})"), HookEvent::pre_tool_use),
            kHookTimeoutMax);
  EXPECT_EQ(
      time_of(R"({"SessionEnd":[{"hooks":[{"type":"command","command":"x","timeout":500}]}]})", HookEvent::session_end),
      kSessionEndBudgetMax);
}

TEST(HookConfig, BlockingOnFailureMeansNothingInTheBackgroundAndAtTheEndOfATurn) {
  const auto holds = [](std::string_view json, HookEvent event) {
    return can_block_on_failure(only(config_of(json), event));
  };
  EXPECT_TRUE(
      holds(in_pre_tool_use(R"({"type":"command","command":"x","onFailure":"block"})"), HookEvent::pre_tool_use));
  EXPECT_FALSE(holds(in_pre_tool_use(R"({"type":"command","command":"x","onFailure":"block","async":true})"),
                     HookEvent::pre_tool_use));
  EXPECT_FALSE(
      holds(R"({"Stop":[{"hooks":[{"type":"command","command":"x","onFailure":"block"}]}]})", HookEvent::stop));
}

TEST(HookConfig, EveryEventHasAName) {
  for (const HookEvent event : all_hook_events()) EXPECT_EQ(parse_hook_event(to_string(event)), event);
  EXPECT_FALSE(parse_hook_event("preToolUse"));
}

TEST(HostHooks, StandBesideThoseOfTheSettingsAndFailClosed) {
  HookConfig config;
  add_host_hooks(*parse_json(R"({"PreToolUse":[{"matcher":"Bash","hookCallbackIds":["h1","h2"],"timeout":5}],
                                 "Stop":[{"hookCallbackIds":["h3"]}]})"),
                 config);
  EXPECT_TRUE(config.problems.empty());
  ASSERT_EQ(config.of(HookEvent::pre_tool_use).size(), 2U);
  const Hook& first = config.of(HookEvent::pre_tool_use)[0];
  EXPECT_EQ(first.type, HookType::callback);
  EXPECT_EQ(first.callback, "h1");
  EXPECT_TRUE(first.matcher.matches("Bash"));
  EXPECT_FALSE(first.matcher.matches("Read"));
  EXPECT_EQ(timeout_of(first, config), std::chrono::seconds(5));
  EXPECT_TRUE(first.blocks_on_failure);
  EXPECT_FALSE(config.of(HookEvent::stop)[0].blocks_on_failure);
  EXPECT_EQ(timeout_of(config.of(HookEvent::stop)[0], config), kCallbackHookTimeoutDefault);
}

TEST(HostHooks, WhatCannotBeUsedIsSaid) {
  for (const char* text :
       {R"({"Nonsense":[]})", R"({"Stop":7})", R"({"Stop":[{}]})", R"({"Stop":[{"hookCallbackIds":[7]}]})",
        R"({"PreToolUse":[{"matcher":"(","hookCallbackIds":["h"]}]})"}) {
    HookConfig config;
    add_host_hooks(*parse_json(text), config);
    EXPECT_EQ(config.problems.size(), 1U) << text;
    EXPECT_TRUE(config.empty()) << text;
  }
}

TEST(HostHooks, NoSettingsFileNamesOne) {
  HookConfig config;
  add_hooks(*parse_json(R"({"Stop":[{"hooks":[{"type":"callback","callback":"h"}]}]})"), SettingSource::user, "f",
            config);
  EXPECT_TRUE(config.empty());
  EXPECT_EQ(config.problems.size(), 1U);
}

}  // namespace
}  // namespace deft
