#include <gtest/gtest.h>

#include "deft/agent/prompt_commands.h"
#include "deft/testing/agent_bench.h"
#include "deft/testing/fake_skills.h"

// Prompts that call a command.

namespace deft {
namespace {

TEST(PromptCommandText, IsASlashANameAndArguments) {
  EXPECT_EQ(parse_prompt_command("/review a.cc  b.cc\n")->name, "review");
  EXPECT_EQ(parse_prompt_command("/review a.cc  b.cc\n")->arguments, "a.cc  b.cc");
  EXPECT_EQ(parse_prompt_command(" /front:end\nx")->name, "front:end");
  EXPECT_EQ(parse_prompt_command("/etc/hosts is broken")->name, "etc/hosts");
  for (const char* text : {"review", "/", "/ x", "//x", "/*x", "/$HOME", "", "a /b"}) {
    EXPECT_FALSE(parse_prompt_command(text).has_value()) << text;
  }
}

class AgentCommands : public ::testing::Test {
 protected:
  void begin() {
    bench.options.commands = std::make_shared<PromptCommands>(PromptCommands::Parts{
        .skills = skills, .scene = [] { return SkillScene{.session_id = "s", .effort = {}, .project = "/p"}; }});
    bench.add_tool({.spec = {.name = "Bash"}, .run = [this](const Json& input, ToolIo&) -> Result<ToolResult> {
                      commands.emplace_back(*find_string(input, "command"));
                      return ToolResult{.text = "printed\n"};
                    }});
    bench.model.answer = [](const ModelRequest&) { return stream_of({text_of_model("ok")}); };
  }
  TurnEnd turn(std::string_view prompt) {
    if (!bench.options.commands) begin();
    return bench.turn(prompt);
  }
  std::string told() {
    const auto requests = bench.model.requests();
    return requests.empty() ? "" : requests.back().history->back().content;
  }

  AgentBench bench;
  std::shared_ptr<FakeSkills> skills = std::make_shared<FakeSkills>();
  std::vector<std::string> commands;
};

TEST_F(AgentCommands, APromptThatCallsACommandBecomesItsText) {
  skills->add("review", "Look at $0. !`git diff`\n");
  EXPECT_EQ(turn("/review a.cc").reason, TurnReason::completed);
  EXPECT_EQ(told(),
            R"([{"type":"text","text":"<command-name>/review</command-name>\n<command-args>a.cc</command-args>\n\n)"
            R"(Look at a.cc. printed\n"}])");
  EXPECT_EQ(commands, std::vector<std::string>{"git diff"});
}

TEST_F(AgentCommands, OtherPromptsStayAsTheyAre) {
  skills->add("review", "Text");
  for (const char* prompt : {"review it", "/etc/hosts is broken", "see /review"}) {
    turn(prompt);
    EXPECT_NE(told().find(prompt), std::string::npos);
  }
}

TEST_F(AgentCommands, ACommandThatDoesNotExistEndsTheTurnAndNamesThoseThatDo) {
  skills->add("review", "Text");
  skills->add("hidden", "Text").for_user = false;
  const TurnEnd end = turn("/reveiw a");
  EXPECT_EQ(end.reason, TurnReason::prompt_blocked);
  EXPECT_EQ(end.explanation, "There is no command /reveiw; there are /review.");
  EXPECT_TRUE(bench.model.requests().empty());
  EXPECT_NE(turn("/hidden").explanation.find("only for the model"), std::string::npos);
}

TEST_F(AgentCommands, ACommandInItThatFailsEndsTheTurn) {
  skills->add("own", "!`id`").trusted = false;
  const TurnEnd end = turn("/own");
  EXPECT_EQ(end.reason, TurnReason::prompt_blocked);
  EXPECT_NE(end.explanation.find("not trusted"), std::string::npos);
  EXPECT_TRUE(commands.empty());
}

