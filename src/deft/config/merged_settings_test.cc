#include "deft/config/merged_settings.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "deft/testing/temp_folder.h"

namespace deft {
namespace {

class MergedSettingsOf : public ::testing::Test {
 protected:
  MergedSettingsOf() { std::filesystem::create_directories(places.directory); }

  std::vector<LoadedFile> load(const WantedSources& wanted = {}) const {
    std::vector<LoadedFile> files;
    for (const SettingsFile& file : settings_files(places, wanted)) files.push_back(load_settings_file(file));
    return files;
  }
  MergedSettings merged(bool trusted = true) const {
    auto result = merge_settings(load(), places, trusted);
    EXPECT_TRUE(result) << result.error().message;
    return result ? *result : MergedSettings{};
  }
  static Verdict verdict(const MergedSettings& settings, std::string tool, JsonObject input = {}) {
    const Json json = std::move(input);
    return Permissions(settings.permissions).decide({.tool = std::move(tool), .input = &json}).verdict;
  }

  const TempFolder folder;
  const SettingsPlaces places{.directory = folder / "project",
                              .home = folder / "home",
                              .config_home = folder / "home/.config",
                              .claude_home = folder / "home/.claude",
                              .system = folder / "etc"};
};

TEST_F(MergedSettingsOf, TheStrongestSourceSettlesAScalarAndListsAreJoined) {
  folder.put("home/.claude/settings.json",
             R"json({"streaming":"off","permissions":{"defaultMode":"plan","allow":["A"]}})json");
  folder.put("home/.config/deft/settings.json", R"json({"permissions":{"defaultMode":"dontAsk","allow":["B"]}})json");
  folder.put("project/.claude/settings.json", R"json({"permissions":{"allow":["C"]}})json");
  EXPECT_EQ(merged().permissions.mode, Mode::dont_ask) << "deft's own file wins at the same level";
  EXPECT_FALSE(merged().settings.streaming);
  folder.put("etc/deft/managed-settings.json", R"json({"permissions":{"defaultMode":"default"}})json");
  folder.put("etc/deft/managed-settings.d/10.json", R"json({"streaming":"on"})json");
  EXPECT_EQ(merged().permissions.mode, Mode::normal);
  EXPECT_TRUE(merged().settings.streaming);
  for (const char* tool : {"A", "B", "C"}) EXPECT_EQ(verdict(merged(), tool), Verdict::allow) << tool;
}

TEST_F(MergedSettingsOf, AFolderThatIsNotTrustedDeniesButAllowsNothing) {
  folder.put(
      "project/.deft/settings.json",
      R"json({"streaming":"off","permissions":{"allow":["A"],"deny":["D"],"ask":["Q"],"additionalDirectories":["/"]}})json");
  folder.put("home/.config/deft/settings.json", R"json({"permissions":{"allow":["Q"]}})json");
  EXPECT_EQ(verdict(merged(true), "A"), Verdict::allow);
  EXPECT_EQ(verdict(merged(false), "A"), Verdict::ask);
  EXPECT_EQ(verdict(merged(false), "D"), Verdict::deny);
  EXPECT_EQ(verdict(merged(false), "Q"), Verdict::ask);
  EXPECT_TRUE(merged(false).permissions.directories.empty());
  EXPECT_TRUE(merged(false).settings.streaming);
}

TEST_F(MergedSettingsOf, ARepositoryDoesNotChooseAWideMode) {
  folder.put("project/.deft/settings.json", R"json({"permissions":{"defaultMode":"bypassPermissions"}})json");
  EXPECT_EQ(merged().permissions.mode, Mode::normal);
  folder.put("project/.deft/settings.json", R"json({"permissions":{"defaultMode":"plan"}})json");
  EXPECT_EQ(merged().permissions.mode, Mode::plan);
}

TEST_F(MergedSettingsOf, ABrokenFileIsNamedWithItsLineAndEverythingIsAskedFor) {
  folder.put("home/.config/deft/settings.json",
             R"json({"permissions":{"allow":["A"],"defaultMode":"bypassPermissions"}})json");
  folder.put("home/.claude/settings.json", "{\n\"permissions\": {\"deny\": [\"A\",]}}");
  const MergedSettings settings = merged();
  ASSERT_EQ(settings.problems.size(), 1U);
  EXPECT_NE(settings.problems[0].find(".claude/settings.json: line 2"), std::string::npos) << settings.problems[0];
  EXPECT_EQ(verdict(settings, "A"), Verdict::ask) << "what the file denies is not known";
}

TEST_F(MergedSettingsOf, ABrokenRuleIsNamedAndAsksOnlyForItsTool) {
  folder.put("home/.config/deft/settings.json",
             R"json({"permissions":{"allow":["A","Oops("],"deny":["B(x"],"defaultMode":"bypassPermissions"}})json");
  const MergedSettings settings = merged();
  EXPECT_EQ(settings.problems.size(), 2U);
  EXPECT_EQ(verdict(settings, "A"), Verdict::allow);
  EXPECT_EQ(verdict(settings, "B"), Verdict::ask);
}

TEST_F(MergedSettingsOf, PolicyForbidsBypassAndOtherPeoplesAllowRules) {
  folder.put(
      "etc/claude-code/managed-settings.json",
      R"json({"allowManagedPermissionRulesOnly":true,"permissions":{"disableBypassPermissionsMode":"disable","allow":["M"]}})json");
  folder.put("home/.config/deft/settings.json", R"json({"permissions":{"allow":["U"],"deny":["D"]}})json");
  MergedSettings settings = merged();
  settings.permissions.mode = Mode::bypass;
  EXPECT_EQ(verdict(settings, "X"), Verdict::ask);
  EXPECT_EQ(verdict(settings, "M"), Verdict::allow);
  EXPECT_EQ(verdict(settings, "U"), Verdict::ask);
  EXPECT_EQ(verdict(settings, "D"), Verdict::deny);
}

TEST_F(MergedSettingsOf, MemoryThatIsLeftOutIsJoinedAndMemoryInSettingsIsForThoseWhoManage) {
  folder.put("etc/claude-code/managed-settings.json", R"json({"claudeMd":"of the machine"})json");
  folder.put("home/.claude/settings.json", R"json({"claudeMd":"of the user","claudeMdExcludes":["/a"]})json");
  folder.put("project/.claude/settings.json", R"json({"claudeMd":"of the project","claudeMdExcludes":["/b"]})json");
  EXPECT_EQ(merged().settings.agent.managed_memory, "of the machine");
  EXPECT_EQ(merged().settings.agent.memory_excludes, (std::vector<std::string>{"/b", "/a"}));
  EXPECT_EQ(merged(false).settings.agent.memory_excludes, std::vector<std::string>{"/a"}) << "it is not trusted";
  folder.put("etc/claude-code/managed-settings.json", "{}");
  EXPECT_EQ(merged().settings.agent.managed_memory, "");
}

TEST_F(MergedSettingsOf, EveryValueHasItsFile) {
  const std::string file =
      folder.put("home/.config/deft/settings.json", R"json({"permissions":{"allow":["A"]},"other":{"x":1}})json");
  const auto origins = merged().origins;
  ASSERT_EQ(origins.size(), 2U);
  EXPECT_EQ(origins[0].key, "permissions.allow");
  EXPECT_EQ(origins[0].value, "\"A\"");
  EXPECT_EQ(origins[0].file, file);
  EXPECT_EQ(origins[1].key, "other.x");
}

TEST_F(MergedSettingsOf, OnlyWantedSourcesAreRead) {
  const auto wanted = parse_wanted_sources("user");
  ASSERT_TRUE(wanted);
  for (const LoadedFile& file : load(*wanted)) {
    EXPECT_TRUE(file.file.source == SettingSource::user || file.file.source == SettingSource::managed)
        << file.file.path;
  }
  EXPECT_FALSE(parse_wanted_sources("user,managed"));
  EXPECT_TRUE(parse_wanted_sources("user, local")->local) << "a blank is no part of the word";
}

}  // namespace
}  // namespace deft
