#include "deft/model/provider_choice.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <initializer_list>

#include "deft/base/text.h"
#include "deft/model/anthropic_client.h"
#include "deft/model/model_endpoint.h"
#include "deft/model/openai_client.h"
#include "deft/os/http_network.h"

namespace deft {
namespace {

constexpr std::string_view kNothingConfigured =
    "no model is configured: set ANTHROPIC_API_KEY; or ANTHROPIC_BASE_URL for a server of your own that speaks "
    "Anthropic's API (llama.cpp, vLLM, Ollama), with ANTHROPIC_AUTH_TOKEN if it wants a token; or OPENAI_API_KEY, or "
    "OPENAI_BASE_URL for a server with OpenAI's API; or give a script with --script";
constexpr Duration kForeignIdleTimeoutMin = std::chrono::minutes(5);  // of CLAUDE_STREAM_IDLE_TIMEOUT_MS
constexpr std::uint64_t kMillisecondsMax = 7ULL * 24 * 3600 * 1000;

struct ModelAlias {
  std::string_view name;
  std::string_view variable;  // what the user wants it to mean
  std::string_view model;
};
constexpr std::array<ModelAlias, 3> kAliases = {{{"sonnet", "ANTHROPIC_DEFAULT_SONNET_MODEL", "claude-sonnet-5-5"},
                                                 {"opus", "ANTHROPIC_DEFAULT_OPUS_MODEL", "claude-opus-5-5"},
                                                 {"haiku", "ANTHROPIC_DEFAULT_HAIKU_MODEL", "claude-haiku-5-5"}}};
constexpr std::string_view kOpenAiModel = "gpt-5.4";
constexpr std::string_view kOpenAiSmallModel = "gpt-5.4-mini";
constexpr std::string_view kUnnamedModel = "default";  // llama.cpp takes any name

std::string trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(kSpace) - first + 1));
}

std::vector<std::string> split_list(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    if (std::string part = trimmed(text.substr(0, end)); !part.empty()) parts.push_back(std::move(part));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

// "Name: Value" on each line.
HttpHeaders parse_headers(std::string_view text) {
  HttpHeaders headers;
  for (const std::string& line : split_list(text, '\n')) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos || colon == 0) continue;
    headers.emplace_back(trimmed(std::string_view(line).substr(0, colon)),
                         trimmed(std::string_view(line).substr(colon + 1)));
  }
  return headers;
}

class Chooser {
 public:
  Chooser(const ModelSettings& settings, const ProviderFlags& flags, std::span<const std::string> environment)
      : settings_(settings), flags_(flags), environment_(environment) {}

  Result<ProviderChoice> choose() {
    choice_.model = first({flags_.model, value("DEFT_MODEL")});
    choice_.fallback_models = !flags_.fallback_models.empty() ? flags_.fallback_models : settings_.fallback_models;
    choice_.script = first({flags_.script, value("DEFT_SCRIPT"), settings_.script});
    if (auto api = choose_api(); !api) return std::unexpected(api.error());
    if (auto numbers = read_numbers(); !numbers) return std::unexpected(numbers.error());
    choice_.effort = first({value("DEFT_EFFORT"), settings_.effort, value("CLAUDE_CODE_EFFORT_LEVEL")});
    Result<void> completed;
    switch (choice_.api) {
      case ModelApi::anthropic: completed = complete_anthropic(); break;
      case ModelApi::openai_chat:
      case ModelApi::openai_responses: completed = complete_openai(); break;
      case ModelApi::scripted: completed = complete_scripted(); break;
    }
    if (!completed) return std::unexpected(completed.error());
    return std::move(choice_);
  }

 private:
  // The last of that name, trimmed; empty: not there.
  std::string value(std::string_view name) const {
    for (auto entry = environment_.rbegin(); entry != environment_.rend(); ++entry) {
      if (entry->size() > name.size() && entry->starts_with(name) && (*entry)[name.size()] == '=') {
        return trimmed(std::string_view(*entry).substr(name.size() + 1));
      }
    }
    return {};
  }
  static std::string first(std::initializer_list<std::string> texts) {
    for (const std::string& text : texts) {
      if (!text.empty()) return text;
    }
    return {};
  }

