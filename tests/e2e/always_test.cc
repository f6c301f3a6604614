#include <gtest/gtest.h>

#include <string>

#include "deft_exec.h"

// "Always allow" by a host, settings that change under way, and bypass for root.

namespace deft::testing {
namespace {

const Arguments kAskHost = {"--ask", "host"};

Json question(DeftExec& deft, std::string_view id) { return deft.line_of_call("permission_request", id); }

void allow_always(DeftExec& deft, const Json& question, JsonObject always) {
  deft.send_line(to_json(JsonObject{
      {"type", "permission"}, {"id", text_of(question, "id")}, {"decision", "allow"}, {"always", std::move(always)}}));
}

std::vector<std::string> proposal(const Json& question) {
  std::vector<std::string> rules;
  for (const Json& rule : *find_array(question, "proposal")) rules.emplace_back(view(rule.get_string()));
  return rules;
}

TEST(ExecAlways, AQuestionCarriesTheRulesThatAlwaysWouldWrite) {
  const TempFolder folder;
  DeftExec deft(folder, kAskHost);
  deft.bash("a", "touch one && git commit -m x");
  EXPECT_EQ(proposal(question(deft, "a")), (std::vector<std::string>{"Bash(touch one)", "Bash(git commit:*)"}));
  deft.bash("b", "rm one");
  EXPECT_EQ(deft.finish(), 0);
}

TEST(ExecAlways, WhatIsAllowedForTheSessionIsNotAskedAgain) {
  const TempFolder folder;
  DeftExec deft(folder, kAskHost);
  deft.bash("a", "touch x");
  allow_always(deft, question(deft, "a"), {{"destination", "session"}});
  EXPECT_FALSE(is_error(deft.result("a")));
  deft.bash("b", "touch x");
  EXPECT_FALSE(is_error(deft.result("b")));
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_EQ(deft.lines("permission_request").size(), 1U);
  EXPECT_EQ(folder.names(), std::vector<std::string>{"x"});
}

TEST(ExecAlways, QuestionsThatWaitForTheSameAreWithdrawn) {
  const TempFolder folder;
  const TempFolder elsewhere;
  elsewhere.put("a", "first");
  elsewhere.put("b", "second");
  DeftExec deft(folder, kAskHost);
  deft.read("a", elsewhere / "a");
  deft.read("b", elsewhere / "b");
  const Json about_a = question(deft, "a");
  const Json about_b = question(deft, "b");
  allow_always(deft, about_a, {});
  EXPECT_FALSE(is_error(deft.result("b")));
  EXPECT_EQ(text_of(deft.line("permission_withdrawn"), "id"), text_of(about_b, "id"));
  EXPECT_EQ(deft.finish(), 0);
}

TEST(ExecAlways, ARuleIsWrittenWhereItWasWanted) {
  for (const auto& [destination, file] : {std::pair<std::string, std::string>{"local", ".deft/settings.local.json"},
                                          {"project", ".deft/settings.json"}}) {
    const TempFolder folder;
    DeftExec deft(folder, kAskHost);
    deft.bash("a", "touch x");
    allow_always(deft, question(deft, "a"), {{"destination", destination}, {"rules", {"Bash(touch *)"}}});
    EXPECT_EQ(deft.finish(), 0);
    const auto written = parse_json(folder.bytes(file).value_or("nothing"));
    ASSERT_TRUE(written) << file;
    EXPECT_EQ(to_json(*written), R"json({"permissions":{"allow":["Bash(touch *)"]}})json");
  }
}

TEST(ExecAlways, WhatCannotBeWrittenIsAllowedOnce) {
  const TempFolder folder;
  folder.put(".deft", "a file where the folder should be");
  DeftExec deft(folder, kAskHost);
  deft.bash("a", "touch x");
  allow_always(deft, question(deft, "a"), {{"destination", "local"}});
  EXPECT_NE(text_of(deft.line("notice"), "text").find("allowed once, not always"), std::string::npos);
  EXPECT_FALSE(is_error(deft.result("a")));
  deft.bash("b", "touch x");
  question(deft, "b");
  EXPECT_EQ(deft.finish(), 0);
}

TEST(ExecAlways, AnAnswerThatCannotBeUsedIsReportedAndTheQuestionStaysOpen) {
  const TempFolder folder;
  DeftExec deft(folder, kAskHost);
  deft.bash("a", "touch x");
  const Json asked = question(deft, "a");
  allow_always(deft, asked, {{"destination", "managed"}});
  allow_always(deft, asked, {{"rules", "Bash"}});
  deft.line("error", [](const Json& line) { return number_of(line, "line") == 3; });
  allow_always(deft, asked, {});
  EXPECT_FALSE(is_error(deft.result("a")));
  EXPECT_EQ(deft.finish(), 0);
}

TEST(ExecSettings, AChangeCountsFromTheNextMessageOn) {
  const TempFolder folder;
  DeftExec deft(folder, {"--trust"});
  deft.bash("a", "touch a");
  EXPECT_EQ(text_of(deft.result("a"), "code"), "denied");
  deft.send_line(R"({"type":"end"})");
  std::filesystem::create_directory(folder / ".deft");
  folder.put(".deft/settings.json", R"json({"permissions":{"allow":["Bash(touch *)"]}})json");
  deft.bash("b", "touch b");
  EXPECT_FALSE(is_error(deft.result("b")));
  deft.send_line(R"({"type":"end"})");
  folder.put(".deft/settings.json", R"json({"permissions":{"allow":["Bash(touch *)"]})json");
  deft.bash("c", "touch c");
  EXPECT_EQ(text_of(deft.result("c"), "code"), "denied") << "a broken file allows nothing";
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_GE(deft.lines("notice").size(), 2U);
}

TEST(ExecBypass, SettingsAloneDoNotLetRootBypass) {
  const TempFolder folder;
  const Arguments by_settings = {"--settings", R"({"permissions":{"defaultMode":"bypassPermissions"}})"};
  const Finished result = run_deft(folder, {.arguments = by_settings, .environment = {"DEFT_ALLOW_ROOT_BYPASS=0"}});
  const bool is_refused = result.errors.find("DEFT_ALLOW_ROOT_BYPASS") != std::string::npos;
  EXPECT_EQ(is_refused, ::geteuid() == 0) << result.errors;
  EXPECT_EQ(result.exit_code, is_refused ? 2 : 0);
  EXPECT_EQ(run_deft(folder, {.arguments = by_settings}).exit_code, 0) << "somebody says that the machine may be lost";
  EXPECT_EQ(run_deft(folder, {.arguments = kBypass, .environment = {"DEFT_ALLOW_ROOT_BYPASS=0"}}).exit_code, 0);
}

}  // namespace
}  // namespace deft::testing
