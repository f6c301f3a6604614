#include "deft/core/permission.h"

#include <gtest/gtest.h>

namespace deft {
namespace {

PermissionRules rules(std::string_view json) {
  auto parsed = parse_permission_rules(*parse_json(json));
  EXPECT_TRUE(parsed) << parsed.error().message;
  return *parsed;
}

PermissionQuestion read_of(std::string path) {
  return {.tool = "Read", .read_only = true, .paths = {std::move(path)}, .all_paths_known = true};
}
PermissionQuestion edit_of(std::string path) {
  return {.tool = "Edit", .edits_files = true, .paths = {std::move(path)}, .all_paths_known = true};
}
PermissionQuestion unknown_shell() { return {.tool = "Bash"}; }

Decision decide(std::string_view rules_json, Mode mode, const PermissionQuestion& question) {
  return Permissions(rules(rules_json), mode, {"/p", "/q"}).decide(question);
}

TEST(Permission, WithoutRulesReadingInsideIsAllowedAndAllElseIsAsked) {
  EXPECT_EQ(decide("{}", Mode::normal, read_of("/p/a")).verdict, Verdict::allow);
  EXPECT_EQ(decide("{}", Mode::normal, read_of("/usr/include/stdio.h")).verdict, Verdict::allow);
  EXPECT_EQ(decide("{}", Mode::normal, read_of("/home/me/.ssh/id")).verdict, Verdict::ask);
  EXPECT_EQ(decide("{}", Mode::normal, read_of("/private")).verdict, Verdict::ask) << "/p is not its folder";
  EXPECT_EQ(decide("{}", Mode::normal, edit_of("/p/a")).verdict, Verdict::ask);
  EXPECT_EQ(decide("{}", Mode::normal, unknown_shell()).verdict, Verdict::ask);
}

TEST(Permission, WhatReachesTheNetworkOrUnknownPathsIsAsked) {
  PermissionQuestion fetch = read_of("/p/a");
  fetch.uses_network = true;
  EXPECT_EQ(decide("{}", Mode::normal, fetch).verdict, Verdict::ask);
  PermissionQuestion vague = read_of("/p/a");
  vague.all_paths_known = false;
  EXPECT_EQ(decide("{}", Mode::normal, vague).verdict, Verdict::ask);
}

TEST(Permission, ListeningToAWebSocketIsJudgedByItsHostAsAPageIs) {
  const Json input = JsonObject{{"ws", {{"url", "wss://feed.example.com/x"}}}, {"description", "d"}};
  const PermissionQuestion listen{
      .tool = "Monitor", .input = &input, .read_only = true, .uses_network = true, .all_paths_known = true};
  EXPECT_EQ(decide("{}", Mode::normal, listen).verdict, Verdict::ask);
  for (const char* allowed : {R"json({"allow":["WebFetch(domain:*.example.com)"]})json",
                              R"json({"allow":["WebFetch"]})json", R"json({"allow":["Monitor"]})json"}) {
    EXPECT_EQ(decide(allowed, Mode::normal, listen).verdict, Verdict::allow) << allowed;
  }
  EXPECT_EQ(decide(R"json({"allow":["Bash","WebFetch(domain:example.com)"]})json", Mode::normal, listen).verdict,
            Verdict::ask);
  for (const char* denied : {R"json({"deny":["WebFetch(domain:feed.example.com)"]})json",
                             R"json({"deny":["WebFetch"]})json", R"json({"deny":["Monitor"]})json"}) {
    EXPECT_EQ(decide(denied, Mode::bypass, listen).verdict, Verdict::deny) << denied;
  }
  const Json unclear = JsonObject{{"ws", {{"url", "wss://user@feed.example.com/x"}}}};
  PermissionQuestion odd = listen;
  odd.input = &unclear;
  EXPECT_EQ(decide(R"json({"deny":["WebFetch(domain:a.com)"]})json", Mode::bypass, odd).verdict, Verdict::ask);
}

TEST(Permission, AHostInAnotherAlphabetIsAskedForWhateverTheRulesSay) {
  const Json input = JsonObject{{"url", "https://m\u00FCnchen.de/x"}};
  const PermissionQuestion fetch{
      .tool = "WebFetch", .input = &input, .read_only = true, .uses_network = true, .all_paths_known = true};
  EXPECT_EQ(decide(R"json({"deny":["WebFetch(domain:evil.com)"]})json", Mode::bypass, fetch).verdict, Verdict::ask);
  EXPECT_EQ(decide(R"json({"allow":["WebFetch(domain:xn--mnchen-3ya.de)"]})json", Mode::normal, fetch).verdict,
            Verdict::ask);
}

TEST(Permission, DenyBeatsAskBeatsAllowInEveryMode) {
  for (const Mode mode : {Mode::normal, Mode::accept_edits, Mode::plan, Mode::auto_, Mode::dont_ask, Mode::bypass}) {
    const auto denied = decide(R"json({"allow":["Read"],"ask":["Read"],"deny":["Read"]})json", mode, read_of("/p/a"));
    EXPECT_EQ(denied.verdict, Verdict::deny);
    EXPECT_EQ(denied.rule, "Read");
    const auto asked = decide(R"json({"allow":["Read"],"ask":["Read(*)"]})json", mode, read_of("/p/a"));
    EXPECT_EQ(asked.verdict, mode == Mode::dont_ask ? Verdict::deny : Verdict::ask);
  }
  EXPECT_EQ(decide(R"json({"allow":["Bash"]})json", Mode::normal, unknown_shell()).verdict, Verdict::allow);
}

TEST(Permission, ARuleThatCannotBeEvaluatedAsksInDenyAndAllowsNothingInAllow) {
  EXPECT_EQ(decide(R"json({"deny":["Bash(rm *)"]})json", Mode::bypass, unknown_shell()).verdict, Verdict::ask);
  EXPECT_EQ(decide(R"json({"ask":["Bash(rm *)"]})json", Mode::bypass, unknown_shell()).verdict, Verdict::ask);
  EXPECT_EQ(decide(R"json({"allow":["Bash(ls *)"]})json", Mode::normal, unknown_shell()).verdict, Verdict::ask);
}

TEST(Permission, ARuleMeansTheToolAlsoByItsAlias) {
  PermissionQuestion task{.tool = "Agent", .aliases = {"Task"}};
  EXPECT_EQ(decide(R"json({"deny":["Task"]})json", Mode::bypass, task).verdict, Verdict::deny);
}

TEST(Permission, PlanModeDeniesWhatChangesAnythingWhateverAllowsIt) {
  const auto decision = decide(R"json({"allow":["Edit"]})json", Mode::plan, edit_of("/p/a"));
  EXPECT_EQ(decision.verdict, Verdict::deny);
  EXPECT_EQ(decision.stage, PermissionStage::plan_mode);
  EXPECT_EQ(decide("{}", Mode::plan, read_of("/p/a")).verdict, Verdict::allow);
}

TEST(Permission, DontAskDeniesWhateverWouldBeAsked) {
  EXPECT_EQ(decide("{}", Mode::dont_ask, unknown_shell()).verdict, Verdict::deny);
  EXPECT_EQ(decide("{}", Mode::dont_ask, read_of("/home/me/.ssh/id")).verdict, Verdict::deny);
  EXPECT_EQ(decide("{}", Mode::dont_ask, read_of("/p/a")).verdict, Verdict::allow);
  EXPECT_EQ(decide(R"json({"allow":["Bash"]})json", Mode::dont_ask, unknown_shell()).verdict, Verdict::allow);
}

TEST(Permission, AcceptEditsAllowsEditsInsideTheDirectoriesOnly) {
  EXPECT_EQ(decide("{}", Mode::accept_edits, edit_of("/q/a")).verdict, Verdict::allow);
  EXPECT_EQ(decide("{}", Mode::accept_edits, edit_of("/usr/lib/a")).verdict, Verdict::ask);
  EXPECT_EQ(decide("{}", Mode::accept_edits, unknown_shell()).verdict, Verdict::ask);
}

TEST(Permission, WhatNobodyShouldApproveByRuleIsAskedInBypassToo) {
  PermissionQuestion remove_root = unknown_shell();
  remove_root.own_verdict = OwnVerdict{Verdict::ask, "it removes the root", true};
  EXPECT_EQ(decide(R"json({"allow":["Bash"]})json", Mode::bypass, remove_root).verdict, Verdict::ask);
  remove_root.own_verdict->even_in_bypass = false;
  EXPECT_EQ(decide("{}", Mode::bypass, remove_root).verdict, Verdict::allow);
}

TEST(Permission, AHookMayDenyOrAskButItsAllowLiftsNoRule) {
  PermissionQuestion hooked = edit_of("/p/a");
  hooked.hook_verdict = Verdict::allow;
  EXPECT_EQ(decide("{}", Mode::normal, hooked).verdict, Verdict::allow);
  EXPECT_EQ(decide(R"json({"ask":["Edit"]})json", Mode::normal, hooked).verdict, Verdict::ask);
  EXPECT_EQ(decide(R"json({"deny":["Edit"]})json", Mode::normal, hooked).verdict, Verdict::deny);
  hooked.hook_verdict = Verdict::deny;
  EXPECT_EQ(decide(R"json({"allow":["Edit"]})json", Mode::bypass, hooked).verdict, Verdict::deny);
}

TEST(Permission, EveryModeHasItsName) {
  for (const char* name : {"default", "acceptEdits", "plan", "auto", "dontAsk", "bypassPermissions"}) {
    ASSERT_TRUE(parse_mode(name)) << name;
    EXPECT_EQ(to_string(*parse_mode(name)), name);
  }
  EXPECT_FALSE(parse_mode("yolo"));
}

}  // namespace
}  // namespace deft