  bool has_anthropic() const {
    return !value("ANTHROPIC_API_KEY").empty() || !value("ANTHROPIC_AUTH_TOKEN").empty() ||
           !value("ANTHROPIC_BASE_URL").empty();
  }
  bool has_openai() const { return !value("OPENAI_API_KEY").empty() || !value("OPENAI_BASE_URL").empty(); }

  Result<void> choose_api() {
    const std::string provider = first({flags_.provider, value("DEFT_PROVIDER"), settings_.provider});
    if (provider.empty() && !choice_.script.empty()) return take(ModelApi::scripted);
    if (provider == "scripted") return take(ModelApi::scripted);
    if (provider == "anthropic") return take(ModelApi::anthropic);
    if (provider == "openai-chat") return take(ModelApi::openai_chat);
    if (provider == "openai-responses") return take(ModelApi::openai_responses);
    if (provider == "openai") return take(openai_api());
    if (!provider.empty()) {
      return fail(Errc::invalid_input, "there is no provider " + one_line(provider, 60) +
                                           ": it is anthropic, openai, openai-chat, openai-responses or scripted");
    }
    const bool anthropic = has_anthropic(), openai = has_openai();
    if (anthropic != openai) return take(anthropic ? ModelApi::anthropic : openai_api());
    if (anthropic || !settings_.api_key_helper.empty() || !base_url("").empty()) {
      return take(is_openai_model(first({choice_.model, settings_.model})) ? openai_api() : ModelApi::anthropic);
    }
    return fail(Errc::invalid_input, std::string(kNothingConfigured));
  }
  Result<void> take(ModelApi api) {
    choice_.api = api;
    return {};
  }
  // Elsewhere chat completions are what is served.
  ModelApi openai_api() const {
    const std::string url = base_url("OPENAI_BASE_URL");
    const bool own = url.empty() || shown_host(url) == shown_host(kOpenAiUrl);
    return own ? ModelApi::openai_responses : ModelApi::openai_chat;
  }
  static bool is_openai_model(std::string_view model) {
    const bool is_o = model.size() > 1 && model[0] == 'o' && model[1] >= '1' && model[1] <= '9';
    return is_o || model.starts_with("gpt") || model.starts_with("chatgpt") || model.starts_with("codex");
  }

  std::string base_url(std::string_view variable) const {
    return first(
        {flags_.base_url, value("DEFT_BASE_URL"), settings_.base_url, variable.empty() ? "" : value(variable)});
  }
  Result<void> take_base_url(std::string_view variable, std::string_view otherwise) {
    choice_.base_url = base_url(variable);
    if (choice_.base_url.empty()) choice_.base_url = otherwise;
    if (auto checked = check_request({.url = choice_.base_url}); !checked) {
      return fail(Errc::invalid_input, "the base URL of the model is not usable: " + checked.error().message);
    }
    return {};
  }
  bool is_at(std::string_view url) const { return shown_host(choice_.base_url) == shown_host(url); }

  Result<void> complete_anthropic() {
    if (auto taken = take_base_url("ANTHROPIC_BASE_URL", kAnthropicUrl); !taken) return taken;
    choice_.extra_headers = parse_headers(value("ANTHROPIC_CUSTOM_HEADERS"));
    choice_.betas = split_list(value("ANTHROPIC_BETAS"), ',');
    if (value("CLAUDE_CODE_ENABLE_FINE_GRAINED_TOOL_STREAMING") == "1") choice_.eager_input = true;
    if (!settings_.prompt_cache_ttl.empty()) {
      choice_.cache_ttl = settings_.prompt_cache_ttl == "off" ? "" : settings_.prompt_cache_ttl;
    }
    const bool own = is_at(kAnthropicUrl);
    choice_.model = alias(
        first({choice_.model, value("ANTHROPIC_MODEL"), settings_.model, std::string(own ? "sonnet" : kUnnamedModel)}));
    for (std::string& model : choice_.fallback_models) model = alias(model);
    choice_.small_model = first({settings_.small_model, value("ANTHROPIC_SMALL_FAST_MODEL"),
                                 value("ANTHROPIC_DEFAULT_HAIKU_MODEL"), own ? "haiku" : choice_.model});
    choice_.small_model = alias(choice_.small_model);
    choice_.advisor_model = alias(settings_.advisor_model);

    if (const std::string token = value("ANTHROPIC_AUTH_TOKEN"); !token.empty()) {
      return take_key("ANTHROPIC_AUTH_TOKEN", {{"Authorization", "Bearer " + token}}, token);
    }
    if (const std::string key = value("ANTHROPIC_API_KEY"); !key.empty()) {
      return take_key("ANTHROPIC_API_KEY", {{"x-api-key", key}}, key);
    }
    if (take_helper() || !own) return {};
    return fail(Errc::invalid_input,
                "there is no key for " + shown_host(kAnthropicUrl) +
                    ": set ANTHROPIC_API_KEY, or apiKeyHelper in the settings to a command that prints one");
  }

