#include <gtest/gtest.h>

#include <string>

#include "deft_exec.h"

// Planning and questions, as a host drives them over lines.

namespace deft::testing {
namespace {

void answer(DeftExec& deft, const Json& question, JsonObject answer) {
  answer["type"] = "permission";
  answer["id"] = text_of(question, "id");
  deft.send_line(to_json(answer));
}

TEST(ExecPlanMode, APlanIsWrittenApprovedAndThenCarriedOut) {
  const TempFolder folder;
  DeftExec deft(folder, Arguments{"--ask", "host", "--permission-mode", "acceptEdits"});
  deft.call("enter", "EnterPlanMode", {});
  const std::string told = content(deft.result("enter"));
  const std::size_t begin = told.find("write to ") + 9;
  const std::string plan = told.substr(begin, told.find(". When", begin) - begin);
  deft.write("early", "a.txt", "x");
  EXPECT_EQ(text_of(deft.result("early"), "code"), "denied");
  deft.write("plan", plan, "first this, then that");
  EXPECT_FALSE(is_error(deft.result("plan")));
  deft.call("exit", "ExitPlanMode", {});
  const Json asked = deft.line_of_call("permission_request", "exit");
  EXPECT_EQ(text_of(*find(asked, "input"), "plan"), "first this, then that");
  EXPECT_TRUE(folder.names().empty());
  answer(deft, asked, {{"decision", "allow"}});
  EXPECT_FALSE(is_error(deft.result("exit")));
  deft.write("late", "a.txt", "x");
  EXPECT_FALSE(is_error(deft.result("late"))) << "the mode before is back";
  EXPECT_EQ(deft.finish(), 0);
}

TEST(ExecPlanMode, AQuestionIsAnsweredByTheHost) {
  const TempFolder folder;
  DeftExec deft(folder, Arguments{"--ask", "host"});
  const Json input = *parse_json(R"json({"questions":[{"question":"Which?","header":"Which","multiSelect":false,
    "options":[{"label":"A","description":"a"},{"label":"B","description":"b"}]}]})json");
  deft.call("q", "AskUserQuestion", input.get_object());
  const Json asked = deft.line_of_call("permission_request", "q");
  JsonObject answered = find(asked, "input")->get_object();
  answered["answers"] = JsonObject{{"Which?", "B"}};
  answer(deft, asked, {{"decision", "allow"}, {"updated_input", answered}});
  EXPECT_NE(content(deft.result("q")).find("B"), std::string::npos);
  EXPECT_EQ(deft.finish(), 0);
}

TEST(ExecPlanMode, WithoutAHostAQuestionIsRefusedAtOnce) {
  const TempFolder folder;
  DeftExec deft(folder);
  deft.call("q", "AskUserQuestion",
            parse_json(R"json({"questions":[{"question":"Which?","header":"Which","multiSelect":false,
    "options":[{"label":"A","description":"a"},{"label":"B","description":"b"}]}]})json")
                ->get_object());
  EXPECT_EQ(text_of(deft.result("q"), "code"), "denied");
  EXPECT_EQ(deft.finish(), 0);
}

TEST(ExecPlanMode, AHookThatAllowsAndGivesTheInputHasAnsweredAndAnAskRuleStillAsks) {
  const TempFolder folder;
  JsonObject question = parse_json(R"json({"questions":[{"question":"Which?","header":"Which","multiSelect":false,
    "options":[{"label":"A","description":"a"},{"label":"B","description":"b"}]}]})json")
                            ->get_object();
  JsonObject answered = question;
  answered["answers"] = JsonObject{{"Which?", "B"}};
  const std::string said = to_json(
      JsonObject{{"hookSpecificOutput",
                  {{"hookEventName", "PreToolUse"}, {"permissionDecision", "allow"}, {"updatedInput", answered}}}});
  const std::string hooks =
      R"("hooks":{"PreToolUse":[{"matcher":"AskUserQuestion","hooks":[{"type":"command","command":)" +
      json_quote("echo '" + said + "'") + "}]}]}";
  DeftExec deft(folder, Arguments{"--settings", "{" + hooks + "}"});
  deft.call("q", "AskUserQuestion", question);
  EXPECT_NE(content(deft.result("q")).find("B"), std::string::npos) << content(deft.result("q"));
  EXPECT_EQ(deft.finish(), 0);
  DeftExec strict(folder, Arguments{"--settings", R"({"permissions":{"ask":["AskUserQuestion"]},)" + hooks + "}"});
  strict.call("q", "AskUserQuestion", question);
  EXPECT_EQ(text_of(strict.result("q"), "code"), "denied");
  EXPECT_EQ(strict.finish(), 0);
}

TEST(ExecPlanMode, TheHostMayChangeTheMode) {
  const TempFolder folder;
  DeftExec deft(folder);
  deft.send_line(R"({"type":"mode","mode":"acceptEdits"})");
  deft.write("a", "a.txt", "x");
  EXPECT_FALSE(is_error(deft.result("a")));
  deft.send_line(R"({"type":"mode","mode":"bypassPermissions"})");
  deft.bash("b", "touch b; true");
  EXPECT_EQ(text_of(deft.line("notice"), "text").find("bypassPermissions was not made available"), 0U);
  EXPECT_EQ(deft.finish(), 0);
}

}  // namespace
}  // namespace deft::testing
