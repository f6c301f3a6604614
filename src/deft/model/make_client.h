#pragma once

#include <memory>
#include <string>
#include <vector>

#include "deft/model/model.h"
#include "deft/model/provider_choice.h"

namespace deft {

class HttpClient;
class Processes;

// What a client is made of. All of it outlives the client.
struct ModelWorld {
  HttpClient& http;
  Processes& processes;  // for a key helper; the choice must come from trusted settings
  const Clock& clock;
  std::vector<std::string> command_environment;  // what such a helper finds; no secrets of ours
};

// The client of the provider that was chosen.
Result<std::unique_ptr<ModelClient>> make_model_client(const ProviderChoice& choice, const ModelWorld& world);

}  // namespace deft
