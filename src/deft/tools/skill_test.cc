#include "deft/tools/skill.h"

#include <gtest/gtest.h>

#include "deft/testing/engine_bench.h"
#include "deft/testing/fake_skills.h"

namespace deft {
namespace {

class SkillToolTest : public ::testing::Test {
 protected:
  void SetUp() override { skills = std::make_shared<FakeSkills>(); }

  // Once the skills are there: with a shell that says what it was given.
  void begin() {
    bench.add_tool({.spec = {.name = "Bash"}, .run = [this](const Json& input, ToolIo&) -> Result<ToolResult> {
                      const std::string command(*find_string(input, "command"));
                      commands.push_back(command);
                      if (command == "false") return fail(Errc::failed, "Exit code 1");
                      return ToolResult{.text = "output of " + command + "\n"};
                    }});
    bench.add_tool({.spec = {.name = "Do"},
                    .run = [](const Json&, ToolIo&) -> Result<ToolResult> { return ToolResult{.text = "done"}; }});
    options.skills = skills;
    options.scene = [] { return SkillScene{.session_id = "s1", .effort = "low", .project = "/project"}; };
    bench.add_tool(make_skill_tool(options));
  }
  CallAnswered use(std::string name, std::string arguments = {}) {
    begin();
    bench.call("1", "Skill", JsonObject{{"skill", name}, {"args", arguments}});
    bench.call("2", "Do");
    bench.finish();
    return bench.answers().at(0);
  }
  static std::string told(const CallAnswered& answer) {
    if (answer.result.new_messages.empty()) return "";
    return std::string(find_string(answer.result.new_messages.at(0), "text").value_or(""));
  }

