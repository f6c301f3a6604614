#include "deft/agent/agent_files.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "deft/os/disk_files.h"
#include "deft/testing/temp_folder.h"

namespace deft {
namespace {

class AgentFiles : public ::testing::Test {
 protected:
  AgentFiles() {
    write("project/.git/HEAD", "ref: refs/heads/main\n");
    std::filesystem::create_directories(folder.path() + "/project/sub");
    request.places = {.directory = folder.path() + "/project/sub",
                      .home = folder.path() + "/home",
                      .config_home = folder.path() + "/home/.config",
                      .claude_home = folder.path() + "/home/.claude",
                      .system = folder.path() + "/etc"};
    request.trusted = true;
  }
  void write(const std::string& path, const std::string& text) { folder.put(path, text); }
  static std::string file(const std::string& name, const std::string& description, const std::string& more = "") {
    return "---\nname: " + name + "\ndescription: " + description + "\n" + more + "---\nYou are " + name + ".\n";
  }
  std::string description_of(const std::string& name) {
    found = find_agent_types(request, disk);
    const auto type = std::ranges::find(found.types, name, &AgentType::name);
    return type == found.types.end() ? "none" : type->description;
  }

  TempFolder folder;
  DiskFiles disk;
  AgentFilesRequest request;
  FoundAgentTypes found;
};

TEST_F(AgentFiles, TheStrongestPlaceCounts) {
  write("home/.claude/agents/a.md", file("a", "of claude"));
  EXPECT_EQ(description_of("a"), "of claude");
  write("home/.config/deft/agents/a.md", file("a", "of the user"));
  EXPECT_EQ(description_of("a"), "of the user");
  write("project/.claude/agents/deep/er/a.md", file("a", "of the project"));
  EXPECT_EQ(description_of("a"), "of the project");
  write("project/sub/.deft/agents/a.md", file("a", "of the nearest folder"));
  EXPECT_EQ(description_of("a"), "of the nearest folder");
  request.given = Json{{"a", {{"description", "of the command line"}}}};
  EXPECT_EQ(description_of("a"), "of the command line");
  write("etc/deft/agents/a.md", file("a", "of the machine"));
  EXPECT_EQ(description_of("a"), "of the machine");
  EXPECT_EQ(found.types.size(), 1U);
  EXPECT_TRUE(found.problems.empty());
}

TEST_F(AgentFiles, WhatIsAboveTheRepositoryIsNotOfTheProject) {
  write(".claude/agents/a.md", file("a", "above"));
  EXPECT_EQ(description_of("a"), "none");
}

TEST_F(AgentFiles, WithoutARepositoryOnlyTheFolderItselfCounts) {
  std::filesystem::remove_all(folder.path() + "/project/.git");
  write("project/.claude/agents/a.md", file("a", "above"));
  write("project/sub/.claude/agents/b.md", file("b", "here"));
  EXPECT_EQ(description_of("a"), "none");
  EXPECT_EQ(description_of("b"), "here");
}

TEST_F(AgentFiles, ARepositoryThatAStrangerMayHavePutAroundTheFolderIsNotOfTheProject) {
  write("project/.claude/agents/a.md", file("a", "above"));
  EXPECT_EQ(description_of("a"), "above");
  ASSERT_EQ(::chmod((folder / "project").c_str(), 01777), 0) << "like /tmp";
  EXPECT_EQ(description_of("a"), "none");
}

TEST_F(AgentFiles, ABrokenFileIsNamedAndTheOthersCount) {
  write("project/.claude/agents/bad.md", "---\nname: bad\n---\n");
  write("project/.claude/agents/good.md", file("good", "fine"));
  write("project/.claude/agents/README.md", "# Agents\n");
  EXPECT_EQ(description_of("good"), "fine");
  ASSERT_EQ(found.problems.size(), 1U);
  EXPECT_NE(found.problems[0].find("bad.md: description is missing"), std::string::npos) << found.problems[0];
}

TEST_F(AgentFiles, AnUntrustedProjectTakesNobodysPlace) {
  request.trusted = false;
  write("project/.claude/agents/Explore.md", file("Explore", "of a stranger"));
  write("project/.claude/agents/a.md", file("a", "of a stranger"));
  write("project/.claude/agents/b.md", file("b", "of a stranger", "permissionMode: acceptEdits\n"));
  write("home/.claude/agents/a.md", file("a", "of the user"));
  EXPECT_EQ(description_of("Explore"), "none");
  EXPECT_EQ(description_of("a"), "of the user");
  EXPECT_EQ(description_of("b"), "of a stranger");
  EXPECT_EQ(std::ranges::find(found.types, "b", &AgentType::name)->mode, std::nullopt);
}

TEST_F(AgentFiles, SourcesThatAreNotWantedAreNotRead) {
  request.sources = {.user = false, .project = false};
  write("project/.claude/agents/a.md", file("a", "of the project"));
  write("home/.claude/agents/b.md", file("b", "of the user"));
  EXPECT_EQ(description_of("a"), "none");
  EXPECT_EQ(description_of("b"), "none");
}

TEST_F(AgentFiles, AFifoInsteadOfAFileStopsNobody) {
  std::filesystem::create_directories(folder.path() + "/project/.claude/agents");
  ASSERT_EQ(::mkfifo((folder.path() + "/project/.claude/agents/f.md").c_str(), 0600), 0);
  write("project/.claude/agents/good.md", file("good", "fine"));
  EXPECT_EQ(description_of("good"), "fine");
  EXPECT_EQ(found.problems.size(), 1U);
}

}  // namespace
}  // namespace deft
