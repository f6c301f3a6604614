#include "deft/config/skill_file.h"

#include <gtest/gtest.h>

namespace deft {
namespace {

using Words = std::vector<std::string>;

Result<Skill> read(std::string_view text, Skill::Kind kind = Skill::Kind::skill) {
  std::vector<std::string> notes;
  return read_skill({.name = "review", .kind = kind, .path = "/s/review/SKILL.md", .folder = "/s/review"}, text, notes);
}

std::string error_of(std::string_view text) {
  const auto skill = read(text);
  return skill ? "" : skill.error().message;
}

TEST(SkillFile, SaysWhatTheSkillIsAndDoes) {
  const auto skill = read(
      "---\n"
      "name: ignored\n"
      "description: Reviews a change\n"
      "when_to_use: Before a commit\n"
      "argument-hint: [file] [lines]\n"
      "arguments: file lines\n"
      "disable-model-invocation: yes\n"
      "user-invocable: off\n"
      "allowed-tools: Bash(git diff *), Read Grep\n"
      "disallowed-tools: [WebFetch]\n"
      "model: opus\n"
      "effort: high\n"
      "context: fork\n"
      "agent: Explore\n"
      "background: 1\n"
      "paths: 'src/**/*.{cc,h}, docs/*'\n"
      "shell: powershell\n"
      "hooks:\n  Stop:\n    - hooks: [{type: command, command: x}]\n"
      "license: MIT\n"
      "---\nLook at $0.\n");
  ASSERT_TRUE(skill.has_value()) << skill.error().message;
  EXPECT_EQ(skill->name, "review");
  EXPECT_EQ(skill->description, "Reviews a change");
  EXPECT_EQ(skill->when_to_use, "Before a commit");
  EXPECT_EQ(skill->argument_hint, "[file] [lines]");
  EXPECT_EQ(skill->arguments, (Words{"file", "lines"}));
  EXPECT_FALSE(skill->for_model);
  EXPECT_FALSE(skill->for_user);
  EXPECT_EQ(skill->allowed_tools, (Words{"Bash(git diff *)", "Read", "Grep"}));
  EXPECT_EQ(skill->disallowed_tools, (Words{"WebFetch"}));
  EXPECT_EQ(skill->model, "opus");
  EXPECT_EQ(skill->effort, "high");
  EXPECT_TRUE(skill->forks);
  EXPECT_EQ(skill->agent, "Explore");
  EXPECT_TRUE(skill->in_background);
  EXPECT_EQ(skill->paths, (Words{"src/**/*.{cc,h}", "docs/*"}));
  EXPECT_EQ(skill->shell, Skill::Shell::powershell);
  EXPECT_TRUE(skill->hooks.is_object());
  EXPECT_EQ(skill->body, "Look at $0.\n");
  EXPECT_FALSE(skill->trusted);
}

TEST(SkillFile, WithoutADescriptionItsFirstLineDescribesIt) {
  EXPECT_EQ(read("\n## Fix the *build*\nmore\n")->description, "Fix the *build*");
  EXPECT_EQ(read("---\nmodel: opus\n---\n\n- Do it\n")->description, "Do it");
  EXPECT_EQ(read("")->description, "");
  EXPECT_EQ(read("---\ndescription: [draft, old]\n---\nx")->description, "[draft, old]") << "words, whatever YAML sees";
}

TEST(SkillFile, AHintThatYamlTakesForAListIsStillAHint) {
  EXPECT_EQ(read("---\nargument-hint: [issue-number]\n---\n")->argument_hint, "[issue-number]");
}

TEST(SkillFile, OfACommandNoPathsCount) {
  EXPECT_TRUE(read("---\npaths: src/**\n---\n", Skill::Kind::command)->paths.empty());
}

TEST(SkillFile, AWrongValueIsAnErrorThatNamesFileAndKey) {
  EXPECT_EQ(error_of("---\ndisable-model-invocation: maybe\n---\n"),
            "/s/review/SKILL.md: \"disable-model-invocation\" must be true or false");
  EXPECT_NE(error_of("---\ncontext: thread\n---\n").find("\"context\" must be fork"), std::string::npos);
  EXPECT_NE(error_of("---\nshell: fish\n---\n").find("\"shell\""), std::string::npos);
  EXPECT_NE(error_of("---\nhooks: [x]\n---\n").find("\"hooks\""), std::string::npos);
  EXPECT_NE(error_of("---\nallowed-tools: {a: b}\n---\n").find("\"allowed-tools\""), std::string::npos);
  EXPECT_NE(error_of("---\nmodel: a\n").find("never ends"), std::string::npos);
}

TEST(SkillFile, WhatWasTakenAsTextIsNoted) {
  std::vector<std::string> notes;
  ASSERT_TRUE(read_skill({.name = "a", .path = "/a.md"}, "---\ndescription: Use it: always\n---\n", notes).has_value());
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_NE(notes[0].find("/a.md: taken as plain text"), std::string::npos);
}

TEST(SkillNames, AreOneWord) {
  EXPECT_TRUE(is_skill_name("review"));
  EXPECT_TRUE(is_skill_name("docs/api:review-2.x"));
  EXPECT_TRUE(is_skill_name("prüfen"));
  for (const char* name : {"", "two words", "-x", "/x", "..", "a\nb", "a`b", "$x", "a*", "\xff"}) {
    EXPECT_FALSE(is_skill_name(name)) << name;
  }
}

}  // namespace
}  // namespace deft