  std::shared_ptr<FakeSkills> skills;
  SkillToolOptions options;
  EngineBench bench{{.mode = Mode::normal}};
  std::vector<std::string> commands;
};

TEST_F(SkillToolTest, ItsTextFollowsTheResult) {
  skills->add("review", "Look at $ARGUMENTS in ${CLAUDE_PROJECT_DIR}, session ${DEFT_SESSION_ID}.\n");
  const CallAnswered answer = use("review", "a.cc");
  EXPECT_FALSE(answer.result.is_error()) << answer.result.text;
  EXPECT_EQ(told(answer),
            "<skill name=\"review\" folder=\"/skills/review\">\nLook at a.cc in /project, session s1.\n</skill>");
  EXPECT_EQ(to_json(answer.result.details), R"({"success":true,"commandName":"review"})");
}

TEST_F(SkillToolTest, FilesThatItMentionsFollowItsTextIfTheyMayBeRead) {
  skills->add("explain", "Explain @$ARGUMENTS and @missing.txt.\n");
  bench.add_tool({.spec = {.name = "Read"},
                  .run = [](const Json& input, ToolIo&) -> Result<ToolResult> {
                    const std::string path(*find_string(input, "file_path"));
                    if (!path.ends_with("a.cc")) return fail(Errc::not_found, "there is no such file");
                    return ToolResult{.text = "1\tint a;\n"};
                  },
                  .is_read_only = [](const Json&) { return true; },
                  .footprint = [](const Json&) { return std::optional(Footprint::nothing()); }});
  EXPECT_EQ(told(use("explain", "a.cc")),
            "<skill name=\"explain\" folder=\"/skills/explain\">\nExplain @a.cc and @missing.txt.\n\n"
            "<file path=\"a.cc\">\n1\tint a;\n</file>\n</skill>");
}

TEST_F(SkillToolTest, ItIsFoundByItsSlashToo) {
  skills->add("review", "Text");
  EXPECT_EQ(to_json(use("/review").result.details), R"({"success":true,"commandName":"review"})");
}

TEST_F(SkillToolTest, OnlyWhatTheModelMayUseIsListedAndUsed) {
  skills->add("deploy", "Text").for_model = false;
  skills->add("review", "Text");
  const CallAnswered answer = use("deploy");
  EXPECT_EQ(answer.result.error, Errc::denied);
  EXPECT_NE(answer.result.text.find("only for the user"), std::string::npos);
  const auto tool = make_skill_tool(options);
  EXPECT_NE(tool->spec().description.find("- review: About review\n"), std::string::npos);
  EXPECT_EQ(tool->spec().description.find("deploy"), std::string::npos);
  EXPECT_EQ(tool->spec().description, make_skill_tool(options)->spec().description);
}

TEST_F(SkillToolTest, ItsCommandsRunWhereItAllowsThemAndTheirOutputStandsInTheirPlace) {
  skills->add("status", "Now:\n!`git status`\nend\n").allowed_tools = {"Bash(git status)"};
  options.skills = skills;
  EngineBench allowed({.mode = Mode::normal, .rules = {.allow = {read_rule("Skill(status)")}}});
  allowed.add_tool({.spec = {.name = "Bash"},
                    .run = [](const Json&, ToolIo&) -> Result<ToolResult> { return ToolResult{.text = "clean\n"}; }});
  allowed.add_tool(make_skill_tool(options));
  allowed.call("1", "Skill", JsonObject{{"skill", "status"}});
  allowed.finish();
  EXPECT_EQ(told(allowed.answers().at(0)),
            "<skill name=\"status\" folder=\"/skills/status\">\nNow:\nclean\nend\n</skill>");
}

TEST_F(SkillToolTest, ACommandThatNobodyAllowedEndsIt) {
  skills->add("status", "!`rm -rf x`\n");
  const CallAnswered answer = use("status");
  EXPECT_TRUE(answer.result.is_error());
  EXPECT_NE(answer.result.text.find("`rm -rf x` is not allowed"), std::string::npos) << answer.result.text;
  EXPECT_TRUE(commands.empty());
  EXPECT_TRUE(answer.result.new_messages.empty());
}

TEST_F(SkillToolTest, WhereTheSettingsForbidItsCommandsTheyAreLeftOut) {
  skills->add("status", "Now:\n!`rm -rf x`\nend\n").runs_commands = false;
  const CallAnswered answer = use("status");
  ASSERT_FALSE(answer.result.is_error()) << answer.result.text;
  EXPECT_NE(told(answer).find("Now:\n[shell command execution disabled by policy]\nend"), std::string::npos);
  EXPECT_TRUE(commands.empty());
}

TEST_F(SkillToolTest, OneThatGrantsItselfSomethingIsAskedFor) {
  skills->add("push", "Text").allowed_tools = {"Bash"};
  const CallAnswered answer = use("push");
  EXPECT_EQ(answer.result.error, Errc::denied);
  EXPECT_NE(answer.result.text.find("no rule allows it"), std::string::npos) << answer.result.text;
}

TEST_F(SkillToolTest, OfAStrangerNothingRunsAndNothingIsGranted) {
  Skill& skill = skills->add("own", "!`id`\n");
  skill.trusted = false;
  skill.allowed_tools = {"Bash", "Do"};
  const CallAnswered answer = use("own");
  EXPECT_NE(answer.result.text.find("not trusted"), std::string::npos) << answer.result.text;
  EXPECT_TRUE(commands.empty());
  EXPECT_EQ(bench.answers().at(1).result.error, Errc::denied);
}

TEST_F(SkillToolTest, WhatItForbidsIsForbidden) {
  skills->add("careful", "Text").disallowed_tools = {"Do"};
  use("careful");
  EXPECT_FALSE(bench.answers().at(0).result.is_error());
  EXPECT_EQ(bench.answers().at(1).result.error, Errc::denied);
}

TEST_F(SkillToolTest, ATaskForAnAgentOfItsOwnIsGivenToOne) {
  Skill& skill = skills->add("search", "Find $0");
  skill.forks = true;
  skill.agent = "Explore";
  SkillTask given;
  options.run_agent = [&](const SkillTask& task, ToolIo&) -> Result<ToolResult> {
    given = task;
    return ToolResult{.text = "found"};
  };
  EXPECT_EQ(use("search", "it").result.text, "found");
  EXPECT_EQ(given.prompt, "Find it");
  EXPECT_EQ(given.agent_type, "Explore");
}

TEST_F(SkillToolTest, OneWithHooksNeedsSomebodyWhoCanUseThem) {
  skills->add("hooked", "Text").hooks = JsonObject{{"Stop", JsonArray()}};
  options.skills = skills;
  EngineBench allowed({.mode = Mode::bypass});
  bool used = false;
  options.use_hooks = [&](const Skill&) -> Result<void> {
    used = true;
    return {};
  };
  allowed.add_tool(make_skill_tool(options));
  allowed.call("1", "Skill", JsonObject{{"skill", "hooked"}});
  allowed.finish();
  EXPECT_TRUE(used);
  EXPECT_FALSE(allowed.answers().at(0).result.is_error());
}

TEST_F(SkillToolTest, ADenyRuleMeansItByWhateverNameItIsCalled) {
  skills->add("review", "Text");
  EngineBench denied({.mode = Mode::bypass, .rules = {.deny = {read_rule("Skill(review)")}}});
  options.skills = skills;
  denied.add_tool(make_skill_tool(options));
  denied.call("1", "Skill", JsonObject{{"skill", "review"}});
  denied.call("2", "Skill", JsonObject{{"skill", "//review"}, {"args", "x"}});
  denied.finish();
  EXPECT_EQ(denied.answers().at(0).result.error, Errc::denied);
  EXPECT_EQ(denied.answers().at(1).result.error, Errc::denied);
}

}  // namespace
}  // namespace deft
