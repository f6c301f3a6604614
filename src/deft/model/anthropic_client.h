#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "deft/model/anthropic_refusals.h"
#include "deft/model/anthropic_request.h"
#include "deft/model/model.h"
#include "deft/model/model_transfers.h"
#include "deft/model/offered_tools.h"
#include "deft/model/refused_content.h"

namespace deft {

inline constexpr std::string_view kAnthropicUrl = "https://api.anthropic.com";

struct AnthropicOptions {
  std::string cache_ttl = "5m";                    // how long prompts are kept: "5m", "1h"; empty: they are not
  std::vector<std::string> betas = {};             // anthropic-beta
  std::optional<bool> eager_input = std::nullopt;  // nothing: only at the API of the makers
};

// Anthropic's Messages API: of its makers, and as llama.cpp, vLLM, Ollama and many gateways serve it.
class AnthropicClient final : public ModelClient {
 public:
  AnthropicClient(HttpClient& http, const Clock& clock, ModelEndpoint endpoint, AnthropicOptions options = {});

  std::unique_ptr<ModelCall> ask(const ModelRequest& wanted, Sink sink) override;
  void prepare() override { transfers_.prepare(url_); }
  std::string_view name() const override { return "anthropic"; }

 private:
  std::shared_ptr<const AnthropicPreface> preface(const std::shared_ptr<const OfferedTools::Written>& tools,
                                                  const SharedText& system);
  AnthropicRefusals refusals_of(const std::string& model);
  void learn(const std::string& model, const AnthropicWishes& wishes, ModelFailure& failure);

  const std::string url_;
  const bool own_models_;
  const AnthropicDialect dialect_;
  HttpHeaders headers_;
  OfferedTools tools_;
  ModelTransfers transfers_;
  KnownContents known_;
  RefusedContent refused_;
  std::mutex mutex_;
  std::map<std::string, AnthropicRefusals> refusals_;  // under mutex_; by the model
  // Under mutex_: the last one, and what it was made of.
  std::shared_ptr<const AnthropicPreface> preface_;
  std::shared_ptr<const OfferedTools::Written> preface_tools_;
  SharedText preface_system_;
};

}  // namespace deft
