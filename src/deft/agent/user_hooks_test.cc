#include "deft/agent/user_hooks.h"

#include <gtest/gtest.h>

#include <sys/stat.h>
#include <unistd.h>

#include <future>
#include <map>
#include <mutex>
#include <thread>

#include "deft/testing/hook_bench.h"
#include "deft/testing/real_processes.h"

// Hooks as real programs: what they are given, and what becomes of those that misbehave.

namespace deft {
namespace {

using testing::eventually;
using testing::ProcessMark;
using enum HookEvent;

std::string commands(HookEvent event, const std::vector<std::string>& commands) {
  std::string list;
  for (const std::string& command : commands) {
    list += (list.empty() ? "" : ",") + std::string(R"({"type":"command","command":)") + json_quote(command) + "}";
  }
  return R"({")" + std::string(to_string(event)) + R"(":[{"hooks":[)" + list + "]}]}";
}

Json bytes_as_json(const HookBench& bench, std::string_view name) {
  return parse_json(bench.folder.bytes(name).value_or("null")).value_or(Json());
}

TEST(UserHooks, AHookReadsWhatHappenedAsOneLineOfJson) {
  HookBench bench(HookBench::one_command(pre_tool_use, "cat > input.json"));
  const HookOutcome outcome = bench.run(pre_tool_use);
  EXPECT_EQ(outcome.reports.at(0).end, HookReport::End::fine);
  const Json input = bytes_as_json(bench, "input.json");
  EXPECT_EQ(find_string(input, "session_id"), "session-1");
  EXPECT_EQ(find_string(input, "transcript_path"), bench.folder / "transcript.jsonl");
  EXPECT_EQ(find_string(input, "cwd"), bench.folder.path());
  EXPECT_EQ(find_string(input, "hook_event_name"), "PreToolUse");
  EXPECT_EQ(find_string(input, "permission_mode"), "default");
  EXPECT_EQ(find_string(input, "tool_name"), "Bash");
  EXPECT_EQ(find_string(*find(input, "tool_input"), "command"), "ls");
  EXPECT_EQ(find_string(input, "tool_use_id"), "toolu_sample");
  EXPECT_TRUE(bench.folder.bytes("input.json")->ends_with("}\n"));
}

TEST(UserHooks, WithArgumentsThereIsNoShellAndPlaceholdersAreFilledInEach) {
  HookBench bench(R"({"PreToolUse":[{"hooks":[{"type":"command","command":"${CLAUDE_PROJECT_DIR}/show",
                     "args":["$HOME; echo x","${CLAUDE_PROJECT_DIR}/b"]}]}]})");
  bench.folder.put("show", "#!/bin/sh\nprintf '%s\\n' \"$@\" > args\n", 0755);
  EXPECT_EQ(bench.run(pre_tool_use).reports.at(0).end, HookReport::End::fine);
  EXPECT_EQ(bench.folder.bytes("args"), "$HOME; echo x\n" + bench.folder.path() + "/b\n");
}

TEST(UserHooks, AProjectWithAHostileNameIsNotRunAsCode) {
  HookBench bench(
      HookBench::one_command(pre_tool_use, "ls \"${CLAUDE_PROJECT_DIR}\" > seen; ls '${CLAUDE_PROJECT_DIR}'"));
  bench.session.project = bench.folder / "a'$(touch evil)`touch evil`";
  bench.folder.put("a'$(touch evil)`touch evil`/inside", "");
  bench.run(pre_tool_use);
  EXPECT_EQ(bench.folder.bytes("seen"), "inside\n");
  EXPECT_FALSE(bench.folder.bytes("evil"));
}

TEST(UserHooks, AHookHasASessionOfItsOwnAndNoTerminal) {
  HookBench bench(HookBench::one_command(
      pre_tool_use,
      "ps -o sid= -p $$ > sid; (: < /dev/tty) 2>/dev/null && touch tty; readlink /proc/$PPID/ns/pid >/dev/null"));
  bench.run(pre_tool_use);
  EXPECT_NE(std::stoi(bench.folder.bytes("sid").value_or("0")), ::getsid(0));
  EXPECT_FALSE(bench.folder.bytes("tty"));
}

