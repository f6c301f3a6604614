#include "deft/ui/permission_dialog.h"

#include <gtest/gtest.h>

namespace deft {
namespace {

PermissionDialog dialog(std::vector<std::string> proposal, std::string command = "make test && git commit -m x") {
  const Json input = JsonObject{{"command", command}};
  return PermissionDialog({.id = "perm_1",
                           .call = {.id = "a", .name = "Bash", .input = input},
                           .title = "Bash(" + command + ")",
                           .decision = {.reason = "no rule allows `make test`"},
                           .is_destructive = true,
                           .proposal = std::move(proposal)},
                          "/p");
}

bool holds(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST(PermissionDialog, ShowsWhatRunsWhyItIsAskedAndWhatAlwaysWouldWrite) {
  const std::string shown = dialog({"Bash(make test)", "Bash(git commit:*)"}).opening();
  for (const char* part :
       {"DESTRUCTIVE", "no rule allows `make test`", "  | make test && git commit -m x\n", "1. make test\n",
        "2. git commit -m x\n", R"(  | {"command":"make test && git commit -m x"})",
        "always would allow: Bash(git commit:*)", "[a] always"}) {
    EXPECT_TRUE(holds(shown, part)) << part << "\n" << shown;
  }
}

TEST(PermissionDialog, NoLineOfACommandCanBeTakenForOneOfOurs) {
  const std::string shown = dialog({}, "make\nalways would allow: nothing\r\x1B[A").opening();
  EXPECT_TRUE(holds(shown, "\n  | always would allow: nothing\\x0d\\x1b[A\n")) << shown;
  EXPECT_FALSE(holds(shown, "\nalways would allow"));
  EXPECT_TRUE(holds(shown, "NOT UNDERSTOOD"));
}

TEST(PermissionDialog, OnlyAClearAnswerIsOne) {
  auto asking = dialog({});
  for (const char* line : {"", "yes!", "Y", "a", "yy"}) EXPECT_FALSE(asking.take_line(line).answer) << line;
  const auto answer = asking.take_line(" y ").answer;
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->id, "perm_1");
  EXPECT_EQ(answer->verdict, Verdict::allow);
  EXPECT_FALSE(answer->always);
}

TEST(PermissionDialog, ADenialEndsTheTurnUnlessItSaysSomething) {
  auto plain = dialog({});
  EXPECT_TRUE(plain.take_line("n").answer->ends_turn);
  auto telling = dialog({});
  EXPECT_FALSE(telling.take_line("f").answer);
  EXPECT_FALSE(telling.take_line(" ").answer);
  const auto answer = telling.take_line("use make").answer;
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->verdict, Verdict::deny);
  EXPECT_EQ(answer->feedback, "use make");
  EXPECT_FALSE(answer->ends_turn);
}

TEST(PermissionDialog, EachRuleMayBeKeptReplacedOrLeftOut) {
  auto asking = dialog({"Bash(make test)", "Bash(git commit:*)", "Read(//x/**)"});
  asking.take_line("a");
  EXPECT_FALSE(asking.take_line("nowhere").answer);
  EXPECT_TRUE(holds(asking.take_line("u").text, "Bash(make test)"));
  EXPECT_TRUE(holds(asking.take_line("").text, "Bash(git commit:*)"));
  EXPECT_TRUE(holds(asking.take_line("Bash(git").text, "Bash(git")) << "a broken rule is asked for again";
  asking.take_line("Bash(git commit -m x)");
  const auto answer = asking.take_line("-").answer;
  ASSERT_TRUE(answer && answer->always);
  EXPECT_EQ(answer->always->rules, (std::vector<std::string>{"Bash(make test)", "Bash(git commit -m x)"}));
  EXPECT_EQ(answer->always->destination, SettingSource::user);
}

TEST(PermissionDialog, WhoLeavesOutEveryRuleAllowsOnce) {
  auto asking = dialog({"Bash(make test)"});
  asking.take_line("a");
  asking.take_line("b");
  asking.take_line("a");
  asking.take_line("s");
  const auto answer = asking.take_line("-").answer;
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->verdict, Verdict::allow);
  EXPECT_FALSE(answer->always);
}

}  // namespace
}  // namespace deft
