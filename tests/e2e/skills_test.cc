#include <gtest/gtest.h>

#include "deft_exec.h"
#include "deft_headless.h"

// Skills and commands of real files, used by a scripted model and by prompts.

namespace deft {
namespace {

using testing::DeftHeadless;

// The model's next word comes only if it was told this.
std::string when(std::string_view told, std::string_view answer) {
  return to_json(JsonObject{{"when", told}, {"answer", answer}});
}
std::string call(std::string_view tool, JsonObject input) {
  return to_json(JsonObject{{"answer", JsonArray{JsonObject{{"call", tool}, {"input", std::move(input)}}}}});
}

constexpr std::string_view kReport =
    "---\n"
    "description: Reports: what the project is about\n"
    "argument-hint: [file] [more]\n"
    "allowed-tools: Bash(cat *), Bash(touch *)\n"
    "---\n"
    "The file $0 says: !`cat $0`\n";

TEST(Skills, TheModelUsesOneAndItsCommandsAndGrantsCountInATrustedFolder) {
  const TempFolder folder;
  DeftHeadless deft(folder,
                    {call("Skill", {{"skill", "report"}, {"args", "a.txt"}}),
                     call("Bash", {{"command", "touch made"}, {"description", "Make it"}}), R"({"answer":"done"})"});
  folder.put("project/a.txt", "hello from the file\n");
  folder.put("project/.claude/skills/report/SKILL.md", kReport);
  const auto run = deft.run({"go", "--trust", "--allowedTools", "Skill(report *)"});
  EXPECT_EQ(run.exit_code, 0) << run.all();
  EXPECT_NE(run.all().find("The file a.txt says: hello from the file"), std::string::npos) << run.all();
  EXPECT_TRUE(folder.bytes("project/made").has_value()) << run.all();
}

TEST(Skills, InAFolderThatIsNotTrustedNothingOfThemRuns) {
  const TempFolder folder;
  DeftHeadless deft(folder,
                    {call("Skill", {{"skill", "report"}, {"args", "a.txt"}}),
                     call("Bash", {{"command", "touch made"}, {"description", "Make it"}}), R"({"answer":"done"})"});
  folder.put("project/a.txt", "hello from the file\n");
  folder.put("project/.claude/skills/report/SKILL.md", kReport);
  const auto run = deft.run({"go", "--allowedTools", "Skill(report *)"});
  EXPECT_NE(run.all().find("this folder is not trusted"), std::string::npos) << run.all();
  EXPECT_EQ(run.all().find("hello from the file"), std::string::npos);
  EXPECT_FALSE(folder.bytes("project/made").has_value());
}

TEST(Skills, APromptCallsACommandOfTheUsersOwn) {
  const TempFolder folder;
  DeftHeadless deft(folder, {when("Fix issue 12 with high priority", "fixed")});
  folder.put("home/.claude/commands/fix.md",
             "---\narguments: issue priority\n---\nFix issue $issue with $priority priority.\n");
  const auto run = deft.run({"/fix 12 high"});
  EXPECT_EQ(run.exit_code, 0) << run.all();
  EXPECT_EQ(run.text(), "fixed");
  const std::string init = to_json(run.init());
  EXPECT_NE(init.find(R"("fix")"), std::string::npos) << init;
  EXPECT_NE(init.find(R"("compact")"), std::string::npos) << init;
}

TEST(Skills, ACommandThatIsNotThereIsAnErrorAndAPathIsAText) {
  const TempFolder folder;
  DeftHeadless deft(folder, {when("/etc/hosts is wrong", "I see")});
  const auto typo = deft.run({"/fxi 12"});
  EXPECT_EQ(typo.exit_code, 1);
  EXPECT_NE(typo.text().find("There is no command /fxi"), std::string::npos) << typo.all();
  EXPECT_EQ(deft.run({"/etc/hosts is wrong"}).text(), "I see");
}

TEST(Skills, CommandsCanBeTurnedOff) {
  const TempFolder folder;
  DeftHeadless deft(folder, {when("/fix 12", "as you say")});
  folder.put("home/.claude/commands/fix.md", "Never");
  EXPECT_EQ(deft.run({"/fix 12", "--disable-slash-commands"}).text(), "as you say");
}

TEST(Skills, SomeCommandsNeedNoModel) {
  const TempFolder folder;
  DeftHeadless deft(folder, {R"({"answer":"first"})", when("third", "the first is forgotten")});
  const auto line = [](std::string_view text) {
    return to_json(JsonObject{{"type", "user"}, {"message", {{"role", "user"}, {"content", text}}}}) + "\n";
  };
  const auto run = deft.run({"--input-format", "stream-json"}, line("one") + line("/cost") + line("/clear") +
                                                                   line("/context") + line("/tasks") + line("third"));
  std::vector<std::string> results;
  for (const Json& said : run.lines) {
    if (find_string(said, "type") == "result") results.emplace_back(find_string(said, "result").value_or("?"));
  }
  ASSERT_EQ(results.size(), 6U) << run.all();
  EXPECT_EQ(results[0], "first");
  EXPECT_NE(results[1].find("tokens in"), std::string::npos) << results[1];
  EXPECT_EQ(results[2], "The conversation is forgotten.");
  EXPECT_NE(results[3].find("tokens are used"), std::string::npos) << results[3];
  EXPECT_EQ(results[4], "Nothing runs in the background.");
  EXPECT_EQ(results[5], "the first is forgotten");
}

TEST(Skills, AFileThatWasReadBringsAlongTheSkillsOfItsFolder) {
  const TempFolder folder;
  DeftHeadless deft(folder, {call("Read", {{"file_path", "web/page.html"}}), when("layout: Lays out pages", "told"),
                             R"({"answer":"not told"})"});
  folder.put("project/web/page.html", "<p>\n");
  folder.put("project/web/.claude/skills/layout/SKILL.md", "Lays out pages\n");
  EXPECT_EQ(deft.run({"go"}).text(), "told");
}

TEST(Skills, HooksHearOfACommandAndMayTakeItBack) {
  const TempFolder folder;
  DeftHeadless deft(folder, {R"({"answer":"done"})"});
  folder.put("home/.claude/commands/fix.md", "!`touch ran`\n");
  folder.put(
      "home/.claude/settings.json",
      R"({"hooks":{"UserPromptExpansion":[{"matcher":"fix","hooks":[{"type":"command","command":"echo no fixing today >&2; exit 2"}]}]}})");
  const auto run = deft.run({"/fix", "--permission-mode", "bypassPermissions"});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_NE(run.text().find("no fixing today"), std::string::npos) << run.all();
  EXPECT_FALSE(folder.bytes("project/ran").has_value());
}

TEST(Skills, HooksOfASkillCountWhileItIsAtWork) {
  const TempFolder folder;
  const std::string skill =
      "---\nhooks:\n  PreToolUse:\n    - matcher: Bash\n      hooks:\n        - type: command\n"
      "          command: echo the skill forbids it >&2; exit 2\n---\nText\n";
  DeftHeadless deft(folder, {call("Skill", {{"skill", "careful"}}),
                             call("Bash", {{"command", "touch made"}, {"description", "Make it"}}),
                             when("the skill forbids it", "stopped")});
  folder.put("home/.claude/skills/careful/SKILL.md", skill);
  const auto run = deft.run({"go", "--permission-mode", "bypassPermissions"});
  EXPECT_EQ(run.text(), "stopped") << run.all();
  EXPECT_FALSE(folder.bytes("project/made").has_value());
}

TEST(Skills, AreThereInExecToo) {
  const TempFolder folder;
  folder.put(".deft/skills/hello/SKILL.md", "Say hello to $ARGUMENTS.\n");
  testing::DeftExec deft(folder);
  deft.call("1", "Skill", {{"skill", "hello"}, {"args", "them"}});
  EXPECT_EQ(find_bool(deft.result("1"), "is_error").value_or(false), false) << to_json(deft.result("1"));
  EXPECT_NE(to_json(deft.result("1")).find("Say hello to them."), std::string::npos) << to_json(deft.result("1"));
  EXPECT_EQ(deft.finish(), 0);
}

}  // namespace
}  // namespace deft