TEST(UserHooks, HooksOfOneMomentRunSideBySide) {
  // Each waits for the other: one after another they would wait for ever.
  HookBench bench(
      commands(pre_tool_use, {"mkfifo p 2>/dev/null; echo x > p", "mkfifo p 2>/dev/null; cat p >/dev/null"}));
  const HookOutcome outcome = bench.run(pre_tool_use);
  for (const HookReport& report : outcome.reports) EXPECT_EQ(report.end, HookReport::End::fine) << report.error;
}

TEST(UserHooks, ManyHooksAreAllAskedAndAnswerInTheOrderOfTheSettings) {
  std::vector<std::string> many;
  for (int i = 0; i < 80; ++i) many.push_back("echo " + std::to_string(i));
  HookBench bench(commands(user_prompt_submit, many));
  const HookOutcome outcome = bench.run(user_prompt_submit);
  ASSERT_EQ(outcome.context.size(), 80U);
  for (std::size_t i = 0; i < 80; ++i) EXPECT_EQ(outcome.context[i], std::to_string(i));
}

TEST(UserHooks, EachIsToldAsItStartsAndAsItEnds) {
  HookBench bench(commands(pre_tool_use, {"echo one", "echo two >&2; exit 2"}));
  std::mutex mutex;
  std::map<std::string, std::vector<HookLife>> lives;
  bench.services.tell = [&](const HookLife& life) {
    const std::lock_guard lock(mutex);
    lives[life.id].push_back(life);
  };
  bench.run(pre_tool_use);
  ASSERT_EQ(lives.size(), 2U);
  std::map<HookReport::End, HookReport> ends;
  for (const auto& [id, moments] : lives) {
    ASSERT_EQ(moments.size(), 2U);
    EXPECT_EQ(moments[0].name, "PreToolUse:Bash");
    EXPECT_FALSE(moments[0].ended);
    ASSERT_TRUE(moments[1].ended);
    ends[moments[1].ended->end] = *moments[1].ended;
  }
  EXPECT_EQ(ends.at(HookReport::End::fine).output, "one\n");
  EXPECT_EQ(ends.at(HookReport::End::blocked).errors, "two\n");
  EXPECT_EQ(ends.at(HookReport::End::blocked).exit_code, 2);
}

TEST(UserHooks, OneThatRunsOnInTheBackgroundIsToldWhenItHasEnded) {
  HookBench bench(HookBench::one_command(stop, "until test -e go; do sleep 0.01; done; echo late", R"(,"async":true)"));
  std::mutex mutex;
  std::vector<HookLife> lives;
  bench.services.tell = [&](const HookLife& life) {
    const std::lock_guard lock(mutex);
    lives.push_back(life);
  };
  const auto told = [&] {
    const std::lock_guard lock(mutex);
    return lives;
  };
  EXPECT_EQ(bench.run(stop).reports.at(0).end, HookReport::End::in_background);
  EXPECT_EQ(told().size(), 1U);
  bench.folder.put("go", "");
  ASSERT_TRUE(eventually([&] { return told().size() == 2; }));
  EXPECT_EQ(told()[1].id, told()[0].id);
  EXPECT_EQ(told()[1].name, "Stop");
  EXPECT_EQ(told()[1].ended->output, "late\n");
}

TEST(UserHooks, AHookThatHangsIsEndedWithAllThatItStarted) {
  const ProcessMark mark;
  HookBench bench(
      HookBench::one_command(pre_tool_use, "sleep 1000 & trap '' TERM; sleep 1000; sleep 1000", R"(,"timeout":0.2)"));
  bench.environment.push_back(mark.variable());
  const HookOutcome outcome = bench.run(pre_tool_use);
  EXPECT_EQ(outcome.reports.at(0).end, HookReport::End::failed);
  EXPECT_TRUE(outcome.reports[0].error.contains("too long")) << outcome.reports[0].error;
  EXPECT_FALSE(outcome.verdict);
  EXPECT_TRUE(mark.alive().empty());
}

