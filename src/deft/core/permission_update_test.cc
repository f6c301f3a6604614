#include "deft/core/permission_update.h"

#include <gtest/gtest.h>

namespace deft {
namespace {

Result<PermissionUpdate> parsed(std::string_view json) { return parse_permission_update(parse_json(json).value()); }
PermissionUpdate update(std::string_view json) { return parsed(json).value(); }

Verdict verdict(const PermissionSetup& setup, const std::string& command) {
  const Json input = JsonObject{{"command", command}};
  return Permissions(setup).decide({.tool = "Bash", .input = &input}).verdict;
}

TEST(PermissionUpdate, RulesAreAddedReplacedAndRemovedInTheSession) {
  PermissionSetup setup{.directory = "/p"};
  setup =
      with_update(
          setup,
          update(
              R"({"type":"addRules","rules":[{"toolName":"Bash","ruleContent":"make:*"}],"behavior":"allow","destination":"session"})"))
          .value();
  EXPECT_EQ(verdict(setup, "make all"), Verdict::allow);
  setup =
      with_update(
          setup,
          update(R"({"type":"addRules","rules":[{"toolName":"Bash","ruleContent":"make install"}],"behavior":"deny"})"))
          .value();
  EXPECT_EQ(verdict(setup, "make install"), Verdict::deny);
  setup =
      with_update(
          setup,
          update(R"({"type":"replaceRules","rules":[{"toolName":"Bash","ruleContent":"ninja"}],"behavior":"allow"})"))
          .value();
  EXPECT_EQ(verdict(setup, "make all"), Verdict::ask);
  EXPECT_EQ(verdict(setup, "ninja"), Verdict::allow);
  setup =
      with_update(
          setup,
          update(R"({"type":"removeRules","rules":[{"toolName":"Bash","ruleContent":"ninja"}],"behavior":"allow"})"))
          .value();
  EXPECT_EQ(verdict(setup, "ninja"), Verdict::ask);
}

TEST(PermissionUpdate, RulesOfFilesAreNotRemoved) {
  PermissionSource file{.rules = {}, .source = SettingSource::user};
  file.rules.deny.push_back(parse_rule("Bash(make:*)").value());
  const PermissionSetup setup{.sources = {file}, .directory = "/p"};
  const auto changed = with_update(
      setup,
      update(R"({"type":"removeRules","rules":[{"toolName":"Bash","ruleContent":"make:*"}],"behavior":"deny"})"));
  EXPECT_EQ(verdict(*changed, "make"), Verdict::deny);
}

TEST(PermissionUpdate, AModeIsSetButNotTheOneInWhichNobodyIsAsked) {
  const PermissionSetup setup{.directory = "/p"};
  EXPECT_EQ(with_update(setup, update(R"({"type":"setMode","mode":"acceptEdits"})"))->mode, Mode::accept_edits);
  EXPECT_FALSE(with_update(setup, update(R"({"type":"setMode","mode":"bypassPermissions"})")));
}

TEST(PermissionUpdate, OnlyManagedRulesMeansThatNobodyElseAllows) {
  const PermissionSetup setup{.directory = "/p", .only_managed_rules = true};
  EXPECT_FALSE(with_update(setup, update(R"({"type":"addRules","rules":[{"toolName":"Bash"}],"behavior":"allow"})")));
  EXPECT_TRUE(with_update(setup, update(R"({"type":"addRules","rules":[{"toolName":"Bash"}],"behavior":"deny"})")));
}

TEST(PermissionUpdate, DirectoriesComeAndGoButTheWorkingDirectoryStays) {
  PermissionSetup setup{.directory = "/p", .directories = {"/p"}};
  setup = with_update(setup, update(R"({"type":"addDirectories","directories":["/q/./r","/p"]})")).value();
  EXPECT_EQ(setup.directories, (std::vector<std::string>{"/p", "/q/r"}));
  setup = with_update(setup, update(R"({"type":"removeDirectories","directories":["/q/r","/p"]})")).value();
  EXPECT_EQ(setup.directories, std::vector<std::string>{"/p"});
}

TEST(PermissionUpdate, WhatIsWrongIsAnError) {
  for (const char* json :
       {"5", "{}", R"({"type":"magic"})", R"({"type":"addRules"})", R"({"type":"addRules","behavior":"allow"})",
        R"({"type":"addRules","behavior":"allow","rules":[{}]})",
        R"({"type":"addRules","behavior":"maybe","rules":[]})",
        R"({"type":"addRules","behavior":"allow","rules":[{"toolName":"A","ruleContent":5}]})",
        R"({"type":"addRules","behavior":"allow","rules":[],"destination":"/etc"})",
        R"({"type":"setMode","mode":"god"})", R"({"type":"addDirectories","directories":["relative"]})"}) {
    EXPECT_FALSE(parsed(json)) << json;
  }
}

}  // namespace
}  // namespace deft
