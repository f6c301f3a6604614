#include "deft/agent/skill_shelf.h"

#include <gtest/gtest.h>

#include "deft/testing/fake_files.h"

namespace deft {
namespace {

using Names = std::vector<std::string>;

class SkillShelfTest : public ::testing::Test {
 protected:
  SkillShelfTest() {
    disk.put_folder("/home/u/p/.git");
    disk.put_folder("/home/u/p/sub");
    request.places = {.directory = "/home/u/p/sub",
                      .home = "/home/u",
                      .config_home = "/home/u/.config",
                      .claude_home = "/home/u/.claude",
                      .system = "/etc"};
  }

  static Names names_of(const std::vector<Skill>& skills) {
    Names names;
    for (const Skill& skill : skills) names.push_back(skill.name);
    return names;
  }
  Names all() { return names_of(SkillShelf(request, disk).all()); }
  Skill found(std::string_view name) {
    const auto skill = SkillShelf(request, disk).find(name);
    EXPECT_TRUE(skill.has_value()) << skill.error().message;
    return skill ? *skill : Skill{};
  }

  FakeFiles disk;
  SkillRequest request;
};

TEST_F(SkillShelfTest, SkillsAndCommandsAreFoundInAllTheirPlaces) {
  disk.put("/etc/deft/skills/a/SKILL.md", "A");
  disk.put("/home/u/.config/deft/skills/b/SKILL.md", "B");
  disk.put("/home/u/.claude/skills/c/SKILL.md", "C");
  disk.put("/home/u/.claude/commands/d.md", "D");
  disk.put("/home/u/p/.claude/skills/e/SKILL.md", "E");
  disk.put("/home/u/p/sub/.deft/skills/f/SKILL.md", "F");
  disk.put("/home/u/p/.claude/commands/front/g.md", "G");
  disk.put("/home/u/p/.claude/commands/notes.txt", "no command");
  disk.put("/home/u/p/.claude/skills/none/other.md", "no skill");
  disk.put("/home/u/.claude/../outside/.claude/skills/h/SKILL.md", "above the repository");
  EXPECT_EQ(all(), (Names{"a", "b", "c", "d", "e", "f", "front:g"}));
  EXPECT_EQ(found("front:g").kind, Skill::Kind::command);
  EXPECT_EQ(found("front:g").body, "G");
  EXPECT_EQ(found("e").folder, "/home/u/p/.claude/skills/e");
}

TEST_F(SkillShelfTest, AHostMayOfferTheModelSomeOfThemAlone) {
  for (const char* name : {"a", "b"}) disk.put("/home/u/.claude/skills/" + std::string(name) + "/SKILL.md", "text");
  SkillShelf shelf(request, disk);
  shelf.offer_only({"b", "later"});
  EXPECT_EQ(names_of(shelf.for_model()), Names{"b"});
  EXPECT_FALSE(shelf.find("a")->for_model);
  EXPECT_TRUE(shelf.find("a")->for_user);
  EXPECT_TRUE(shelf.find("b")->for_model);
  disk.put("/home/u/.claude/skills/c/SKILL.md", "text");
  disk.put("/home/u/.claude/skills/later/SKILL.md", "text");
  shelf.look_again();
  EXPECT_FALSE(shelf.find("c")->for_model);
  EXPECT_TRUE(shelf.find("later")->for_model);
  EXPECT_TRUE(shelf.offers("later"));
  EXPECT_FALSE(shelf.offers("a"));
}

TEST_F(SkillShelfTest, TheSettingsSayWhoMayUseWhichAndWhetherCommandsRun) {
  using Use = ToolSettings::SkillUse;
  for (const char* name : {"a", "b", "c", "d"}) {
    disk.put("/home/u/.claude/skills/" + std::string(name) + "/SKILL.md", "---\ndescription: about it\n---\n!`date`\n");
  }
  disk.put("/etc/deft/skills/m/SKILL.md", "!`date`");
  request.settings.skill_overrides = {{"b", Use::name_only}, {"c", Use::user_only}, {"d", Use::off}};
  request.settings.skill_commands = false;
  const SkillShelf shelf(request, disk);
  EXPECT_EQ(names_of(shelf.all()), (Names{"a", "b", "c", "m"}));
  EXPECT_EQ(names_of(shelf.for_model()), (Names{"a", "b", "m"}));
  EXPECT_EQ(found("a").description, "about it");
  EXPECT_EQ(found("b").description, "");
  EXPECT_FALSE(found("c").for_model);
  EXPECT_TRUE(found("c").for_user);
  EXPECT_FALSE(found("a").runs_commands);
  EXPECT_TRUE(found("m").runs_commands) << "the machine's own";
}

TEST_F(SkillShelfTest, AboveTheRepositoryNothingIsLookedFor) {
  disk.put("/home/.claude/skills/x/SKILL.md", "X");
  EXPECT_EQ(all(), Names{});
}

TEST_F(SkillShelfTest, OfOneNameTheStrongestCounts) {
  disk.put("/home/u/p/sub/.claude/skills/x/SKILL.md", "nearest");
  disk.put("/home/u/p/.claude/skills/x/SKILL.md", "farther");
  EXPECT_EQ(found("x").body, "nearest");
  disk.put("/home/u/.claude/skills/x/SKILL.md", "user");
  EXPECT_EQ(found("x").body, "user");
  disk.put("/etc/deft/skills/x/SKILL.md", "machine");
  EXPECT_EQ(found("x").body, "machine");
  EXPECT_EQ(all(), Names{"x"});
}

TEST_F(SkillShelfTest, ASkillCountsBeforeACommandAndDeftsOwnPlaceBeforeTheOther) {
  disk.put("/home/u/.claude/commands/x.md", "command of the user");
  disk.put("/home/u/p/.claude/skills/x/SKILL.md", "skill of the project");
  disk.put("/home/u/p/.deft/skills/x/SKILL.md", "skill of the project, deft's");
  EXPECT_EQ(found("x").body, "skill of the project, deft's");
}

TEST_F(SkillShelfTest, OnlyWhatIsTheUsersOwnOrTrustedIsTrusted) {
  disk.put("/home/u/.claude/skills/mine/SKILL.md", "M");
  disk.put("/home/u/p/.claude/skills/theirs/SKILL.md", "T");
  EXPECT_TRUE(found("mine").trusted);
  EXPECT_FALSE(found("theirs").trusted);
  request.trusted = true;
  EXPECT_TRUE(found("theirs").trusted);
}

TEST_F(SkillShelfTest, ALinkOutOfAStrangersProjectIsLeftOut) {
  disk.put("/home/u/private.md", "secret");
  disk.put_folder("/home/u/p/.claude/commands");
  disk.put_link("/home/u/p/.claude/commands/x.md", "/home/u/private.md");
  SkillShelf shelf(request, disk);
  EXPECT_EQ(names_of(shelf.all()), Names{});
  ASSERT_EQ(shelf.problems().size(), 1U);
  EXPECT_NE(shelf.problems()[0].find("leads out of"), std::string::npos);
  request.trusted = true;
  EXPECT_EQ(all(), Names{"x"});
}

TEST_F(SkillShelfTest, WhatIsBrokenIsLeftOutAndNamed) {
  disk.put("/home/u/.claude/skills/bad/SKILL.md", "---\ndisable-model-invocation: perhaps\n---\n");
  disk.put("/home/u/.claude/skills/large/SKILL.md", std::string(kSkillFileBytesMax + 1, 'x'));
  disk.put("/home/u/.claude/commands/two words.md", "X");
  disk.put_special("/home/u/.claude/commands/pipe.md", FileKind::fifo);
  disk.put("/home/u/.claude/skills/good/SKILL.md", "G");
  SkillShelf shelf(request, disk);
  EXPECT_EQ(names_of(shelf.all()), Names{"good"});
  EXPECT_EQ(shelf.problems().size(), 4U);
}

TEST_F(SkillShelfTest, AFileThatNobodyMayReadIsLeftOut) {
  disk.put("/home/u/p/.claude/skills/x/SKILL.md", "X");
  request.may_read = [](const std::string& path) { return path.find("/x/") == std::string::npos; };
  EXPECT_EQ(all(), Names{});
}

TEST_F(SkillShelfTest, TheModelIsToldOfWhatItMayUse) {
  disk.put("/home/u/.claude/skills/mine/SKILL.md", "---\ndisable-model-invocation: true\n---\n");
  disk.put("/home/u/.claude/skills/all/SKILL.md", "A");
  disk.put("/home/u/p/.claude/skills/some/SKILL.md", "---\npaths: '**/*.sql'\n---\n");
  SkillShelf shelf(request, disk);
  EXPECT_EQ(names_of(shelf.for_model()), Names{"all"});
  EXPECT_EQ(names_of(shelf.after_reading("/home/u/p/a.cc")), Names{});
  EXPECT_EQ(names_of(shelf.after_reading("/home/u/p/db/a.sql")), Names{"some"});
  EXPECT_EQ(names_of(shelf.after_reading("/home/u/p/db/b.sql")), Names{});
  EXPECT_EQ(names_of(shelf.for_model()), Names{"all"});
}

TEST_F(SkillShelfTest, SkillsBelowAreFoundWhenAFileThereIsRead) {
  disk.put("/home/u/p/.claude/skills/test/SKILL.md", "of the project");
  disk.put("/home/u/p/sub/api/v1/.claude/skills/test/SKILL.md", "of the folder");
  disk.put("/home/u/p/sub/api/.deft/skills/lint/SKILL.md", "L");
  disk.put("/home/u/p/sub/web/.deft/skills/page/SKILL.md", "P");
  SkillShelf shelf(request, disk);
  EXPECT_EQ(names_of(shelf.all()), Names{"test"});
  EXPECT_EQ(names_of(shelf.after_reading("/home/u/p/sub/api/v1/a.cc")), (Names{"api/v1:test", "lint"}));
  EXPECT_EQ(shelf.find("api/v1:test")->body, "of the folder");
  EXPECT_EQ(shelf.find("test")->body, "of the project");
  EXPECT_EQ(names_of(shelf.after_reading("/elsewhere/a.cc")), Names{});
  EXPECT_NE(new_skills_text({*shelf.find("lint")}).find("- lint: L\n"), std::string::npos);
  EXPECT_EQ(new_skills_text({}), "");
}

TEST_F(SkillShelfTest, WhatWasChangedCountsFromTheNextUseOn) {
  disk.put("/home/u/.claude/skills/x/SKILL.md", "old");
  const SkillShelf shelf(request, disk);
  disk.put("/home/u/.claude/skills/x/SKILL.md", "new");
  EXPECT_EQ(shelf.find("x")->body, "new");
  disk.put("/home/u/.claude/skills/x/SKILL.md", "---\nhooks: 1\n---\n");
  EXPECT_NE(shelf.find("x").error().message.find("\"hooks\""), std::string::npos);
}

TEST_F(SkillShelfTest, WhatIsNewIsFoundWhenOneLooksAgain) {
  SkillShelf shelf(request, disk);
  disk.put("/home/u/.claude/commands/late.md", "L");
  EXPECT_FALSE(shelf.known("late").has_value());
  shelf.look_again();
  EXPECT_TRUE(shelf.known("late").has_value());
  EXPECT_TRUE(shelf.for_model().empty());
}

TEST_F(SkillShelfTest, AnUnknownNameIsAnsweredWithThoseThatThereAre) {
  disk.put("/home/u/.claude/skills/x/SKILL.md", "X");
  const auto missing = SkillShelf(request, disk).find("y");
  ASSERT_FALSE(missing.has_value());
  EXPECT_EQ(missing.error().message, "There is no skill \"y\". There are: x.");
}

TEST_F(SkillShelfTest, ShortNamesOfModelsBecomeWholeOnes) {
  disk.put("/home/u/.claude/skills/x/SKILL.md", "---\nmodel: opus\n---\n");
  request.model_named = [](const std::string& name) { return "claude-" + name; };
  EXPECT_EQ(found("x").model, "claude-opus");
}

TEST_F(SkillShelfTest, SourcesThatAreNotWantedAreNotRead) {
  disk.put("/home/u/.claude/skills/mine/SKILL.md", "M");
  disk.put("/home/u/p/.claude/skills/theirs/SKILL.md", "T");
  request.sources = {.user = false, .project = false, .local = false};
  EXPECT_EQ(all(), Names{});
}

}  // namespace
}  // namespace deft