TEST(UserHooks, AHookThatForksADaemonLeavesNothingBehind) {
  const ProcessMark mark;
  HookBench bench(HookBench::one_command(pre_tool_use, "setsid sleep 1000 >/dev/null 2>&1 < /dev/null & exit 0"));
  bench.environment.push_back(mark.variable());
  const HookOutcome outcome = bench.run(pre_tool_use);
  EXPECT_EQ(outcome.reports.at(0).end, HookReport::End::fine);
  EXPECT_EQ(outcome.reports[0].left_behind, 1U);
  EXPECT_TRUE(mark.alive().empty());
}

TEST(UserHooks, AHookThatCrashesIsReportedWithItsSignal) {
  HookBench bench(HookBench::one_command(pre_tool_use, "kill -SEGV $$"));
  const HookOutcome outcome = bench.run(pre_tool_use);
  EXPECT_TRUE(outcome.reports.at(0).error.contains("SIGSEGV")) << outcome.reports[0].error;
  EXPECT_FALSE(outcome.verdict);
}

TEST(UserHooks, AHookThatFloodsIsEndedAndItsWordsDoNotCount) {
  HookBench bench(HookBench::one_command(pre_tool_use, R"(yes '{"decision":"approve"}')"));
  const HookOutcome outcome = bench.run(pre_tool_use);
  EXPECT_EQ(outcome.reports.at(0).end, HookReport::End::failed);
  EXPECT_TRUE(outcome.reports[0].error.contains("printed more than")) << outcome.reports[0].error;
  EXPECT_LE(outcome.reports[0].output.size(), 40'000U);
  EXPECT_FALSE(outcome.verdict);
}

TEST(UserHooks, AHookThatDoesNotReadItsInputIsNoProblem) {
  HookBench bench(HookBench::one_command(post_tool_use, "exec <&-; exit 0"));
  const std::string huge = R"({"tool_response":")" + std::string(std::size_t{4} << 20, 'x') + R"("})";
  EXPECT_EQ(bench.run(post_tool_use, huge).reports.at(0).end, HookReport::End::fine);
}

TEST(UserHooks, AProgramThatIsMissingBlocksNothingUnlessItIsMeantTo) {
  HookBench bench(R"({"PreToolUse":[{"hooks":[{"type":"command","command":"/nowhere/x","args":[]}]}]})");
  EXPECT_EQ(bench.run(pre_tool_use).reports.at(0).end, HookReport::End::failed);
  HookBench strict(
      R"({"PreToolUse":[{"hooks":[{"type":"command","command":"/nowhere/x","args":[],"onFailure":"block"}]}]})");
  EXPECT_EQ(strict.run(pre_tool_use).verdict, HookVerdict::deny);
}

TEST(UserHooks, AWorkingDirectoryThatIsGoneIsAFailureOfTheHook) {
  HookBench bench(HookBench::one_command(pre_tool_use, "exit 0"));
  const HookOutcome outcome = bench.run(pre_tool_use, R"({"cwd":"/nowhere/at/all"})");
  EXPECT_EQ(outcome.reports.at(0).end, HookReport::End::failed);
}

TEST(UserHooks, AnAbortEndsTheHooksAndSaysSo) {
  const ProcessMark mark;
  HookBench bench(HookBench::one_command(pre_tool_use, "touch began; sleep 1000"));
  bench.environment.push_back(mark.variable());
  std::stop_source stop;
  std::jthread aborter([&] {
    EXPECT_TRUE(eventually([&] { return bench.folder.bytes("began").has_value(); }));
    stop.request_stop();
  });
  const HookOutcome outcome = bench.run(pre_tool_use, stop.get_token());
  EXPECT_TRUE(outcome.cancelled);
  EXPECT_EQ(outcome.reports.at(0).end, HookReport::End::cancelled);
  EXPECT_TRUE(mark.alive().empty());
}

TEST(UserHooks, WhatIsTooLongIsCutAndKeptInTheSessionsFolder) {
  HookBench bench(HookBench::one_command(user_prompt_submit, "head -c 20000 /dev/zero | tr '\\0' x"));
  const HookOutcome outcome = bench.run(user_prompt_submit);
  ASSERT_EQ(outcome.context.size(), 1U);
  EXPECT_LT(outcome.context[0].size(), 3'000U);
  EXPECT_TRUE(outcome.context[0].contains(bench.folder / "session/hook-output")) << outcome.context[0];
}

TEST(UserHooks, OnlyHooksOfTheEventAreListenedTo) {
  HookBench bench(HookBench::one_command(stop, "exit 0"));
  EXPECT_TRUE(bench.hooks().listens(stop));
  EXPECT_FALSE(bench.hooks().listens(pre_tool_use));
  bench.hooks().use({});
  EXPECT_FALSE(bench.hooks().listens(stop));
}

TEST(UserHooks, ABrokenHookThatSomebodyReliesOnBlocks) {
  HookBench bench(R"({"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command"}]}]})", SettingSource::managed);
  EXPECT_EQ(bench.run(pre_tool_use).verdict, HookVerdict::deny);
  EXPECT_FALSE(bench.run(pre_tool_use, R"({"tool_name":"Read","tool_input":{"file_path":"/x"}})").verdict);
}

// --- in the background ---

TEST(UserHooksInBackground, NobodyWaitsForAnAsyncHookAndItsWordsComeLater) {
  HookBench bench(HookBench::one_command(
      post_tool_use,
      R"(cat gate >/dev/null; echo '{"systemMessage":"m","hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"c"},"continue":false}')",
      R"(,"async":true)"));
  ASSERT_EQ(::mkfifo((bench.folder / "gate").c_str(), 0600), 0);
  std::promise<void> told;
  bench.hooks().when_a_late_word_comes([&] { told.set_value(); });
  const HookOutcome outcome = bench.run(post_tool_use);
  EXPECT_EQ(outcome.reports.at(0).end, HookReport::End::in_background);
  EXPECT_FALSE(outcome.stops) << "what comes too late decides nothing";
  EXPECT_TRUE(bench.hooks().take_late_words().empty());
  bench.folder.put("gate", "");
  told.get_future().wait();
  const auto words = bench.hooks().take_late_words();
  ASSERT_EQ(words.size(), 1U);
  EXPECT_EQ(words[0].context, "c");
  EXPECT_EQ(words[0].message, "m");
  EXPECT_FALSE(words[0].wakes_model);
  EXPECT_TRUE(bench.hooks().take_late_words().empty()) << "each once";
}

