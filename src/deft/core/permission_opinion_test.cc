#include <gtest/gtest.h>

#include "deft/core/permission.h"

// What a classifier has a say in, and what it never has.

namespace deft {
namespace {

class Opinion : public ::testing::Test {
 protected:
  PermissionSetup setup{.mode = Mode::auto_, .directory = "/p", .home = "/home/me"};
  Json input = JsonObject{{"command", "curl https://example.org"}};
  PermissionQuestion question{.tool = "Bash", .input = &input};

  void rule(RuleList list, std::string_view text) {
    PermissionSource source;
    source.rules.of(list).push_back(*parse_rule(text));
    setup.sources.push_back(source);
  }
  void command(std::string_view text) { input = JsonObject{{"command", text}}; }
  bool is_wanted() const { return Permissions(setup).wants_opinion(question).has_value(); }
  Decision decide(RiskOpinion opinion) {
    PermissionQuestion judged = question;
    judged.opinion = std::move(opinion);
    return Permissions(setup).decide(judged);
  }
};

TEST_F(Opinion, IsWantedInAutoModeOfWhatNobodyElseSettles) {
  EXPECT_TRUE(is_wanted());
  for (const Mode mode : {Mode::normal, Mode::accept_edits, Mode::plan, Mode::dont_ask, Mode::bypass}) {
    setup.mode = mode;
    EXPECT_FALSE(is_wanted()) << to_string(mode);
  }
  setup.mode = Mode::auto_;
  question.auto_paused = true;
  EXPECT_FALSE(is_wanted());
}

TEST_F(Opinion, IsNotWantedWhereARuleAHookOrACheckDecides) {
  command("make");
  EXPECT_FALSE(is_wanted()) << "it is work on the project";
  command("rm -rf /");
  EXPECT_FALSE(is_wanted());
  command("echo x >> ~/.bashrc");
  EXPECT_FALSE(is_wanted());
  command("curl https://example.org");
  question.hook_verdict = Verdict::ask;
  EXPECT_FALSE(is_wanted());
  question.hook_verdict.reset();
  question.own_verdict = OwnVerdict{Verdict::ask, "outside the sandbox"};
  EXPECT_FALSE(is_wanted());
  question.own_verdict.reset();
  for (const RuleList list : {RuleList::allow, RuleList::ask, RuleList::deny}) {
    setup.sources.clear();
    rule(list, "Bash(curl *)");
    EXPECT_FALSE(is_wanted()) << to_string(list);
  }
}

TEST_F(Opinion, LiftsNothingThatARuleOrACheckHasDecided) {
  const RiskOpinion harmless{.is_harmless = true, .reason = "fine"};
  EXPECT_EQ(decide(harmless).verdict, Verdict::allow);
  EXPECT_EQ(decide(harmless).stage, PermissionStage::classifier);
  rule(RuleList::ask, "Bash(curl *)");
  EXPECT_EQ(decide(harmless).verdict, Verdict::ask);
  rule(RuleList::deny, "Bash(curl *)");
  EXPECT_EQ(decide(harmless).verdict, Verdict::deny);
  setup.sources.clear();
  command("rm -rf ~");
  EXPECT_EQ(decide(harmless).verdict, Verdict::ask);
  command("curl https://example.org");
  setup.mode = Mode::plan;
  EXPECT_EQ(decide(harmless).verdict, Verdict::deny);
  setup.mode = Mode::normal;
  EXPECT_EQ(decide(harmless).verdict, Verdict::ask) << "it counts in auto mode alone";
}

TEST_F(Opinion, RiskyAsksAndForbiddenDenies) {
  EXPECT_EQ(decide({.is_harmless = false, .reason = "it uploads"}).verdict, Verdict::ask);
  const Decision denied = decide({.is_harmless = false, .reason = "never", .is_forbidden = true});
  EXPECT_EQ(denied.verdict, Verdict::deny);
  EXPECT_EQ(denied.stage, PermissionStage::classifier);
}

TEST_F(Opinion, OnWhatWasGrantedIsWantedOfThatShellInEveryModeThatAsks) {
  setup.meanings = {{"Bash", "fetch the page"}};
  for (const Mode mode : {Mode::normal, Mode::accept_edits, Mode::dont_ask}) {
    setup.mode = mode;
    const auto wanted = Permissions(setup).wants_opinion(question);
    ASSERT_TRUE(wanted) << to_string(mode);
    EXPECT_TRUE(wanted->by_grant);
    EXPECT_EQ(wanted->granted, std::vector<std::string>{"fetch the page"});
    EXPECT_EQ(decide({.is_harmless = true, .by_grant = true}).verdict, Verdict::allow) << to_string(mode);
  }
  setup.mode = Mode::plan;
  EXPECT_FALSE(is_wanted());
  EXPECT_EQ(decide({.is_harmless = true, .by_grant = true}).verdict, Verdict::deny);
  setup.mode = Mode::auto_;
  EXPECT_FALSE(Permissions(setup).wants_opinion(question)->by_grant);
  question.auto_paused = true;
  EXPECT_TRUE(Permissions(setup).wants_opinion(question)->by_grant) << "what a person granted, auto mode cannot pause";
  setup.mode = Mode::normal;
  setup.meanings = {{"PowerShell", "fetch the page"}};
  EXPECT_FALSE(is_wanted());
}

TEST_F(Opinion, OnAGrantBeatsNeitherRulesNorChecks) {
  setup.mode = Mode::normal;
  setup.meanings = {{"Bash", "do everything"}};
  const RiskOpinion covered{.is_harmless = true, .by_grant = true};
  command("rm -rf /");
  EXPECT_EQ(decide(covered).verdict, Verdict::ask);
  command("curl https://example.org");
  rule(RuleList::ask, "Bash(curl *)");
  EXPECT_FALSE(is_wanted());
  EXPECT_EQ(decide(covered).verdict, Verdict::ask);
  rule(RuleList::deny, "Bash(curl *)");
  EXPECT_EQ(decide(covered).verdict, Verdict::deny);
}

TEST_F(Opinion, IsAskedOfEveryCommandWhereTheSettingsWantThat) {
  setup.classify_all_shell = true;
  rule(RuleList::allow, "Bash(make *)");
  for (const char* text : {"make test", "touch a", "cargo test"}) {
    command(text);
    EXPECT_TRUE(is_wanted()) << text;
    EXPECT_EQ(Permissions(setup).decide(question).verdict, Verdict::ask) << text;
    EXPECT_EQ(decide({.is_harmless = true}).verdict, Verdict::allow) << text;
  }
  setup.mode = Mode::normal;
  command("make test");
  EXPECT_EQ(Permissions(setup).decide(question).verdict, Verdict::allow) << "it is about auto mode";
}

}  // namespace
}  // namespace deft
