#include "deft/config/settings_writer.h"

#include <gtest/gtest.h>

#include "deft/base/json.h"

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

TEST(SettingsWriter, SetsAValueAndLeavesTheRestByteForByte) {
  const auto set = [](std::string_view settings) {
    auto changed = with_value(settings, "effortLevel", "high");
    return changed ? *changed : "error: " + changed.error().message;
  };
  EXPECT_EQ(set(""), "{\n  \"effortLevel\": \"high\"\n}\n");
  EXPECT_EQ(set("{}"), "{\n  \"effortLevel\": \"high\"\n}");
  EXPECT_EQ(set(R"json({"a":1.50})json"), R"json({"a":1.50,"effortLevel": "high"})json");
  EXPECT_EQ(set(R"json({"x":{"effortLevel":"low"}, "effortLevel" : "low" ,"z":"\u00e9"})json"),
            R"json({"x":{"effortLevel":"low"}, "effortLevel" : "high" ,"z":"\u00e9"})json");
  for (const char* broken : {"{", "[]", "{} {}", "// x\n{}"}) EXPECT_TRUE(set(broken).starts_with("error")) << broken;
}

}  // namespace
}  // namespace deft