LateHookWord only_late_word(HookBench& bench, HookEvent event) {
  std::promise<void> told;
  bench.hooks().when_a_late_word_comes([&] { told.set_value(); });
  bench.run(event);
  told.get_future().wait();
  auto words = bench.hooks().take_late_words();
  EXPECT_EQ(words.size(), 1U);
  return words.front();
}

TEST(UserHooksInBackground, TwoOfAnAsyncRewakeHookWakesTheModel) {
  HookBench bench(HookBench::one_command(post_tool_use, "echo tests fail >&2; exit 2", R"(,"asyncRewake":true)"));
  const LateHookWord word = only_late_word(bench, post_tool_use);
  EXPECT_TRUE(word.wakes_model);
  EXPECT_EQ(word.context, "tests fail\n");
}

TEST(UserHooksInBackground, AFailureThereIsToldToo) {
  HookBench bench(HookBench::one_command(post_tool_use, "echo oh >&2; exit 3", R"(,"async":true)"));
  EXPECT_TRUE(only_late_word(bench, post_tool_use).error.contains("exit code 3"));
}

TEST(UserHooksInBackground, AHookMayDecideItselfToGoOnThere) {
  HookBench bench(HookBench::one_command(
      pre_tool_use,
      R"(echo '{"async":true,"asyncTimeout":60000}'; cat gate >/dev/null; echo '{"systemMessage":"done"}')"));
  ASSERT_EQ(::mkfifo((bench.folder / "gate").c_str(), 0600), 0);
  std::promise<void> told;
  bench.hooks().when_a_late_word_comes([&] { told.set_value(); });
  EXPECT_EQ(bench.run(pre_tool_use).reports.at(0).end, HookReport::End::in_background);
  bench.folder.put("gate", "");
  told.get_future().wait();
  EXPECT_EQ(bench.hooks().take_late_words().at(0).message, "done");
}

