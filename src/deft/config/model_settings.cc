#include "deft/config/model_settings.h"

#include <array>
#include <string_view>

#include "deft/base/text.h"
#include "deft/config/wrong_setting.h"
#include "deft/core/context_gauge.h"

namespace deft {
namespace {

constexpr std::size_t kFallbackModelsMax = 16;

Result<void> parse_text(const Json& settings, std::string_view key, std::string& into) {
  const Json* value = find(settings, key);
  if (!value || value->is_null()) return {};
  if (!value->is_string()) return wrong_setting(key, "a text", *value);
  into = view(value->get_string());
  return {};
}

Result<void> parse_word(const Json& settings, std::string_view key, std::string_view words, std::string& into) {
  if (auto parsed = parse_text(settings, key, into); !parsed) return parsed;
  if (into.empty() || is_among_words(into, words)) return {};
  return wrong_setting(key, "one of " + std::string(words), *find(settings, key));
}

Result<void> parse_fallbacks(const Json& settings, std::vector<std::string>& into) {
  const Json* value = find(settings, "fallbackModel");
  if (!value || value->is_null()) return {};
  JsonArray one;
  if (value->is_string()) one.push_back(*value);
  const JsonArray* list = value->is_array() ? &value->get_array() : &one;
  for (const Json& name : *list) {
    if (!name.is_string() || name.get_string().empty())
      return wrong_setting("fallbackModel", "a list of models", *value);
    into.emplace_back(view(name.get_string()));
  }
  if (into.empty() && !value->is_array()) return wrong_setting("fallbackModel", "a list of models", *value);
  if (into.size() > kFallbackModelsMax) {
    return wrong_setting("fallbackModel", "a list of at most " + std::to_string(kFallbackModelsMax) + " models",
                         *value);
  }
  return {};
}

Result<void> parse_environment(const Json& settings, std::vector<std::string>& into) {
  const Json* value = find(settings, "env");
  if (!value || value->is_null()) return {};
  if (!value->is_object()) return wrong_setting("env", "an object of texts", *value);
  for (const auto& [name, text] : value->get_object()) {
    const std::string key(name.data(), name.size());
    if (!text.is_string() && !text.is_int64() && !text.is_bool()) return wrong_setting("env." + key, "a text", text);
    const std::string said = text.is_string() ? std::string(view(text.get_string())) : to_json(text);
    if (key.empty() || key.find('=') != std::string::npos || (key + said).find('\0') != std::string::npos) {
      return wrong_setting("env", "names without '=' and texts without zero bytes", *value);
    }
    into.push_back(key + "=" + said);
  }
  return {};
}

Result<void> parse_switch(const Json& settings, std::string_view key, std::optional<bool>& into) {
  const Json* value = find(settings, key);
  if (!value || value->is_null()) return {};
  if (!value->is_bool()) return wrong_setting(key, "true or false", *value);
  into = value->get_bool();
  return {};
}

Result<void> parse_window(const Json& settings, std::optional<std::int64_t>& into) {
  constexpr std::string_view kKey = "autoCompactWindow";
  const Json* value = find(settings, kKey);
  if (!value || value->is_null()) return {};
  const auto tokens = find_int(settings, kKey);
  if (!tokens || *tokens < static_cast<std::int64_t>(kContextWindowTokensMin) ||
      *tokens > static_cast<std::int64_t>(kContextWindowTokensMax)) {
    return wrong_setting(kKey,
                         "a number of tokens from " + std::to_string(kContextWindowTokensMin) + " to " +
                             std::to_string(kContextWindowTokensMax),
                         *value);
  }
  into = *tokens;
  return {};
}

}  // namespace

Result<ModelSettings> parse_model_settings(const Json& settings) {
  ModelSettings model;
  const struct {
    std::string_view key;
    std::string_view words;  // empty: any text
    std::string& into;
  } texts[] = {{"provider", "anthropic openai openai-chat openai-responses scripted", model.provider},
               {"baseUrl", "", model.base_url},
               {"model", "", model.model},
               {"smallModel", "", model.small_model},
               {"advisorModel", "", model.advisor_model},
               {"apiKeyHelper", "", model.api_key_helper},
               {"script", "", model.script},
               {"promptCacheTtl", "5m 1h off", model.prompt_cache_ttl},
               {"effortLevel", "low medium high xhigh max", model.effort}};
  for (const auto& [key, words, into] : texts) {
    auto parsed = words.empty() ? parse_text(settings, key, into) : parse_word(settings, key, words, into);
    if (!parsed) return std::unexpected(parsed.error());
  }
  if (auto parsed = parse_fallbacks(settings, model.fallback_models); !parsed) return std::unexpected(parsed.error());
  if (auto parsed = parse_environment(settings, model.environment); !parsed) return std::unexpected(parsed.error());
  if (auto parsed = parse_switch(settings, "alwaysThinkingEnabled", model.thinking); !parsed) {
    return std::unexpected(parsed.error());
  }
  if (auto parsed = parse_switch(settings, "autoCompactEnabled", model.auto_compact); !parsed) {
    return std::unexpected(parsed.error());
  }
  if (auto parsed = parse_window(settings, model.context_window); !parsed) return std::unexpected(parsed.error());
  return model;
}

}  // namespace deft