  Result<void> complete_openai() {
    if (auto taken = take_base_url("OPENAI_BASE_URL", kOpenAiUrl); !taken) return taken;
    choice_.extra_headers = parse_headers(value("OPENAI_CUSTOM_HEADERS"));
    if (const std::string id = first({value("OPENAI_ORG_ID"), value("OPENAI_ORGANIZATION")}); !id.empty()) {
      choice_.extra_headers.emplace_back("OpenAI-Organization", id);
    }
    if (const std::string id = first({value("OPENAI_PROJECT_ID"), value("OPENAI_PROJECT")}); !id.empty()) {
      choice_.extra_headers.emplace_back("OpenAI-Project", id);
    }
    const bool own = is_at(kOpenAiUrl);
    choice_.model =
        first({choice_.model, value("OPENAI_MODEL"), settings_.model, std::string(own ? kOpenAiModel : kUnnamedModel)});
    choice_.small_model = first(
        {settings_.small_model, value("OPENAI_SMALL_MODEL"), own ? std::string(kOpenAiSmallModel) : choice_.model});
    choice_.advisor_model = settings_.advisor_model;
    if (const std::string key = value("OPENAI_API_KEY"); !key.empty()) {
      return take_key("OPENAI_API_KEY", {{"Authorization", "Bearer " + key}}, key);
    }
    if (take_helper() || !own) return {};
    return fail(Errc::invalid_input,
                "there is no key for " + shown_host(kOpenAiUrl) +
                    ": set OPENAI_API_KEY, or apiKeyHelper in the settings to a command that prints one");
  }

  Result<void> complete_scripted() {
    if (choice_.script.empty()) {
      return fail(Errc::invalid_input,
                  "a scripted model needs its script: --script FILE, or \"script\" in the settings");
    }
    choice_.model = first({choice_.model, settings_.model, "scripted"});
    choice_.small_model = settings_.small_model;
    choice_.advisor_model = settings_.advisor_model;
    return {};
  }

  Result<void> take_key(std::string_view source, HttpHeaders headers, std::string_view key) {
    const bool printable = std::ranges::all_of(key, [](char c) { return c > 0x20 && c < 0x7F; });
    if (!printable || key.size() > kApiKeyCharactersMax) {
      return fail(Errc::invalid_input, std::string(source) + " holds no key: a key has no blanks and no line ends");
    }
    choice_.key_headers = std::move(headers);
    choice_.key_source = source;
    return {};
  }
  bool take_helper() {
    if (settings_.api_key_helper.empty()) return false;
    choice_.key_helper = settings_.api_key_helper;
    choice_.key_source = "apiKeyHelper";
    return true;
  }

  std::string alias(const std::string& model) const {
    for (const ModelAlias& one : kAliases) {
      if (model != one.name) continue;
      const std::string wanted = value(one.variable);
      return wanted.empty() ? std::string(one.model) : wanted;
    }
    return model;
  }

  // --- numbers ---

