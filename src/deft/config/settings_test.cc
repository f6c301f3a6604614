#include "deft/config/settings.h"

#include <gtest/gtest.h>

namespace deft {
namespace {

TEST(Settings, ReadsWhatItKnowsAndLeavesTheRestAlone) {
  const auto settings = parse_settings(R"json({"permissions":{"allow":["Read"],"deny":["Bash(rm *)"],
      "defaultMode":"plan","additionalDirectories":["../x"]},"scheduling":"exclusive","streaming":"off",
      "cancelSiblingsOnFailure":false,"model":"whatever","hooks":{}})json");
  ASSERT_TRUE(settings) << settings.error().message;
  EXPECT_EQ(settings->rules.allow.at(0).tool, "Read");
  EXPECT_EQ(settings->rules.deny.at(0).specifier, "rm *");
  EXPECT_EQ(settings->default_mode, Mode::plan);
  EXPECT_EQ(settings->additional_directories, std::vector<std::string>{"../x"});
  EXPECT_TRUE(settings->exclusive_scheduling);
  EXPECT_FALSE(settings->streaming);
  EXPECT_FALSE(settings->cancel_siblings_on_failure);
}

TEST(Settings, SayHowCommandsAreRun) {
  const auto settings = parse_settings(R"json({"bashOutputMaxChars":5000,"shell":{"profile":"never",
      "limits":{"memoryMb":512,"processes":0,"fileMb":100,"openFiles":64},"daemons":["gradle"],
      "readOnlyWithoutSandbox":true}})json");
  ASSERT_TRUE(settings) << settings.error().message;
  const ShellSettings& shell = settings->shell;
  EXPECT_EQ(shell.profile, ShellSettings::Profile::never);
  EXPECT_EQ(shell.memory_mb, 512U);
  EXPECT_EQ(shell.processes, 0U);
  EXPECT_EQ(shell.file_mb, 100U);
  EXPECT_EQ(shell.open_files, 64U);
  EXPECT_EQ(shell.daemons, std::vector<std::string>{"gradle"});
  EXPECT_TRUE(shell.read_only_without_sandbox);
  EXPECT_EQ(shell.output_characters_max, 5'000);
}

TEST(Settings, SayHowLongAPersonHasTimeForAQuestion) {
  EXPECT_EQ(parse_settings(R"({"askUserQuestionTimeout":"5m"})")->question_time, std::chrono::minutes(5));
  EXPECT_EQ(parse_settings(R"({"askUserQuestionTimeout":"never"})")->question_time, std::nullopt);
  EXPECT_EQ(parse_settings("{}")->question_time, std::nullopt);
}

TEST(Settings, SayWhoIsToldWhatHappens) {
  const auto settings =
      parse_settings(R"({"telemetry":{"otlpEndpoint":"http://127.0.0.1:4318","otlpHeaders":{"x-key":"k"}}})");
  ASSERT_TRUE(settings) << settings.error().message;
  EXPECT_EQ(settings->telemetry.otlp_endpoint, "http://127.0.0.1:4318");
  ASSERT_EQ(settings->telemetry.otlp_headers.size(), 1U);
  EXPECT_EQ(settings->telemetry.otlp_headers[0].second, "k");
}

TEST(Settings, AWrongValueIsAnErrorThatNamesItsKey) {
  const std::pair<const char*, const char*> cases[] = {
      {R"({"permissions":[]})", "permissions must be an object"},
      {R"({"permissions":{"allow":"Read"}})", "permissions.allow must be a list"},
      {R"({"permissions":{"defaultMode":"yolo"}})", "permissions.defaultMode"},
      {R"({"permissions":{"additionalDirectories":[1]}})", "permissions.additionalDirectories"},
      {R"({"scheduling":"fast"})", "scheduling must be"},
      {R"({"streaming":1})", "streaming must be"},
      {R"({"shell":[]})", "shell must be an object"},
      {R"({"shell":{"profile":"often"}})", "shell.profile must be"},
      {R"({"shell":{"limits":{"memoryMb":-1}}})", "shell.limits.memoryMb must be a whole number"},
      {R"({"shell":{"commandsAtOnce":-1}})", "shell.commandsAtOnce must be a whole number from 0"},
      {R"({"shell":{"limits":{"openFiles":"many"}}})", "shell.limits.openFiles must be a whole number"},
      {R"({"shell":{"daemons":["gradle",1]}})", "shell.daemons must be a list of program names"},
      {R"({"shell":{"readOnlyWithoutSandbox":"yes"}})", "shell.readOnlyWithoutSandbox must be"},
      {R"({"telemetry":{"otlpEndpoint":"ftp://x"}})", "telemetry.otlpEndpoint must be"},
      {R"({"telemetry":{"otlpHeaders":{"a":"b\r\nc: d"}}})", "telemetry.otlpHeaders must be"},
      {R"({"askUserQuestionTimeout":60})", "askUserQuestionTimeout must be"},
      {R"({"bashOutputMaxChars":10})", "bashOutputMaxChars must be a whole number from 4000"},
      {R"([])", "the settings must be a JSON object"},
      {"{\"a\":1,\n\"a\":2}", "line 2"}};
  for (const auto& [text, expected] : cases) {
    const auto settings = parse_settings(text);
    ASSERT_FALSE(settings) << text;
    EXPECT_NE(settings.error().message.find(expected), std::string::npos) << settings.error().message;
  }
}

TEST(Settings, ConcurrencyIsAWholeNumberFromOne) {
  EXPECT_EQ(*parse_concurrency("10", "X"), 10U);
  for (const char* bad : {"0", "-1", "ten", "", "1.5", "10 ", "99999999999999999999"}) {
    const auto number = parse_concurrency(bad, "DEFT_MAX_TOOL_CONCURRENCY");
    ASSERT_FALSE(number) << bad;
    EXPECT_TRUE(number.error().message.starts_with("DEFT_MAX_TOOL_CONCURRENCY must be a whole number"));
  }
}

}  // namespace
}  // namespace deft