TEST_F(AgentCommands, WhatASkillGrantsLastsForTheTurn) {
  Skill& skill = skills->add("careful", "Text");
  skill.disallowed_tools = {"Bash"};
  skill.model = "other";
  skill.effort = "high";
  turn("/careful");
  turn("go on");
  const auto requests = bench.model.requests();
  ASSERT_EQ(requests.size(), 2U);
  EXPECT_EQ(requests[0].tools.str().find("\"Bash\""), std::string::npos);
  EXPECT_EQ(requests[0].model, "other");
  EXPECT_EQ(requests[0].effort, "high");
  EXPECT_NE(requests[1].tools.str().find("\"Bash\""), std::string::npos);
  EXPECT_EQ(requests[1].model, "fake");
  EXPECT_EQ(requests[1].effort, "");
}

TEST_F(AgentCommands, HooksHearOfItBeforeAnythingRuns) {
  skills->add("review", "!`id`");
  std::vector<std::string> heard;
  bench.hooks.on[HookEvent::user_prompt_submit] = [&](const HookMoment& moment, std::stop_token) {
    heard.push_back(std::string(*find_string(Json(moment.fields), "prompt")));
    return HookOutcome{};
  };
  bench.hooks.on[HookEvent::user_prompt_expansion] = [&](const HookMoment& moment, std::stop_token) {
    heard.push_back(moment.subject + " " + std::string(*find_string(Json(moment.fields), "command_args")));
    HookOutcome outcome;
    outcome.context = {"be kind"};
    return outcome;
  };
  turn("/review a b");
  EXPECT_EQ(heard, (std::vector<std::string>{"/review a b", "review a b"}));
  EXPECT_NE(told().find("be kind"), std::string::npos);
}

TEST_F(AgentCommands, AHookThatBlocksItKeepsItsCommandsFromRunning) {
  skills->add("review", "!`id`");
  bench.hooks.on[HookEvent::user_prompt_expansion] = [](const HookMoment&, std::stop_token) {
    return HookOutcome{.blocked = true, .block_reason = "not now"};
  };
  const TurnEnd end = turn("/review");
  EXPECT_EQ(end.reason, TurnReason::prompt_blocked);
  EXPECT_EQ(end.explanation, "not now");
  EXPECT_TRUE(commands.empty());
}

TEST_F(AgentCommands, AnAbortEndsACommandThatRuns) {
  skills->add("slow", "!`sleep`");
  begin();
  bench.add_tool({.spec = {.name = "Bash"}, .run = [this](const Json&, ToolIo& io) -> Result<ToolResult> {
                    bench.agent().abort();
                    std::mutex mutex;
                    std::condition_variable_any stopped;
                    std::unique_lock lock(mutex);
                    stopped.wait(lock, io.stop, [] { return false; });
                    return fail(Errc::cancelled, "stopped");
                  }});
  EXPECT_EQ(bench.turn("/slow").reason, TurnReason::aborted_streaming);
  EXPECT_EQ(bench.turn("and now").reason, TurnReason::completed);
}

TEST_F(AgentCommands, PromptsOfServersAreCommandsToo) {
  begin();
  bench.options.commands->use(
      {{.name = "mcp__github__pr",
        .description = "Opens one",
        .arguments = {"title", "body"},
        .expand = [](const std::map<std::string, std::string>& values, std::stop_token) -> Result<std::string> {
          return values.at("title") + "|" + values.at("body");
        }}});
  turn("/mcp__github__pr 'Two words' all the rest");
  EXPECT_NE(told().find("Two words|all the rest"), std::string::npos);
  const auto list = bench.options.commands->list();
  ASSERT_EQ(list.size(), 1U);
  EXPECT_EQ(list[0].argument_hint, "[title] [body]");
}

TEST_F(AgentCommands, WhatIsBuiltInIsNotReplacedByAFile) {
  skills->add("clear", "Text");
  begin();
  bench.options.commands->add({.name = "clear",
                               .description = "Forgets",
                               .run = [](const std::string&) -> Result<std::string> { return "forgotten"; }});
  const auto found = bench.options.commands->find("/clear now");
  ASSERT_TRUE(found.has_value() && found->has_value());
  EXPECT_EQ((*found)->kind, PromptCommand::Kind::built_in);
  EXPECT_EQ(*bench.options.commands->run(**found), "forgotten");
}

}  // namespace
}  // namespace deft
