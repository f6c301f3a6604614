#include "deft/core/hook_choice.h"

#include <gtest/gtest.h>

namespace deft {
namespace {

std::vector<std::string> chosen(std::string_view json, std::string tool, std::string_view input) {
  HookConfig config;
  add_hooks(parse_json(json).value(), SettingSource::user, "s.json", config);
  const ToolCall call{.id = "1", .name = tool, .input = parse_json(input).value(), .input_text = {}, .invalid = {}};
  std::vector<std::string> names;
  for (const ChosenHook& hook : choose_hooks(config, HookEvent::pre_tool_use,
                                             {.name = tool, .call = &call, .directory = "/p", .home = "/home/u"})) {
    names.push_back(hook.hook->name);
  }
  return names;
}

bool runs_if(std::string_view rule, std::string tool, std::string_view input) {
  const std::string json =
      R"({"PreToolUse":[{"hooks":[{"type":"command","command":"x","if":)" + json_quote(rule) + "}]}]}";
  return !chosen(json, std::move(tool), input).empty();
}

TEST(HookChoice, HooksThatMatchAreTakenInTheOrderOfTheSettings) {
  const char* json = R"({"PreToolUse":[
    {"matcher":"Bash","hooks":[{"type":"command","command":"one"},{"type":"command","command":"two"}]},
    {"matcher":"Read","hooks":[{"type":"command","command":"three"}]},
    {"hooks":[{"type":"command","command":"four"}]}]})";
  EXPECT_EQ(chosen(json, "Bash", R"({"command":"ls"})"), (std::vector<std::string>{"one", "two", "four"}));
}

TEST(HookChoice, HandlersThatDoTheSameRunOnce) {
  const char* json = R"({"PreToolUse":[
    {"matcher":"Bash","hooks":[{"type":"command","command":"same","timeout":5}]},
    {"matcher":"*","hooks":[{"type":"command","command":"same","statusMessage":"x"},{"type":"command","command":"same","args":[]}]}]})";
  EXPECT_EQ(chosen(json, "Bash", R"({"command":"ls"})").size(), 2U) << "with args it is another one: no shell";
}

TEST(HookChoice, OfTwoThatDoTheSameTheStricterOneHolds) {
  HookConfig config;
  add_hooks(parse_json(R"({"PreToolUse":[{"hooks":[{"type":"command","command":"x"}]},
                                         {"hooks":[{"type":"command","command":"x","onFailure":"block"}]}]})")
                .value(),
            SettingSource::user, "s.json", config);
  const auto hooks = choose_hooks(config, HookEvent::pre_tool_use, {.name = "Bash"});
  ASSERT_EQ(hooks.size(), 1U);
  EXPECT_TRUE(hooks[0].blocks_on_failure);
}

TEST(HookChoice, AnIfIsAboutAnyPartOfAShellCommand) {
  EXPECT_TRUE(runs_if("Bash(rm *)", "Bash", R"({"command":"rm -rf x"})"));
  EXPECT_TRUE(runs_if("Bash(rm *)", "Bash", R"({"command":"ls && rm x"})"));
  EXPECT_TRUE(runs_if("Bash(rm *)", "Bash", R"-({"command":"echo $(rm x)"})-"));
  EXPECT_TRUE(runs_if("Bash(rm *)", "Bash", R"({"command":"A=1 rm x"})"));
  EXPECT_FALSE(runs_if("Bash(rm *)", "Bash", R"({"command":"ls -la"})"));
  EXPECT_FALSE(runs_if("Bash(git push *)", "Bash", R"({"command":"git status"})"));
}

TEST(HookChoice, ACommandThatIsNotUnderstoodMayBeWhatTheIfIsAbout) {
  EXPECT_TRUE(runs_if("Bash(rm *)", "Bash", R"({"command":"ls \"unfinished"})"));
  EXPECT_TRUE(runs_if("Bash(rm *)", "Bash", R"({"command":"eval \"$x\""})"));
}

TEST(HookChoice, AnIfWithAPathIsAboutEveryToolThatTouchesIt) {
  EXPECT_TRUE(runs_if("Edit(*.ts)", "Edit", R"({"file_path":"/p/src/a.ts"})"));
  EXPECT_TRUE(runs_if("Edit(*.ts)", "Write", R"({"file_path":"/p/src/a.ts"})"));
  EXPECT_TRUE(runs_if("Write(*.ts)", "Write", R"({"file_path":"/p/src/a.ts"})"));
  EXPECT_FALSE(runs_if("Write(*.ts)", "Edit", R"({"file_path":"/p/src/a.ts"})"));
  EXPECT_FALSE(runs_if("Edit(*.ts)", "Edit", R"({"file_path":"/p/src/a.py"})"));
  EXPECT_TRUE(runs_if("Read(.env)", "Read", R"({"file_path":"/p/.env"})"));
}

TEST(HookChoice, AnIfMayNameAToolAlone) {
  EXPECT_TRUE(runs_if("Bash", "Bash", R"({"command":"ls"})"));
  EXPECT_FALSE(runs_if("Bash", "Read", R"({"file_path":"/p/a"})"));
  EXPECT_TRUE(runs_if("mcp__db__*", "mcp__db__query", "{}"));
  EXPECT_FALSE(runs_if("mcp__db__*", "mcp__files__read", "{}"));
}

TEST(HookChoice, WhereThereIsNoCallAnIfNeverHolds) {
  HookConfig config;
  add_hooks(parse_json(R"({"Stop":[{"hooks":[{"type":"command","command":"x","if":"Bash"}]}]})").value(),
            SettingSource::user, "s.json", config);
  EXPECT_TRUE(choose_hooks(config, HookEvent::stop, {.name = ""}).empty());
}

}  // namespace
}  // namespace deft