  // Nothing: neither variable is set. Ours counts first.
  Result<std::optional<std::uint64_t>> number(std::string_view ours, std::string_view theirs,
                                              std::uint64_t most) const {
    for (const std::string_view name : {ours, theirs}) {
      const std::string text = name.empty() ? "" : value(name);
      if (text.empty()) continue;
      std::uint64_t parsed = 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), parsed);
      if (error != std::errc() || end != text.data() + text.size() || parsed > most) {
        return fail(Errc::invalid_input, std::string(name) + " must be a whole number up to " + std::to_string(most) +
                                             ", not " + json_quote(text.substr(0, 60)));
      }
      return parsed;
    }
    return std::nullopt;
  }
  Result<void> read_duration(std::string_view ours, std::string_view theirs, Duration otherwise, Duration& into) const {
    const auto read = number(ours, theirs, kMillisecondsMax);
    if (!read) return std::unexpected(read.error());
    into = *read && **read > 0 ? Duration(std::chrono::milliseconds(**read)) : otherwise;
    return {};
  }

  Result<void> read_numbers() {
    const auto retries = number("DEFT_MAX_RETRIES", "CLAUDE_CODE_MAX_RETRIES", 1'000'000);
    if (!retries) return std::unexpected(retries.error());
    if (*retries) choice_.retries_max = std::min<std::size_t>(**retries, kProviderRetriesMax);
    choice_.retry_overload_for_ever = first({value("DEFT_RETRY_WATCHDOG"), value("CLAUDE_CODE_RETRY_WATCHDOG")}) == "1";
    const auto output = number("DEFT_MAX_OUTPUT_TOKENS", "CLAUDE_CODE_MAX_OUTPUT_TOKENS", 1'000'000'000);
    if (!output) return std::unexpected(output.error());
    if (*output && **output > 0) choice_.output_tokens_max = **output;
    const auto thinking = number("DEFT_MAX_THINKING_TOKENS", "MAX_THINKING_TOKENS", 1'000'000'000);
    if (!thinking) return std::unexpected(thinking.error());
    if (*thinking) choice_.thinking_tokens = **thinking;
    const auto ttl = number("DEFT_API_KEY_HELPER_TTL_MS", "CLAUDE_CODE_API_KEY_HELPER_TTL_MS", kMillisecondsMax);
    if (!ttl) return std::unexpected(ttl.error());
    if (*ttl) choice_.key_helper_ttl = std::chrono::milliseconds(**ttl);
    if (auto read = read_duration("DEFT_API_TIMEOUT_MS", "API_TIMEOUT_MS", kModelAnswerTimeout, choice_.answer_timeout);
        !read) {
      return read;
    }
    if (auto read = read_duration("DEFT_STREAM_IDLE_TIMEOUT_MS", "CLAUDE_STREAM_IDLE_TIMEOUT_MS", kModelIdleTimeout,
                                  choice_.idle_timeout);
        !read) {
      return read;
    }
    if (value("DEFT_STREAM_IDLE_TIMEOUT_MS").empty()) {
      choice_.idle_timeout = std::max(choice_.idle_timeout, kForeignIdleTimeoutMin);
    }
    return {};
  }

  const ModelSettings& settings_;
  const ProviderFlags& flags_;
  const std::span<const std::string> environment_;
  ProviderChoice choice_;
};

}  // namespace

std::string_view to_string(ModelApi api) {
  switch (api) {
    case ModelApi::anthropic: return "anthropic";
    case ModelApi::openai_chat: return "openai-chat";
    case ModelApi::openai_responses: return "openai-responses";
    case ModelApi::scripted: return "scripted";
  }
  return "anthropic";
}

std::string ProviderChoice::description() const {
  if (api == ModelApi::scripted) return "a script, " + script;
  return model + " by " + std::string(to_string(api)) + " at " + shown_host(base_url) +
         (key_source.empty() ? ", without a key" : ", key from " + key_source);
}

Result<ProviderChoice> choose_provider(const ModelSettings& settings, const ProviderFlags& flags,
                                       std::span<const std::string> environment) {
  return Chooser(settings, flags, environment).choose();
}

Result<std::string> parse_printed_key(std::string_view output) {
  std::string key = trimmed(output);
  const bool printable = std::ranges::all_of(key, [](char c) { return c > 0x20 && c < 0x7F; });
  if (key.empty() || !printable || key.size() > kApiKeyCharactersMax) {
    return fail(Errc::failed, "apiKeyHelper did not print a key: one printable word and nothing else");
  }
  return key;
}

HttpHeaders helper_key_headers(ModelApi api, const std::string& key) {
  if (api != ModelApi::anthropic) return {{"Authorization", "Bearer " + key}};
  return {{"x-api-key", key}, {"Authorization", "Bearer " + key}};  // servers differ in which they look at
}

}  // namespace deft
