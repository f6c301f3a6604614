#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "deft/base/clock.h"
#include "deft/base/result.h"
#include "deft/config/model_settings.h"
#include "deft/os/http_client.h"

// Which model is asked, where, and with whose key: from settings, flags and the environment. Pure.

namespace deft {

inline constexpr std::size_t kProviderRetriesMax = 15;
inline constexpr std::size_t kApiKeyCharactersMax = 16'384;

// What the command line says. Empty: nothing.
struct ProviderFlags {
  std::string provider{};
  std::string base_url{};
  std::string model{};
  std::vector<std::string> fallback_models{};
  std::string script{};
};

enum class ModelApi : std::uint8_t { anthropic, openai_chat, openai_responses, scripted };
std::string_view to_string(ModelApi api);

struct ProviderChoice {
  ModelApi api = ModelApi::anthropic;
  std::string base_url{};
  HttpHeaders key_headers{};  // secret; empty: none, or the helper gives it
  std::string key_helper{};   // the command that prints the key
  std::optional<Duration> key_helper_ttl{};
  std::string key_source{};  // for people: "ANTHROPIC_API_KEY"; never the key
  HttpHeaders extra_headers{};
  std::vector<std::string> betas{};
  std::string cache_ttl = "5m";
  std::optional<bool> eager_input{};
  std::string script{};

  std::string model{};
  std::vector<std::string> fallback_models{};
  std::string small_model{};    // for short side questions; empty: none is known
  std::string advisor_model{};  // empty: none
  std::string effort{};
  std::optional<std::size_t> thinking_tokens{};
  std::optional<std::size_t> output_tokens_max{};

  std::size_t retries_max = 10;
  bool retry_overload_for_ever = false;
  Duration answer_timeout{};
  Duration idle_timeout{};

  // "claude-… by anthropic at api.anthropic.com, key from ANTHROPIC_API_KEY"
  std::string description() const;
};

// `environment` has NAME=VALUE texts; of two with the same name the last counts. An error says what to set.
Result<ProviderChoice> choose_provider(const ModelSettings& settings, const ProviderFlags& flags,
                                       std::span<const std::string> environment);

// What a helper printed, if it is a key: one printable word.
Result<std::string> parse_printed_key(std::string_view output);

// The headers that carry a key that a helper printed.
HttpHeaders helper_key_headers(ModelApi api, const std::string& key);

}  // namespace deft
