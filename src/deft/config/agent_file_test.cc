#include "deft/config/agent_file.h"

#include <gtest/gtest.h>

namespace deft {
namespace {

AgentType read(std::string_view text, bool trusted = true) {
  auto file = read_agent_file(text, trusted);
  EXPECT_TRUE(file) << (file ? "" : file.error().message);
  return file && *file ? (*file)->type : AgentType{};
}
std::vector<std::string> notes(std::string_view text, bool trusted = true) {
  auto file = read_agent_file(text, trusted);
  return file && *file ? (*file)->notes : std::vector<std::string>{};
}
std::string error(std::string_view text) {
  auto file = read_agent_file(text, true);
  return file ? "" : file.error().message;
}

TEST(AgentFile, SaysAllOfWhatATypeIs) {
  const AgentType type = read(
      "---\n"
      "name: reviewer\n"
      "description: Reviews code: use it after changes\n"
      "tools: Read, Grep, Glob, Agent(Explore)\n"
      "disallowedTools:\n  - Bash\n"
      "model: opus\n"
      "permissionMode: acceptEdits\n"
      "maxTurns: 12\n"
      "background: yes\n"
      "effort: high\n"
      "color: red\n"
      "---\n"
      "\nYou review.\n");
  EXPECT_EQ(type.name, "reviewer");
  EXPECT_EQ(type.description, "Reviews code: use it after changes");
  EXPECT_EQ(type.prompt, "You review.");
  EXPECT_EQ(type.tools, (std::vector<std::string>{"Read", "Grep", "Glob", "Agent"}));
  EXPECT_EQ(type.agents, std::vector<std::string>{"Explore"});
  EXPECT_EQ(type.disallowed_tools, std::vector<std::string>{"Bash"});
  EXPECT_EQ(type.model, "opus");
  EXPECT_EQ(type.mode, Mode::accept_edits);
  EXPECT_EQ(type.turns_max, 12U);
  EXPECT_EQ(type.effort, "high");
  EXPECT_TRUE(type.background);
}

TEST(AgentFile, OneWithoutANameIsSomeOtherFile) {
  for (const char* text : {"# Readme\n", "---\ndescription: x\n---\nbody", ""}) {
    const auto file = read_agent_file(text, true);
    ASSERT_TRUE(file);
    EXPECT_FALSE(*file);
  }
}

TEST(AgentFile, WhatIsWrongIsSaid) {
  EXPECT_NE(error("---\nname: x\n---\n").find("description is missing"), std::string::npos);
  EXPECT_NE(error("---\nname: a:b\ndescription: x\n---\n").find("name must"), std::string::npos);
  EXPECT_NE(error("---\nname: \"a\\e[31m\"\ndescription: x\n---\n").find("name must"), std::string::npos);
  EXPECT_NE(error("---\nname: -a\ndescription: x\n---\n").find("name must"), std::string::npos);
  EXPECT_NE(error("---\nname: a\ndescription: x\nmaxTurns: 0\n---\n").find("maxTurns"), std::string::npos);
  EXPECT_NE(error("---\nname: a\ndescription: x\npermissionMode: yolo\n---\n").find("permissionMode"),
            std::string::npos);
  EXPECT_NE(error("---\nname: a\ndescription: x\neffort: huge\n---\n").find("effort"), std::string::npos);
  EXPECT_NE(error("---\nname: a\ndescription: [\n").find("line"), std::string::npos);
}

TEST(AgentFile, BypassIsNeverGivenByAFile) {
  const char* text = "---\nname: a\ndescription: x\npermissionMode: bypassPermissions\n---\n";
  EXPECT_EQ(read(text).mode, std::nullopt);
  EXPECT_EQ(notes(text).size(), 1U);
}

TEST(AgentFile, AStrangersFileMayBeStricterButNotLooser) {
  EXPECT_EQ(read("---\nname: a\ndescription: x\npermissionMode: acceptEdits\n---\n", false).mode, std::nullopt);
  EXPECT_EQ(read("---\nname: a\ndescription: x\npermissionMode: plan\n---\n", false).mode, Mode::plan);
}

TEST(AgentFile, WhatCannotBeKeptToTakesAwayMoreNotLess) {
  const AgentType type =
      read("---\nname: a\ndescription: x\ntools: Read, Bash(git log *)\ndisallowedTools: Edit(src/**)\n---\n");
  EXPECT_EQ(type.tools, std::vector<std::string>{"Read"});
  EXPECT_EQ(type.disallowed_tools, std::vector<std::string>{"Edit"});
}

constexpr const char* kWithOwnThings =
    "---\nname: a\ndescription: x\ninitialPrompt: Begin here.\nmemory: project\n"
    "mcpServers:\n  - github\n  - own:\n      command: server\n"
    "hooks:\n  Stop:\n    - hooks:\n        - type: command\n          command: echo done\n---\nYou work.\n";

TEST(AgentFile, BringsHooksServersAndAMemoryAlong) {
  const AgentType type = read(kWithOwnThings);
  EXPECT_EQ(type.initial_prompt, "Begin here.");
  EXPECT_EQ(type.memory, AgentType::Memory::project);
  EXPECT_EQ(to_json(type.servers), R"(["github",{"own":{"command":"server"}}])");
  EXPECT_EQ(to_json(type.hooks), R"({"Stop":[{"hooks":[{"type":"command","command":"echo done"}]}]})");
  EXPECT_TRUE(notes(kWithOwnThings).empty());
}

TEST(AgentFile, NothingOfAStrangersFileRuns) {
  const AgentType type = read(kWithOwnThings, false);
  EXPECT_TRUE(type.hooks.is_null());
  EXPECT_TRUE(type.servers.empty());
  EXPECT_EQ(type.memory, AgentType::Memory::none);
  EXPECT_EQ(notes(kWithOwnThings, false).size(), 3U);
}

TEST(AgentFile, WhatItBringsAlongMustHaveTheRightShape) {
  const auto with = [](const std::string& line) { return "---\nname: a\ndescription: x\n" + line + "\n---\n"; };
  EXPECT_NE(error(with("memory: everywhere")).find("memory must"), std::string::npos);
  EXPECT_NE(error(with("hooks: no")).find("hooks must"), std::string::npos);
  EXPECT_NE(error(with("mcpServers: [1]")).find("mcpServers must"), std::string::npos);
}

TEST(AgentFile, TheCommandLineGivesSeveralAtOnce) {
  const auto types = read_agents_object(*parse_json(
      R"({"a":{"description":"does a","prompt":"You do a.","tools":["Read"]},"b":{"description":"does b"}})"));
  ASSERT_TRUE(types) << types.error().message;
  ASSERT_EQ(types->size(), 2U);
  EXPECT_EQ((*types)[0].type.prompt, "You do a.");
  EXPECT_EQ((*types)[0].type.tools, std::vector<std::string>{"Read"});
  EXPECT_FALSE(read_agents_object(*parse_json(R"({"a":{"prompt":"x"}})")));
  EXPECT_FALSE(read_agents_object(*parse_json("[]")));
}

}  // namespace
}  // namespace deft
