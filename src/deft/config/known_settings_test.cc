#include "deft/config/known_settings.h"

#include <gtest/gtest.h>

#include "deft/config/settings.h"

namespace deft {
namespace {

std::vector<std::string> mistyped(std::string_view settings) { return mistyped_settings(parse_json(settings).value()); }

TEST(KnownSettings, ASlipOfThePenIsNamedWithWhatWasMeant) {
  EXPECT_EQ(
      mistyped(R"({"permission":{"deny":["Bash"]}})"),
      std::vector<std::string>{"\"permission\" is no setting of deft's and has no effect; is \"permissions\" meant?"});
  EXPECT_EQ(mistyped(R"({"permissions":{"denny":["Bash"]}})"),
            std::vector<std::string>{
                "\"permissions.denny\" is no setting of deft's and has no effect; is \"permissions.deny\" meant?"});
  EXPECT_EQ(
      mistyped(R"({"prices":{"m*":{"input":1,"output":2,"cache_reads":3}},"shell":{"limits":{"fileMB":1}}})").size(),
      2U);
}

TEST(KnownSettings, WhatOtherToolsReadIsLeftAlone) {
  EXPECT_EQ(mistyped(R"({"statusLine":{"type":"command"},"sandbox":{"enabled":true},"outputStyle":"x","language":"de",
                         "availableModels":[],"enabledPlugins":{"a@b":true},"attribution":{"commit":""},"$schema":"x",
                         "autoMemoryEnabled":true,"includeGitInstructions":false,"plansDirectory":"p","theme":"dark"})"),
            std::vector<std::string>{});
}

TEST(KnownSettings, NamesThatAreTheUsersOwnAreNoSlips) {
  EXPECT_EQ(mistyped(R"({"env":{"input":"x"},"hooks":{"PreToolUses":[]},"skillOverrides":{"deny":"off"},
                         "telemetry":{"otlpHeaders":{"otlpEndpoint":"x"}},"lsp":{"servers":{"enable":{"command":"x"}}}})"),
            std::vector<std::string>{});
  EXPECT_EQ(mistyped("[]"), std::vector<std::string>{});
}

// The table and the parser know the same keys: what none of them may be is an error that names it.
TEST(KnownSettings, AreThoseThatAreRead) {
  // Read where they are needed, not by parse_settings().
  const auto is_read_elsewhere = [](std::string_view key) {
    for (const std::string_view part :
         {"permissionExamples.", "permissions.disable", "permissions.block", "permissions.denyInstead", "hooks.",
          "allowManaged", "disableAllHooks", "allowedHttp", "httpHook", "Mcp", "outputStyle"}) {
      if (key.find(part) != std::string_view::npos) return true;
    }
    return false;
  };
  std::size_t read = 0;
  for (const KnownSetting& setting : known_settings()) {
    if (is_read_elsewhere(setting.key)) continue;
    Json value = JsonArray{Json(JsonArray{})};  // right for none of them
    std::string_view rest = setting.key;
    while (!rest.empty()) {
      const std::size_t dot = rest.rfind('.');
      const std::string_view name = rest.substr(dot == std::string_view::npos ? 0 : dot + 1);
      value = JsonObject{{name == "*" ? std::string_view("x") : name, std::move(value)}};
      rest = dot == std::string_view::npos ? std::string_view() : rest.substr(0, dot);
    }
    const auto parsed = parse_settings(to_json(value));
    EXPECT_FALSE(parsed) << setting.key;
    ++read;
  }
  EXPECT_GT(read, 60U);
}

}  // namespace
}  // namespace deft
