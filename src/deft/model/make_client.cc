#include "deft/model/make_client.h"

#include "deft/model/anthropic_client.h"
#include "deft/model/helper_credentials.h"
#include "deft/model/openai_client.h"
#include "deft/model/scripted_client.h"

namespace deft {
namespace {

std::shared_ptr<Credentials> credentials_of(const ProviderChoice& choice, const ModelWorld& world) {
  if (!choice.key_headers.empty()) return std::make_shared<FixedCredentials>(choice.key_headers);
  if (choice.key_helper.empty()) return nullptr;
  return std::make_shared<HelperCredentials>(
      HelperCredentials::Parts{.processes = world.processes,
                               .clock = world.clock,
                               .command = choice.key_helper,
                               .environment = world.command_environment,
                               .ttl = choice.key_helper_ttl.value_or(kKeyHelperTtl),
                               .api = choice.api});
}

}  // namespace

Result<std::unique_ptr<ModelClient>> make_model_client(const ProviderChoice& choice, const ModelWorld& world) {
  if (choice.api == ModelApi::scripted) {
    auto scripted = ScriptedClient::open(choice.script);
    if (!scripted) return std::unexpected(scripted.error());
    return std::move(*scripted);
  }
  ModelEndpoint endpoint{.base_url = choice.base_url,
                         .credentials = credentials_of(choice, world),
                         .headers = choice.extra_headers,
                         .answer_timeout = choice.answer_timeout,
                         .idle_timeout = choice.idle_timeout};
  if (choice.api == ModelApi::openai_chat) {
    return std::make_unique<OpenAiChatClient>(world.http, world.clock, std::move(endpoint));
  }
  if (choice.api == ModelApi::openai_responses) {
    return std::make_unique<OpenAiResponsesClient>(world.http, world.clock, std::move(endpoint));
  }
  return std::make_unique<AnthropicClient>(
      world.http, world.clock, std::move(endpoint),
      AnthropicOptions{.cache_ttl = choice.cache_ttl, .betas = choice.betas, .eager_input = choice.eager_input});
}

}  // namespace deft
