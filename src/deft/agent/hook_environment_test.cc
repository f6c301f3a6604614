#include "deft/agent/hook_environment.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>

namespace deft {
namespace {

bool has(const std::vector<std::string>& environment, const std::string& entry) {
  return std::ranges::find(environment, entry) != environment.end();
}
bool has_name(const std::vector<std::string>& environment, std::string_view name) {
  return std::ranges::any_of(environment,
                             [&](const std::string& entry) { return entry.starts_with(std::string(name) + "="); });
}

TEST(HookEnvironment, AHookIsToldWhereItIsUnderBothNames) {
  const HookSession session{.id = "s1", .project = "/p", .effort = "high"};
  const auto environment = hook_environment({}, session, HookEvent::pre_tool_use);
  for (const char* entry :
       {"CLAUDE_PROJECT_DIR=/p", "DEFT_PROJECT_DIR=/p", "CLAUDE_CODE_SESSION_ID=s1", "DEFT_SESSION_ID=s1",
        "CLAUDECODE=1", "DEFT=1", "CLAUDE_CODE_CHILD_SESSION=1", "CLAUDE_EFFORT=high", "DEFT_EFFORT=high"}) {
    EXPECT_TRUE(has(environment, entry)) << entry;
  }
  EXPECT_TRUE(has(environment, "CLAUDE_PID=" + std::to_string(::getpid())));
}

TEST(HookEnvironment, SecretsOfTheModelAndTelemetryDoNotReachAHook) {
  const std::vector<std::string> own = {"ANTHROPIC_API_KEY=sk-very-secret",
                                        "COPY=sk-very-secret",
                                        "OTEL_EXPORTER_OTLP_HEADERS=x=y",
                                        "OTEL_SERVICE_NAME=s",
                                        "GITHUB_TOKEN=theirs",
                                        "CLAUDE_PROJECT_DIR=/elsewhere"};
  const auto environment = hook_environment(own, {.project = "/p"}, HookEvent::stop);
  EXPECT_FALSE(has_name(environment, "ANTHROPIC_API_KEY"));
  EXPECT_FALSE(has_name(environment, "COPY"));
  EXPECT_FALSE(has_name(environment, "OTEL_SERVICE_NAME"));
  EXPECT_FALSE(has_name(environment, "OTEL_EXPORTER_OTLP_HEADERS"));
  EXPECT_TRUE(has(environment, "GITHUB_TOKEN=theirs"));
  EXPECT_FALSE(has(environment, "CLAUDE_PROJECT_DIR=/elsewhere"));
}

TEST(HookEnvironment, OnlyTheStartOfASessionHasAFileForVariables) {
  const HookSession session{.environment_file = "/s/env"};
  EXPECT_TRUE(has(hook_environment({}, session, HookEvent::session_start), "CLAUDE_ENV_FILE=/s/env"));
  EXPECT_FALSE(has_name(hook_environment({}, session, HookEvent::stop), "CLAUDE_ENV_FILE"));
}

TEST(HookEnvironment, PlaceholdersNameTheProject) {
  const HookSession session{.project = "/p x"};
  EXPECT_EQ(with_placeholders("${CLAUDE_PROJECT_DIR}/a ${DEFT_PROJECT_DIR} ${OTHER} ${", session),
            "/p x/a /p x ${OTHER} ${");
  EXPECT_EQ(with_shell_placeholders("'${CLAUDE_PROJECT_DIR}'/a", {.project = "/p"}), "'/p'/a");
}

TEST(HookEnvironment, AFolderThatMeansSomethingToAShellIsNotWrittenIntoACommand) {
  for (const char* folder : {"/p x", "/$(touch evil)", "/`x`", "/a;b", "/a'b", "/a\"b", "/a&b", "/a\nb", "/a*"}) {
    EXPECT_EQ(with_shell_placeholders("${CLAUDE_PROJECT_DIR}/x", {.project = folder}), "${CLAUDE_PROJECT_DIR}/x")
        << folder;
  }
}

TEST(HookEnvironment, AHeaderHoldsOnlyVariablesThatAreAllowed) {
  const std::vector<std::string> own = {"TOKEN=t0k", "OTHER=o", "ANTHROPIC_API_KEY=secret"};
  const Hook hook{.allowed_variables = {"TOKEN", "ANTHROPIC_API_KEY", "MISSING"}};
  HookConfig config;
  EXPECT_EQ(with_variables("Bearer $TOKEN/${TOKEN}.", own, hook, config), "Bearer t0k/t0k.");
  EXPECT_EQ(with_variables("[$OTHER][${MISSING}][$ANTHROPIC_API_KEY]", own, hook, config), "[][][]");
  EXPECT_EQ(with_variables("$ 5$ ${x", own, hook, config), "$ 5$ ${x");
  config.http_variables = std::vector<std::string>{"OTHER"};
  EXPECT_EQ(with_variables("[$TOKEN][$OTHER]", own, hook, config), "[][]") << "both must allow it";
}

TEST(HookEnvironment, AddressesAreAllowedByPatternsThatKeepTheHost) {
  HookConfig config;
  EXPECT_TRUE(is_allowed_url("http://anything/", config));
  config.http_urls =
      std::vector<std::string>{"https://hooks.example.com/*", "http://localhost:*", "https://*.corp.example/a"};
  EXPECT_TRUE(is_allowed_url("https://hooks.example.com/x/y?z", config));
  EXPECT_TRUE(is_allowed_url("http://localhost:8080/hook", config));
  EXPECT_TRUE(is_allowed_url("https://a.b.corp.example/a", config));
  for (const char* url :
       {"http://hooks.example.com/x", "https://hooks.example.com.evil.com/", "https://evil.com/x.corp.example/a",
        "https://hooks.example.com@evil.com/", "http://localhost:80@evil.com/", "http://localhost/",
        "https://a.corp.example/b", "https://evil.com?.corp.example/a", "https://evil.com\\.corp.example/a"}) {
    EXPECT_FALSE(is_allowed_url(url, config)) << url;
  }
  config.http_urls->clear();
  EXPECT_FALSE(is_allowed_url("http://localhost:80/", config)) << "an empty list allows nothing";
}

TEST(HookEnvironment, FieldsOfTheInputFillTheArgumentsOfATool) {
  const Json input = parse_json(R"({"tool_input":{"file_path":"/p/a","n":[1]},"cwd":"/p"})").value();
  const JsonObject asked =
      parse_json(
          R"({"path":"${tool_input.file_path}!","deep":[{"cwd":"${cwd}"}],"list":"${tool_input.n}","no":"${a.b}","k":3})")
          ->get_object();
  EXPECT_EQ(to_json(with_fields(asked, input)), R"({"path":"/p/a!","deep":[{"cwd":"/p"}],"list":"[1]","no":"","k":3})");
}

}  // namespace
}  // namespace deft
