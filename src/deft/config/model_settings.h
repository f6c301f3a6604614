#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "deft/base/json.h"
#include "deft/base/result.h"

namespace deft {

// Which model is asked, where and how. Empty: not said.
struct ModelSettings {
  std::string provider{};                        // "provider": "anthropic" | "openai" | "openai-responses" | "scripted"
  std::string base_url{};                        // "baseUrl"
  std::string model{};                           // "model"
  std::string small_model{};                     // "smallModel": for short side questions
  std::string advisor_model{};                   // "advisorModel": for a second opinion; empty: there is none
  std::vector<std::string> fallback_models{};    // "fallbackModel": one or a list; when the model is overloaded
  std::string api_key_helper{};                  // "apiKeyHelper": a command that prints the key
  std::string script{};                          // "script": what a scripted model says
  std::string prompt_cache_ttl{};                // "promptCacheTtl": "5m" | "1h" | "off"
  std::string effort{};                          // "effortLevel"
  std::optional<bool> thinking{};                // "alwaysThinkingEnabled"
  std::optional<bool> auto_compact{};            // "autoCompactEnabled"
  std::optional<std::int64_t> context_window{};  // "autoCompactWindow": tokens; how long a conversation may become
  std::vector<std::string> environment{};        // "env": NAME=VALUE each
};

// From the whole settings object. Strict: a known key with a wrong value is an error that names it.
Result<ModelSettings> parse_model_settings(const Json& settings);

}  // namespace deft
