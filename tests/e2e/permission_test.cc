#include <gtest/gtest.h>

#include <map>
#include <string>

#include "deft_exec.h"

// The gate: what each mode and each rule lets through, inside the working directories and outside.

namespace deft::testing {
namespace {

// {"permissions":{LIST:[RULE…]}}
std::string rules(std::string_view list, const std::vector<std::string>& rules) {
  JsonArray texts;
  for (const std::string& rule : rules) texts.emplace_back(rule);
  return to_json(JsonObject{{"permissions", JsonObject{{std::string(list), texts}}}});
}

using Outcomes = std::map<std::string, std::string>;  // call to "ok" or its error's code

class ExecPermission : public ::testing::Test {
 protected:
  ExecPermission() {
    inside.put("file", "inside\n");
    outside.put("file", "outside\n");
    std::filesystem::create_symlink(outside / "file", inside / "link");
    std::filesystem::create_symlink(outside.path(), inside / "folder");
  }

  // One call of each kind, each in a message of its own, so that no failure cancels another.
  Outcomes outcomes(Arguments arguments) {
    DeftExec deft(inside, std::move(arguments));
    const auto end = [&] { deft.send_line(R"({"type":"end"})"); };
    deft.read("read", "file"), end();
    deft.read("read outside", outside / "file"), end();
    deft.read("read link", "link"), end();
    deft.read("read public", "/usr/lib/os-release"), end();
    deft.write("write", "new", "x\n"), end();
    deft.write("write outside", outside / "new", "x\n"), end();
    deft.write("write link", "folder/linked", "x\n"), end();
    deft.edit("edit", "file", "inside", "edited"), end();
    deft.bash("cat", "cat file"), end();
    deft.bash("cat outside", "cat " + outside / "file"), end();
    deft.bash("cat link", "cat link"), end();
    deft.bash("touch", "touch touched"), end();
    deft.call("sleep", "Sleep", {{"seconds", 0}}), end();
    deft.result("sleep");  // the last one; with the input still open, so that a host could be asked
    EXPECT_TRUE(deft.lines("permission_request").empty());
    EXPECT_EQ(deft.finish(), 0);
    Outcomes outcomes;
    for (const Json& result : deft.lines("tool_result")) {
      outcomes[text_of(result, "tool_use_id")] = is_error(result) ? text_of(result, "code") : "ok";
    }
    return outcomes;
  }

  // What nobody objects to: reading inside the directories.
  static Outcomes reading_only() {
    return {{"read", "ok"},      {"read outside", "denied"},  {"read link", "denied"},  {"read public", "ok"},
            {"write", "denied"}, {"write outside", "denied"}, {"write link", "denied"}, {"edit", "denied"},
            {"cat", "ok"},       {"cat outside", "denied"},   {"cat link", "denied"},   {"touch", "denied"},
            {"sleep", "ok"}};
  }
  void expect_nothing_changed() const {
    EXPECT_EQ(inside.names(), (std::vector<std::string>{"file", "folder", "link"}));
    EXPECT_EQ(inside.bytes("file"), "inside\n");
    EXPECT_EQ(outside.names(), std::vector<std::string>{"file"});
  }

