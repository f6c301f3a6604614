#include "deft/ui/headless_options.h"

#include <gtest/gtest.h>

#include "deft/testing/temp_folder.h"

namespace deft {
namespace {

class HeadlessOptionsTest : public ::testing::Test {
 protected:
  Result<HeadlessOptions> parse(std::vector<const char*> arguments) const {
    arguments.insert(arguments.begin(), {"-p", "--cwd", folder_.path().c_str()});
    auto parsed = parse_headless_options(arguments);
    if (!parsed) return std::unexpected(parsed.error());
    return std::get<HeadlessOptions>(std::move(*parsed));
  }
  HeadlessOptions good(std::vector<const char*> arguments) const {
    auto options = parse(std::move(arguments));
    EXPECT_TRUE(options) << (options ? "" : options.error().message);
    return options ? std::move(*options) : HeadlessOptions{};
  }

  const TempFolder folder_;
};

TEST_F(HeadlessOptionsTest, APromptAloneIsANewSessionWithTextOut) {
  const HeadlessOptions options = good({"do it"});
  EXPECT_EQ(options.prompt, "do it");
  EXPECT_EQ(options.output.format, OutputFormat::text);
  EXPECT_EQ(options.session.working_directory, folder_.path());
  EXPECT_EQ(options.session.asking, Asking::nobody);
  ASSERT_TRUE(options.session.choice);
  EXPECT_FALSE(options.session.choice->resume);
  EXPECT_EQ(options.session.mode, std::nullopt);
  EXPECT_EQ(options.session.tools, std::nullopt);
}

TEST_F(HeadlessOptionsTest, RulesComeWithCommasAndBlanks) {
  const HeadlessOptions options =
      good({"--allowedTools", "Read,Bash(git log:*)", "Edit", "--disallowed-tools", "WebFetch WebSearch"});
  EXPECT_EQ(options.session.settings.allowed, (std::vector<std::string>{"Read", "Bash(git log:*)", "Edit"}));
  EXPECT_EQ(options.session.settings.denied, (std::vector<std::string>{"WebFetch", "WebSearch"}));
}

TEST_F(HeadlessOptionsTest, SdksSayWithEqualsSigns) {
  const HeadlessOptions options =
      good({"--output-format", "stream-json", "--verbose", "--input-format", "stream-json", "--model=m",
            "--permission-prompt-tool=stdio", "--setting-sources=", "--max-thinking-tokens=4000", "--effort=high",
            "--tools=Read,Grep", "--resume=abc", "--fork-session"});
  EXPECT_TRUE(options.stream_input);
  EXPECT_TRUE(options.host_decides);
  EXPECT_EQ(options.session.asking, Asking::frontend);
  EXPECT_EQ(options.session.provider.model, "m");
  EXPECT_FALSE(options.session.settings.wanted.user);
  EXPECT_EQ(to_json(options.session.thinking.value()), R"({"type":"enabled","budget_tokens":4000})");
  EXPECT_EQ(options.session.effort, "high");
  EXPECT_EQ(options.session.tools, (std::vector<std::string>{"Read", "Grep"}));
  EXPECT_EQ(options.session.choice->resume, "abc");
  EXPECT_TRUE(options.session.choice->fork);
}

TEST_F(HeadlessOptionsTest, ToolsMayBeNoneOrAll) {
  EXPECT_EQ(good({"--tools="}).session.tools, std::vector<std::string>{});
  EXPECT_EQ(good({"--tools=Task,Bash"}).session.tools, (std::vector<std::string>{"Agent", "Bash"}));  // by its old name
  EXPECT_EQ(good({"--tools=default"}).session.tools, std::nullopt);
}

TEST_F(HeadlessOptionsTest, ThinkingIsWhatWasSaidLast) {
  const HeadlessOptions shown = good({"--thinking", "adaptive", "--thinking-display", "omitted"});
  EXPECT_EQ(to_json(shown.session.thinking.value()), R"({"type":"adaptive"})");
  EXPECT_EQ(shown.session.thinking_display, "omitted");
  EXPECT_EQ(to_json(good({"--thinking=disabled"}).session.thinking.value()), R"({"type":"disabled"})");
  EXPECT_EQ(to_json(good({"--max-thinking-tokens=0"}).session.thinking.value()), R"({"type":"disabled"})");
  EXPECT_EQ(to_json(good({"--max-thinking-tokens=5"}).session.thinking.value()),
            R"({"type":"enabled","budget_tokens":1024})");
}

TEST_F(HeadlessOptionsTest, PermissionsAreBypassedOnlyWhereItIsSaid) {
  EXPECT_EQ(good({"--dangerously-skip-permissions"}).session.mode, Mode::bypass);
  EXPECT_TRUE(good({"--dangerously-skip-permissions"}).session.bypass_available);
  EXPECT_TRUE(good({"--allow-dangerously-skip-permissions"}).session.bypass_available);
  EXPECT_EQ(good({"--allow-dangerously-skip-permissions"}).session.mode, std::nullopt);
  EXPECT_EQ(good({"--permission-mode", "manual"}).session.mode, Mode::normal);
  EXPECT_FALSE(parse({"--dangerously-skip-permissions", "--permission-mode", "plan"}));
}

TEST_F(HeadlessOptionsTest, WordsMayComeFromFiles) {
  const std::string path = folder_.put("words.txt", "from a file");
  EXPECT_EQ(good({"--system-prompt-file", path.c_str()}).session.system_prompt, "from a file");
  EXPECT_EQ(good({"--append-system-prompt-file", path.c_str()}).session.appended_system_prompt, "from a file");
  EXPECT_EQ(good({"--system-prompt", ""}).session.system_prompt, "");
  EXPECT_FALSE(parse({"--system-prompt", "a", "--system-prompt-file", path.c_str()}));
}

TEST_F(HeadlessOptionsTest, NothingIsKeptWhenThatIsWanted) {
  EXPECT_EQ(good({"--no-session-persistence"}).session.choice, std::nullopt);
  EXPECT_FALSE(parse({"--no-session-persistence", "--continue"}));
}

TEST_F(HeadlessOptionsTest, AnEmptyWordOfAHostIsNoPrompt) {
  const HeadlessOptions options =
      good({"--output-format", "stream-json", "--input-format", "stream-json", "--replay-user-messages", ""});
  EXPECT_TRUE(options.replay_user_messages);
  EXPECT_EQ(options.prompt, std::nullopt);
  EXPECT_FALSE(parse({"--output-format", "stream-json", "--input-format", "stream-json", "", "go"}));
}

TEST_F(HeadlessOptionsTest, WhatMeansNothingHereIsTakenAndSaid) {
  const HeadlessOptions options = good({"--debug", "api", "--ide"});
  EXPECT_EQ(options.notices.size(), 2U);
}

TEST_F(HeadlessOptionsTest, WhatIsNotDoneHereIsRefusedByName) {
  for (const char* flag : {"--worktree", "--bare", "--safe-mode", "--init", "--init-only", "--maintenance"}) {
    const auto parsed = parse({flag});
    ASSERT_FALSE(parsed) << flag;
    EXPECT_NE(parsed.error().message.find("deft has no " + std::string(flag)), std::string::npos);
  }
  const auto unknown = parse({"--no-such-flag"});
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.error().message.find("--no-such-flag"), std::string::npos);
}

TEST_F(HeadlessOptionsTest, WhatDoesNotFitTogetherIsRefused) {
  EXPECT_FALSE(parse({"--input-format", "stream-json"}));
  EXPECT_FALSE(parse({"--replay-user-messages"}));
  EXPECT_FALSE(parse({"--permission-prompt-tool", "stdio"}));
  EXPECT_FALSE(parse({"prompt", "--output-format", "stream-json", "--input-format", "stream-json"}));
}

TEST_F(HeadlessOptionsTest, QuestionsGoToAHostOrToAToolOrToNobody) {
  EXPECT_EQ(good({"--permission-prompt-tool", "mcp__gate__ask"}).permission_tool, "mcp__gate__ask");
  EXPECT_EQ(good({"--permission-prompt-tool", "mcp__gate__ask"}).session.asking, Asking::person);
  EXPECT_EQ(good({"--permission-prompt-tool=mcp__gate__ask", "--permission-prompts=none"}).session.asking,
            Asking::nobody);
  EXPECT_FALSE(parse({"--permission-prompt-tool", "ask"}));
}

TEST_F(HeadlessOptionsTest, APointIsForASessionThatIsGoneOnWith) {
  const HeadlessOptions options = good({"--resume=x", "--resume-session-at=u1", "--resume-drops-turn=u2"});
  EXPECT_EQ(options.session.resume_at.at, "u1");
  EXPECT_EQ(options.session.resume_at.drops_turn, "u2");
  EXPECT_EQ(good({"--continue", "--resume-session-at=u1"}).session.resume_at.at, "u1");
  EXPECT_FALSE(parse({"--resume-session-at=u1"}));
  EXPECT_FALSE(parse({"--resume=x", "--resume-drops-turn=u2"}));
}

TEST_F(HeadlessOptionsTest, TheAgentsTypeIsChosenByName) {
  EXPECT_EQ(good({"--agent", "reviewer"}).session.agent, "reviewer");
  EXPECT_EQ(good({}).session.agent, std::nullopt);
}

TEST(HeadlessOptions, WithoutPrintNothingIsCarriedOut) {
  const std::vector<const char*> arguments = {"--model", "m"};
  const auto parsed = parse_headless_options(arguments);
  ASSERT_FALSE(parsed);
  EXPECT_NE(parsed.error().message.find("-p"), std::string::npos);
}

}  // namespace
}  // namespace deft
