#include "deft/config/settings_writer.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <iterator>

#include "deft/base/json.h"
#include "deft/testing/temp_folder.h"

namespace deft {
namespace {

std::string with(std::string_view settings, std::string_view rule = "Bash(make *)") {
  auto changed = with_rule(settings, RuleList::allow, rule);
  return changed ? *changed : "error: " + changed.error().message;
}
std::size_t rules_in(std::string_view settings) {
  const auto json = parse_json(settings);
  const Json* permissions = json ? find(*json, "permissions") : nullptr;
  const JsonArray* rules = permissions ? find_array(*permissions, "allow") : nullptr;
  return rules ? rules->size() : 0;
}
std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(SettingsWriter, AddsARuleAndLeavesTheRestByteForByte) {
  EXPECT_EQ(with(R"json({"a":1.50,  "permissions":{"allow":["Read"]}, "z":"\u00e9"})json"),
            R"json({"a":1.50,  "permissions":{"allow":["Read","Bash(make *)"]}, "z":"\u00e9"})json");
  EXPECT_EQ(with("{\n  \"permissions\": {\n    \"allow\": [\n      \"Read\"\n    ]\n  }\n}\n"),
            "{\n  \"permissions\": {\n    \"allow\": [\n      \"Read\",\n      \"Bash(make *)\"\n    ]\n  }\n}\n");
}

TEST(SettingsWriter, MakesWhatIsMissing) {
  for (const char* settings :
       {"", " \n", "{}", "{\n}\n", R"json({"a":1})json", R"json({"permissions":{}})json",
        R"json({"permissions":{"allow":[]}})json", "{\"permissions\":{\"allow\":[\n]}}",
        R"json({"permissions":{"deny":["Read"]}})json", R"json({"x":{"permissions":{"allow":[]}}})json"}) {
    const std::string changed = with(settings);
    EXPECT_EQ(rules_in(changed), 1U) << settings << " became " << changed;
  }
}

TEST(SettingsWriter, ChangesNothingIfTheRuleIsThereOrTheFileCannotBeUnderstood) {
  const std::string settings = R"json({"permissions":{"allow":["Bash(make \u002a)"]}})json";
  EXPECT_EQ(with(settings), settings);
  for (const char* broken :
       {"{", "[]", "{} {}", R"json({"permissions":[]})json", R"json({"permissions":{"allow":{}}})json",
        R"json({"permissions":{},"permissions":{}})json"}) {
    EXPECT_TRUE(with(broken).starts_with("error")) << broken;
  }
  EXPECT_TRUE(with("{}", "Bash(").starts_with("error"));
}

TEST(SettingsWriter, TwoProcessesLoseNoRule) {
  const TempFolder folder;
  const std::string file = folder / "deep/settings.json";
  constexpr int kProcesses = 4;
  constexpr int kRules = 8;
  std::vector<pid_t> children;
  for (int process = 0; process < kProcesses; ++process) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      bool fine = true;
      for (int i = 0; i < kRules; ++i) {
        const std::string rule = "Bash(r" + std::to_string(process) + " " + std::to_string(i) + ")";
        fine = write_rule(file, RuleList::allow, rule).has_value() && fine;
      }
      ::_exit(fine ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  EXPECT_EQ(rules_in(text_of(file)), static_cast<std::size_t>(kProcesses * kRules));
}

TEST(SettingsWriter, WhoIsKilledLeavesTheOldFileOrTheNewOne) {
  const TempFolder folder;
  const std::string file = folder.put("settings.json", R"json({"permissions":{"allow":["Read"]},"mine":true})json");
  for (int round = 0; round < 10; ++round) {
    int ready[2];
    ASSERT_EQ(::pipe(ready), 0);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      for (int i = 0;; ++i) {
        if (!write_rule(file, RuleList::allow, "Bash(" + std::to_string(round) + "-" + std::to_string(i) + ")"))
          ::_exit(1);
        const char done = 'x';
        if (::write(ready[1], &done, 1) != 1) ::_exit(1);
      }
    }
    ::close(ready[1]);
    char one = 0;
    for (int i = 0; i <= round; ++i) EXPECT_EQ(::read(ready[0], &one, 1), 1);
    ::close(ready[0]);
    ASSERT_GT(child, 0);
    ASSERT_EQ(::kill(child, SIGKILL), 0);
    ASSERT_EQ(::waitpid(child, nullptr, 0), child);
    const auto json = parse_json(text_of(file));
    ASSERT_TRUE(json) << text_of(file);
    EXPECT_EQ(find_bool(*json, "mine"), true);
  }
  EXPECT_TRUE(write_rule(file, RuleList::deny, "Read(.env)")) << "no lock is left behind";
}

}  // namespace
}  // namespace deft