  const TempFolder inside;
  const TempFolder outside;
};

TEST_F(ExecPermission, DefaultModeReadsInsideTheDirectoriesAndAsksForTheRest) {
  EXPECT_EQ(outcomes({}), reading_only());
  expect_nothing_changed();
}

TEST_F(ExecPermission, AcceptEditsAlsoEditsInsideTheDirectories) {
  Outcomes expected = reading_only();
  expected["write"] = expected["edit"] = expected["touch"] = "ok";
  EXPECT_EQ(outcomes({"--permission-mode", "acceptEdits"}), expected);
  EXPECT_EQ(inside.bytes("file"), "edited\n");
  EXPECT_EQ(outside.names(), std::vector<std::string>{"file"});
}

TEST_F(ExecPermission, TheSchedulingChangesNothing) {
  Outcomes expected = reading_only();
  expected["write"] = expected["edit"] = expected["touch"] = "ok";
  EXPECT_EQ(outcomes({"--permission-mode", "acceptEdits", "--settings", R"({"scheduling":"exclusive"})"}), expected);
  inside.put("file", "inside\n");
  std::filesystem::remove(inside / "new");
  std::filesystem::remove(inside / "touched");
  EXPECT_EQ(outcomes({"--permission-mode", "acceptEdits", "--settings", R"({"streaming":"off"})"}), expected);
  EXPECT_EQ(outside.names(), std::vector<std::string>{"file"});
}

TEST_F(ExecPermission, PlanModeChangesNothingWhateverRulesAllow) {
  EXPECT_EQ(outcomes({"--permission-mode", "plan", "--settings", rules("allow", {"Write", "Edit"})}), reading_only());
  expect_nothing_changed();
}

TEST_F(ExecPermission, DontAskDeniesWhatWouldBeAskedAlsoWithAHostToAsk) {
  EXPECT_EQ(outcomes({"--permission-mode", "dontAsk", "--ask", "host"}), reading_only());
  expect_nothing_changed();
}

TEST_F(ExecPermission, BypassLetsEverythingThrough) {
  for (const auto& [call, outcome] : outcomes(kBypass)) EXPECT_EQ(outcome, "ok") << call;
  EXPECT_EQ(inside.names(), (std::vector<std::string>{"file", "folder", "link", "new", "touched"}));
  EXPECT_EQ(outside.names(), (std::vector<std::string>{"file", "linked", "new"}));
}

TEST_F(ExecPermission, AnAddedDirectoryIsInside) {
  Outcomes expected = reading_only();
  expected["write"] = expected["edit"] = expected["touch"] = "ok";
  expected["read outside"] = expected["read link"] = expected["write outside"] = expected["write link"] = "ok";
  expected["cat outside"] = expected["cat link"] = "ok";
  EXPECT_EQ(outcomes({"--permission-mode", "acceptEdits", "--add-dir", outside.path()}), expected);
}

TEST_F(ExecPermission, ADenyRuleHoldsInBypassMode) {
  Outcomes denied = outcomes({"--permission-mode", "bypassPermissions", "--settings",
                              R"({"permissions":{"deny":["Bash","Write"],"allow":["Bash","Write"]}})"});
  for (const char* call : {"cat", "cat outside", "cat link", "touch", "write", "write outside"}) {
    EXPECT_EQ(denied[call], "denied") << call;
  }
  EXPECT_EQ(denied["edit"], "ok");
  EXPECT_EQ(inside.names(), (std::vector<std::string>{"file", "folder", "link"}));
}

TEST_F(ExecPermission, AnAskRuleHoldsInBypassMode) {
  Outcomes asked = outcomes({"--permission-mode", "bypassPermissions", "--settings", rules("ask", {"Write"})});
  EXPECT_EQ(asked["write"], "denied");
  EXPECT_EQ(asked["touch"], "ok");
}

TEST_F(ExecPermission, AnAllowRuleLetsItsToolThroughEverywhere) {
  Outcomes expected = reading_only();
  expected["cat outside"] = expected["cat link"] = expected["touch"] = "ok";
  EXPECT_EQ(outcomes({"--settings", rules("allow", {"Bash"})}), expected);
}

TEST_F(ExecPermission, ARuleWithASpecifierMeansTheCallsThatItMatches) {
  Outcomes allowed = outcomes({"--settings", rules("allow", {"Bash(touch *)", "Edit(ne*)"})});
  EXPECT_EQ(allowed["touch"], "ok");
  EXPECT_EQ(allowed["write"], "ok");
  EXPECT_EQ(allowed["edit"], "denied");
  EXPECT_EQ(allowed["cat outside"], "denied");
  Outcomes denied = outcomes({"--permission-mode", "bypassPermissions", "--settings",
                              rules("deny", {"Bash(touch *)", "Read(//" + outside.path().substr(1) + "/**)"})});
  EXPECT_EQ(denied["touch"], "denied");
  for (const char* call : {"read outside", "read link", "write outside", "write link", "cat outside", "cat link"}) {
    EXPECT_EQ(denied[call], "denied") << call;
  }
  EXPECT_EQ(denied["read"], "ok");
  EXPECT_EQ(denied["cat"], "ok");
}

TEST_F(ExecPermission, SearchesLeaveOutWhatMayNotBeRead) {
  inside.put("notes.txt", "the word\n");
  inside.put(".env", "the word\n");
  DeftExec deft(inside, {"--settings", rules("deny", {"Read(.env)"})});
  deft.call("grep", "Grep", {{"pattern", "word"}});
  deft.call("glob", "Glob", {{"pattern", "**/*"}});
  EXPECT_EQ(deft.finish(), 0);
  for (const char* call : {"grep", "glob"}) {
    EXPECT_NE(content(deft.result(call)).find("notes.txt"), std::string::npos) << call;
    EXPECT_EQ(content(deft.result(call)).find(".env"), std::string::npos) << call;
  }
}

TEST_F(ExecPermission, SettingsMayBeAFile) {
  const TempFolder settings;
  const std::string file =
      settings.put("settings.json", R"json({"permissions":{"defaultMode":"acceptEdits","deny":["Edit(file)"],)json"
                                    R"json("additionalDirectories":[")json" +
                                        outside.path() + R"json("]}})json");
  Outcomes found = outcomes({"--settings", file});
  EXPECT_EQ(found["write"], "ok");
  EXPECT_EQ(found["write outside"], "ok");
  EXPECT_EQ(found["edit"], "denied");
}

TEST_F(ExecPermission, TheModeOfTheCommandLineBeatsThatOfTheSettings) {
  EXPECT_EQ(
      outcomes({"--permission-mode", "plan", "--settings", R"({"permissions":{"defaultMode":"bypassPermissions"}})"}),
      reading_only());
  expect_nothing_changed();
}

TEST_F(ExecPermission, APathThatClimbsOutIsOutside) {
  DeftExec deft(inside, {"--permission-mode", "acceptEdits"});
  const std::string climbing = "../" + std::filesystem::path(outside.path()).filename().string();
  deft.write("write", climbing + "/new", "x");
  deft.bash("cat", "cat " + climbing + "/file");
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_EQ(text_of(deft.result("write"), "code"), "denied");
  EXPECT_EQ(text_of(deft.result("cat"), "code"), "denied");
  EXPECT_EQ(outside.names(), std::vector<std::string>{"file"});
}

}  // namespace
}  // namespace deft::testing