TEST(UserHooksInBackground, ItsTimeIsUpThereToo) {
  HookBench bench(HookBench::one_command(pre_tool_use, R"(echo '{"async":true,"asyncTimeout":1}'; sleep 1000)"));
  EXPECT_TRUE(only_late_word(bench, pre_tool_use).error.contains("too long"));
}

TEST(UserHooksInBackground, TheyEndWithTheSession) {
  const ProcessMark mark;
  {
    HookBench bench(HookBench::one_command(stop, "touch began; sleep 1000", R"(,"async":true)"));
    bench.environment.push_back(mark.variable());
    bench.run(stop);
    EXPECT_TRUE(eventually([&] { return bench.folder.bytes("began").has_value(); }));
  }
  EXPECT_TRUE(mark.alive().empty());
}

TEST(UserHooksInBackground, ThereAreNeverTooMany) {
  HookBench bench(HookBench::one_command(stop, "sleep 1000", R"(,"async":true)"));
  for (std::size_t i = 0; i < kBackgroundHooksMax; ++i) {
    ASSERT_EQ(bench.run(stop).reports.at(0).end, HookReport::End::in_background);
  }
  EXPECT_EQ(bench.run(stop).reports.at(0).end, HookReport::End::failed);
}

// --- without a program ---

TEST(UserHooksServices, WithoutSomebodyToAskAHookFailsAndIsNoAllow) {
  for (const char* handler :
       {R"({"type":"prompt","prompt":"ok?"})", R"({"type":"agent","prompt":"ok?"})",
        R"({"type":"mcp_tool","server":"s","tool":"t"})", R"({"type":"http","url":"http://127.0.0.1:1"})"}) {
    HookBench bench(R"({"PreToolUse":[{"hooks":[)" + std::string(handler) + "]}]}");
    const HookOutcome outcome = bench.run(pre_tool_use);
    EXPECT_EQ(outcome.reports.at(0).end, HookReport::End::failed) << handler;
    EXPECT_FALSE(outcome.verdict) << handler;
  }
}

TEST(UserHooksServices, APromptHoldsWhatHappenedAndTheModelsReplyDecides) {
  HookBench bench(
      R"({"PreToolUse":[{"hooks":[{"type":"prompt","prompt":"Is this safe: $ARGUMENTS?","model":"small"}]}]})");
  bench.services.ask_model = [](const HookServices::Question& question, std::stop_token) -> Result<std::string> {
    EXPECT_TRUE(question.prompt.starts_with("Is this safe: {\"session_id\"")) << question.prompt;
    EXPECT_TRUE(question.prompt.ends_with("}?")) << question.prompt;
    EXPECT_EQ(question.model, "small");
    return R"({"ok":false,"reason":"no"})";
  };
  const HookOutcome outcome = bench.run(pre_tool_use);
  EXPECT_EQ(outcome.verdict, HookVerdict::deny);
  EXPECT_EQ(outcome.reason, "no");
}

TEST(UserHooksServices, WhatAToolOfAServerGivesIsReadLikeWhatAProgramPrints) {
  HookBench bench(
      R"({"PreToolUse":[{"hooks":[{"type":"mcp_tool","server":"s","tool":"t","input":{"c":"${tool_input.command}"}}]}]})");
  bench.services.call_mcp_tool = [](const HookServices::ToolRequest& request, std::stop_token) -> Result<std::string> {
    EXPECT_EQ(to_json(request.input), R"({"c":"ls"})");
    return R"({"decision":"block","reason":"said the server"})";
  };
  EXPECT_EQ(bench.run(pre_tool_use).reason, "said the server");
}

}  // namespace
}  // namespace deft
