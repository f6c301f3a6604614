#include "deft/model/provider_choice.h"

#include <gtest/gtest.h>

#include "deft/model/model_endpoint.h"

namespace deft {
namespace {

using Environment = std::vector<std::string>;

ProviderChoice choose(const Environment& environment, const ModelSettings& settings = {},
                      const ProviderFlags& flags = {}) {
  auto choice = choose_provider(settings, flags, environment);
  EXPECT_TRUE(choice) << (choice ? "" : choice.error().message);
  return choice ? std::move(*choice) : ProviderChoice{.model = "none"};
}
std::string problem(const Environment& environment, const ModelSettings& settings = {},
                    const ProviderFlags& flags = {}) {
  const auto choice = choose_provider(settings, flags, environment);
  return choice ? "none: " + choice->description() : choice.error().message;
}

TEST(ProviderChoice, TheUsualVariablesAreEnough) {
  const ProviderChoice anthropic = choose({"ANTHROPIC_API_KEY=sk-1"});
  EXPECT_EQ(anthropic.description(), "claude-sonnet-5-5 by anthropic at api.anthropic.com, key from ANTHROPIC_API_KEY");
  EXPECT_EQ(anthropic.key_headers, (HttpHeaders{{"x-api-key", "sk-1"}}));
  EXPECT_EQ(anthropic.small_model, "claude-haiku-5-5");
  EXPECT_EQ(anthropic.retries_max, 10U);
  EXPECT_EQ(anthropic.answer_timeout, kModelAnswerTimeout);
  EXPECT_EQ(anthropic.idle_timeout, kModelIdleTimeout);
  EXPECT_EQ(anthropic.cache_ttl, "5m");

  const ProviderChoice openai = choose({"OPENAI_API_KEY=sk-2"});
  EXPECT_EQ(openai.description(), "gpt-5.4 by openai-responses at api.openai.com, key from OPENAI_API_KEY");
  EXPECT_EQ(openai.key_headers, (HttpHeaders{{"Authorization", "Bearer sk-2"}}));
}

TEST(ProviderChoice, AServerOfOnesOwnNeedsNoKey) {
  EXPECT_EQ(choose({"ANTHROPIC_BASE_URL=http://127.0.0.1:8080"}).description(),
            "default by anthropic at 127.0.0.1:8080, without a key");
  EXPECT_EQ(choose({"OPENAI_BASE_URL=http://127.0.0.1:11434/v1"}, {}, {.model = "qwen3"}).description(),
            "qwen3 by openai-chat at 127.0.0.1:11434, without a key");
  const ProviderChoice token = choose({"ANTHROPIC_BASE_URL=https://gateway.example", "ANTHROPIC_AUTH_TOKEN=t ",
                                       "ANTHROPIC_API_KEY=sk-1", "ANTHROPIC_MODEL=opus"});
  EXPECT_EQ(token.key_headers, (HttpHeaders{{"Authorization", "Bearer t"}}));
  EXPECT_EQ(token.model, "claude-opus-5-5");
}

TEST(ProviderChoice, WhereBothAreSetTheNameOfTheModelDecides) {
  const Environment both = {"ANTHROPIC_API_KEY=a", "OPENAI_API_KEY=b"};
  EXPECT_EQ(choose(both).api, ModelApi::anthropic);
  EXPECT_EQ(choose(both, {.model = "gpt-5"}).api, ModelApi::openai_responses);
  EXPECT_EQ(choose(both, {.model = "gpt-5"}, {.model = "claude-opus-5"}).api, ModelApi::anthropic);
  EXPECT_EQ(choose(both, {.model = "o3-mini"}).api, ModelApi::openai_responses);
  EXPECT_EQ(choose(both, {.model = "olmo"}).api, ModelApi::anthropic);
  EXPECT_EQ(choose(both, {.provider = "openai-chat"}).api, ModelApi::openai_chat);
  EXPECT_EQ(choose(both, {.provider = "openai"}, {.provider = "anthropic"}).api, ModelApi::anthropic);
}

TEST(ProviderChoice, FlagsGoBeforeTheEnvironmentAndThatBeforeSettings) {
  const ModelSettings settings{.model = "by-settings", .fallback_models = {"f1"}};
  EXPECT_EQ(choose({"ANTHROPIC_API_KEY=a"}, settings).model, "by-settings");
  EXPECT_EQ(choose({"ANTHROPIC_API_KEY=a", "ANTHROPIC_MODEL=by-environment"}, settings).model, "by-environment");
  const ProviderChoice flags = choose({"ANTHROPIC_API_KEY=a", "ANTHROPIC_MODEL=by-environment"}, settings,
                                      {.model = "by-flag", .fallback_models = {"haiku", "f2"}});
  EXPECT_EQ(flags.model, "by-flag");
  EXPECT_EQ(flags.fallback_models, (std::vector<std::string>{"claude-haiku-5-5", "f2"}));
  EXPECT_EQ(choose({"ANTHROPIC_API_KEY=a", "ANTHROPIC_DEFAULT_OPUS_MODEL=mine"}, {}, {.model = "opus"}).model, "mine");
  EXPECT_EQ(choose({"ANTHROPIC_API_KEY=a", "ANTHROPIC_MODEL=b", "ANTHROPIC_MODEL=c"}).model, "c");
}

TEST(ProviderChoice, HeadersBetasAndTheCacheAreTakenOver) {
  const ProviderChoice choice =
      choose({"ANTHROPIC_API_KEY=a", "ANTHROPIC_CUSTOM_HEADERS=X-A: 1\nno header\n X-B :two words\n",
              "ANTHROPIC_BETAS=a, b,,"},
             {.prompt_cache_ttl = "1h"});
  EXPECT_EQ(choice.extra_headers, (HttpHeaders{{"X-A", "1"}, {"X-B", "two words"}}));
  EXPECT_EQ(choice.betas, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(choice.cache_ttl, "1h");
  EXPECT_EQ(choose({"ANTHROPIC_API_KEY=a"}, {.prompt_cache_ttl = "off"}).cache_ttl, "");
  EXPECT_EQ(choose({"OPENAI_API_KEY=a", "OPENAI_ORG_ID=o", "OPENAI_PROJECT_ID=p"}).extra_headers,
            (HttpHeaders{{"OpenAI-Organization", "o"}, {"OpenAI-Project", "p"}}));
}

TEST(ProviderChoice, NumbersOfOthersCountWhereOursAreNotSet) {
  using namespace std::chrono_literals;
  const ProviderChoice theirs = choose({"ANTHROPIC_API_KEY=a", "CLAUDE_CODE_MAX_RETRIES=99", "API_TIMEOUT_MS=1000",
                                        "CLAUDE_STREAM_IDLE_TIMEOUT_MS=1000", "CLAUDE_CODE_MAX_OUTPUT_TOKENS=5",
                                        "MAX_THINKING_TOKENS=7", "CLAUDE_CODE_RETRY_WATCHDOG=1"});
  EXPECT_EQ(theirs.retries_max, 15U);
  EXPECT_EQ(theirs.answer_timeout, Duration(1s));
  EXPECT_EQ(theirs.idle_timeout, Duration(5min));
  EXPECT_EQ(theirs.output_tokens_max, 5U);
  EXPECT_EQ(theirs.thinking_tokens, 7U);
  EXPECT_TRUE(theirs.retry_overload_for_ever);
  const ProviderChoice ours = choose(
      {"ANTHROPIC_API_KEY=a", "CLAUDE_CODE_MAX_RETRIES=99", "DEFT_MAX_RETRIES=0", "DEFT_STREAM_IDLE_TIMEOUT_MS=20"});
  EXPECT_EQ(ours.retries_max, 0U);
  EXPECT_EQ(ours.idle_timeout, Duration(20ms));
  EXPECT_NE(problem({"ANTHROPIC_API_KEY=a", "DEFT_MAX_RETRIES=many"}).find("DEFT_MAX_RETRIES"), std::string::npos);
}

TEST(ProviderChoice, SaysWhatToSet) {
  EXPECT_NE(problem({}).find("set ANTHROPIC_API_KEY"), std::string::npos);
  EXPECT_NE(problem({}, {.provider = "openai"}).find("set OPENAI_API_KEY"), std::string::npos);
  EXPECT_NE(problem({}, {.provider = "anthropic"}).find("apiKeyHelper"), std::string::npos);
  EXPECT_NE(problem({}, {}, {.provider = "gemini"}).find("gemini"), std::string::npos);
  EXPECT_NE(problem({}, {.provider = "scripted"}).find("--script"), std::string::npos);
  EXPECT_NE(problem({"ANTHROPIC_BASE_URL=127.0.0.1:8080"}).find("http://"), std::string::npos);
  const std::string bad_key = problem({"ANTHROPIC_API_KEY=sk one two"});
  EXPECT_NE(bad_key.find("ANTHROPIC_API_KEY"), std::string::npos);
  EXPECT_EQ(bad_key.find("one"), std::string::npos) << "the key stands in the error";
}

TEST(ProviderChoice, AHelperGivesTheKeyWhereNoneIsSet) {
  const ProviderChoice choice = choose({"DEFT_API_KEY_HELPER_TTL_MS=50"}, {.api_key_helper = "print-key"});
  EXPECT_EQ(choice.key_helper, "print-key");
  EXPECT_EQ(choice.key_helper_ttl, Duration(std::chrono::milliseconds(50)));
  EXPECT_TRUE(choose({"ANTHROPIC_API_KEY=a"}, {.api_key_helper = "print-key"}).key_helper.empty());
  EXPECT_EQ(*parse_printed_key("  sk-1\n"), "sk-1");
  for (const std::string& output : {std::string(), std::string("two words"), std::string("a\nb"),
                                    std::string("k\xC3\xA9y"), std::string(kApiKeyCharactersMax + 1, 'x')}) {
    EXPECT_FALSE(parse_printed_key(output));
  }
}

TEST(ProviderChoice, AScriptIsEnoughByItself) {
  EXPECT_EQ(choose({"ANTHROPIC_API_KEY=a"}, {}, {.script = "demo.jsonl"}).api, ModelApi::scripted);
  EXPECT_EQ(choose({}, {.provider = "scripted", .script = "demo.jsonl"}).description(), "a script, demo.jsonl");
}

TEST(ModelSettings, KnownKeysAreReadAndWrongOnesNamed) {
  const auto parse = [](std::string_view text) { return parse_model_settings(*parse_json(text)); };
  const auto settings = parse(
      R"({"provider":"openai","model":"m","fallbackModel":"f","env":{"A":"1","B":2},"alwaysThinkingEnabled":true,)"
      R"("autoCompactEnabled":false,"autoCompactWindow":100000})");
  ASSERT_TRUE(settings) << settings.error().message;
  EXPECT_EQ(settings->fallback_models, std::vector<std::string>{"f"});
  EXPECT_EQ(settings->environment, (std::vector<std::string>{"A=1", "B=2"}));
  EXPECT_EQ(settings->thinking, true);
  EXPECT_EQ(settings->auto_compact, false);
  EXPECT_EQ(settings->context_window, 100'000);
  EXPECT_EQ(parse(R"({"fallbackModel":["a","b"]})")->fallback_models.size(), 2U);
  for (const auto& [text, key] :
       std::vector<std::pair<std::string, std::string>>{{R"({"provider":"x"})", "provider"},
                                                        {R"({"autoCompactEnabled":"yes"})", "autoCompactEnabled"},
                                                        {R"({"autoCompactWindow":12})", "autoCompactWindow"},
                                                        {R"({"model":1})", "model"},
                                                        {R"({"fallbackModel":[1]})", "fallbackModel"},
                                                        {R"({"env":[]})", "env"},
                                                        {R"({"env":{"A":[]}})", "env.A"},
                                                        {R"({"env":{"A=B":"1"}})", "env"},
                                                        {R"({"promptCacheTtl":"2h"})", "promptCacheTtl"}}) {
    const auto wrong = parse(text);
    ASSERT_FALSE(wrong) << text;
    EXPECT_TRUE(wrong.error().message.starts_with(key + " must be")) << wrong.error().message;
  }
}

}  // namespace
}  // namespace deft
