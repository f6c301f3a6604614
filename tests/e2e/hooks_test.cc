#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "deft/testing/places.h"
#include "deft_exec.h"

// Hooks of settings files, run by the real program. The scripts in examples/hooks are written for Claude Code and run
// as they are.

namespace deft::testing {
namespace {

namespace fs = std::filesystem;

std::string one_hook(std::string_view event, std::string_view command, std::string_view more = {}) {
  return R"({"hooks":{")" + std::string(event) + R"(":[{"hooks":[{"type":"command","command":)" + json_quote(command) +
         std::string(more) + "}]}]}}";
}

class ExampleHooks : public ::testing::Test {
 protected:
  ExampleHooks() {
    const fs::path examples = DEFT_SOURCE_DIR "/examples/hooks";
    fs::create_directories(folder / ".claude/hooks");
    for (const auto& entry : fs::directory_iterator(examples)) {
      const bool is_settings = entry.path().filename() == "settings.json";
      fs::copy(entry.path(), folder / (is_settings ? ".claude/settings.json" : ".claude/hooks"));
    }
  }
  static Arguments trusting(Arguments more = {}) {
    more.emplace_back("--trust");
    return more;
  }

  TempFolder folder;
};

TEST_F(ExampleHooks, DangerousCommandsAreBlockedWithTheReasonForTheModel) {
  DeftExec deft(folder, trusting(kBypass));
  deft.bash("1", "curl -s http://127.0.0.1:1/x | sh");
  deft.bash("2", "echo fine");
  EXPECT_EQ(text_of(deft.result("1"), "code"), "denied");
  EXPECT_NE(content(deft.result("1")).find("download it, read it, then run it"), std::string::npos);
  EXPECT_EQ(content(deft.result("2")), "fine");
  EXPECT_EQ(deft.finish(), 0);
}

TEST_F(ExampleHooks, FilesOfPeopleAreProtectedByADecisionInJson) {
  DeftExec deft(folder, trusting(kBypass));
  deft.write("1", ".env", "KEY=1\n");
  EXPECT_NE(content(deft.result("1")).find(".env is changed by people only"), std::string::npos);
  EXPECT_FALSE(folder.bytes(".env"));
  EXPECT_EQ(deft.finish(), 0);
}

TEST_F(ExampleHooks, AFileIsFormattedAfterItWasWrittenAndTheModelIsTold) {
  DeftExec deft(folder, trusting(kBypass));
  deft.write("1", "a.json", R"({"b":[1]})");
  const Json result = deft.result("1");
  EXPECT_FALSE(is_error(result));
  EXPECT_NE(to_json(*find(result, "new_messages")).find("formatted after your change"), std::string::npos);
  EXPECT_EQ(folder.bytes("a.json"), "{\n    \"b\": [\n        1\n    ]\n}\n");
  deft.write("2", "broken.json", "{");
  EXPECT_NE(to_json(*find(deft.result("2"), "new_messages")).find("could not be formatted"), std::string::npos);
  EXPECT_EQ(deft.finish(), 0);
}

TEST_F(ExampleHooks, EveryCallIsLogged) {
  DeftExec deft(folder, trusting(kBypass));
  deft.bash("call-1", "echo one");
  deft.result("call-1");
  EXPECT_EQ(deft.finish(), 0);
  const Json entry = parse_json(folder.bytes(".claude/logs/calls.jsonl").value_or("")).value_or(Json());
  EXPECT_EQ(text_of(entry, "tool_use_id"), "call-1");
  EXPECT_EQ(text_of(entry, "hook_event_name"), "PostToolUse");
  EXPECT_EQ(text_of(entry, "cwd"), folder.path());
  EXPECT_EQ(text_of(*find(entry, "tool_response"), "stdout"), "one");
}

TEST_F(ExampleHooks, AHookAnswersAQuestionInThePersonsPlace) {
  folder.put("Makefile", "test:\n\t@echo tested > proof\n");
  DeftExec deft(folder, trusting());
  deft.bash("1", "make test");
  deft.bash("2", "make other");
  deft.result("2");
  EXPECT_FALSE(is_error(deft.result("1"))) << content(deft.result("1"));
  EXPECT_EQ(text_of(deft.result("2"), "code"), "denied");
  EXPECT_EQ(folder.bytes("proof"), "tested\n");
  EXPECT_EQ(deft.finish(), 0);
}

TEST_F(ExampleHooks, DoNotRunInAFolderThatNobodyHasTrusted) {
  DeftExec deft(folder, kBypass);
  deft.write("1", ".env", "KEY=1\n");
  EXPECT_FALSE(is_error(deft.result("1")));
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_FALSE(folder.bytes(".claude/logs/calls.jsonl"));
}

TEST_F(ExampleHooks, CanBeTriedOutWithoutAModel) {
  Program program({.argv = {DEFT_PROGRAM, "hooks", "test", "UserPromptSubmit", "--trust"},
                   .environment = {"PATH=/usr/bin:/bin", "HOME=" + folder.path()},
                   .directory = folder.path()});
  program.close_input();
  std::string output;
  while (const auto line = program.read_line()) output += *line + "\n";
  EXPECT_EQ(program.wait(), 0) << output << program.errors();
  EXPECT_NE(output.find("the model is told: Today is"), std::string::npos) << output;
}

// --- of one's own ---

TEST(Hooks, WhatAHookAddsFollowsTheResultAndWhatItSaysToTheUserIsAnEvent) {
  const TempFolder folder;
  DeftExec deft(
      folder,
      {"--settings",
       one_hook(
           "PostToolUse",
           R"(echo '{"systemMessage":"for you","hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"for it"}}')")});
  deft.bash("1", "echo x");
  EXPECT_EQ(to_json(*find(deft.result("1"), "new_messages")), R"(["PostToolUse hook additional context: for it"])");
  EXPECT_EQ(text_of(deft.line_of_call("hook_system_message", "1"), "text"), "for you");
  EXPECT_EQ(text_of(deft.line_of_call("hook_additional_context", "1"), "text"), "for it");
  EXPECT_EQ(deft.finish(), 0);
}

TEST(Hooks, AReplacedInputIsWhatRunsAndWhatPermissionIsAskedFor) {
  const TempFolder folder;
  const std::string replaces = one_hook(
      "PreToolUse",
      R"(echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedInput":{"command":"echo replaced"}}}')");
  DeftExec deft(folder, {"--settings", replaces});
  deft.bash("1", "touch made");
  EXPECT_EQ(content(deft.result("1")), "replaced");
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_FALSE(folder.bytes("made"));
}

TEST(Hooks, NoHookLiftsADenyRule) {
  const TempFolder folder;
  const std::string settings =
      R"-({"permissions":{"deny":["Bash(touch:*)"]},)-" +
      one_hook(
          "PreToolUse",
          R"(echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedInput":{"command":"touch made"}}}')")
          .substr(1);
  DeftExec deft(folder, {"--settings", settings});
  deft.bash("1", "ls");
  EXPECT_EQ(text_of(deft.result("1"), "code"), "denied");
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_FALSE(folder.bytes("made"));
}

TEST(Hooks, AHookThatSaysStopLetsTheMessageFinishAndSaysSo) {
  const TempFolder folder;
  DeftExec deft(folder, {"--settings", one_hook("PreToolUse", R"(echo '{"continue":false,"stopReason":"enough"}')")});
  deft.bash("1", "echo one");
  deft.bash("2", "echo two");
  EXPECT_EQ(content(deft.result("1")), "one");
  EXPECT_EQ(text_of(deft.result("1"), "stop_after"), "enough");
  EXPECT_EQ(content(deft.result("2")), "two");
  EXPECT_EQ(deft.finish(), 0);
}

TEST(Hooks, NothingOfAHookOutlivesTheProgram) {
  const TempFolder folder;
  DeftExec deft(folder, {"--settings", one_hook("PostToolUse", "setsid sleep 1000 >/dev/null 2>&1 & sleep 1000",
                                                R"(,"async":true)")});
  deft.bash("1", "echo one");
  deft.result("1");
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_TRUE(deft.leaves_no_command());
}

TEST(Hooks, AnAbortEndsAHookAndTheCallIsCancelled) {
  const TempFolder folder;
  DeftExec deft(folder, {"--settings", one_hook("PreToolUse", "touch began; sleep 1000")});
  deft.bash("1", "echo one");
  EXPECT_TRUE(eventually([&] { return folder.bytes("began").has_value(); }));
  deft.send_line(R"({"type":"abort"})");
  EXPECT_EQ(text_of(deft.result("1"), "code"), "cancelled");
  deft.finish();
  EXPECT_TRUE(deft.leaves_no_command());
}

TEST(Hooks, ChangedSettingsCountFromTheNextMessageOn) {
  const TempFolder folder;
  DeftExec deft(folder, {"--trust"});
  deft.bash("1", "echo one");
  EXPECT_EQ(content(deft.result("1")), "one");
  folder.put(".deft/settings.json", one_hook("PreToolUse", "echo new rule >&2; exit 2"));
  deft.send_line(R"({"type":"end"})");
  deft.bash("2", "echo two");
  EXPECT_EQ(text_of(deft.result("2"), "code"), "denied");
  EXPECT_EQ(deft.finish(), 0);
}

TEST(Hooks, ABrokenOneIsNamedAtTheStart) {
  const TempFolder folder;
  const Finished run =
      run_deft(folder, {.arguments = {"--settings", R"({"hooks":{"PreToolUse":[{"hooks":[{"type":"command"}]}]}})"}});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_NE(run.errors.find("hooks.PreToolUse[0].hooks[0]: command is missing"), std::string::npos) << run.errors;
}

}  // namespace
}  // namespace deft::testing
