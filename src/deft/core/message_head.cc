#include "deft/core/message_head.h"

#include "deft/core/token_use.h"

namespace deft {
namespace {

// Of OpenAI's APIs, whose numbers mean something else even where they have the same name.
bool is_of_others(const Json& usage) {
  for (const char* key : {"input_tokens_details", "prompt_tokens", "completion_tokens", "prompt_tokens_details"}) {
    if (find(usage, key)) return true;
  }
  return false;
}

}  // namespace

MessageHead head_of(const Message& message) { return {message.id, message.model, message.usage}; }

JsonObject messages_usage(const Json& usage) {
  const bool is_own = usage.is_object() && !is_of_others(usage);
  JsonObject out = is_own ? usage.get_object() : JsonObject();
  const TokenUse use = token_use(usage);
  const auto ensure = [&](const char* key, std::uint64_t tokens) {
    if (Json& value = out[key]; value.is_null()) value = tokens;
  };
  ensure("input_tokens", use.input);
  ensure("cache_creation_input_tokens", use.cache_write);
  ensure("cache_read_input_tokens", use.cache_read);
  ensure("output_tokens", use.output);
  for (const char* key : {"cache_creation", "fallback_credit", "inference_geo", "iterations", "output_tokens_details",
                          "server_tool_use", "service_tier", "speed"}) {
    out.emplace(key, nullptr);
  }
  return out;
}

}  // namespace deft
