#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "deft/model/model.h"
#include "deft/model/model_transfers.h"
#include "deft/model/offered_tools.h"
#include "deft/model/openai_chat_request.h"
#include "deft/model/openai_responses_request.h"
#include "deft/model/refused_content.h"

namespace deft {

inline constexpr std::string_view kOpenAiUrl = "https://api.openai.com";

// OpenAI's chat completions: of their makers, and as nearly every other server has them.
class OpenAiChatClient final : public ModelClient {
 public:
  OpenAiChatClient(HttpClient& http, const Clock& clock, ModelEndpoint endpoint);

  std::unique_ptr<ModelCall> ask(const ModelRequest& request, Sink sink) override;
  void prepare() override { transfers_.prepare(url_); }
  std::string_view name() const override { return "openai-chat"; }

 private:
  OpenAiChatDialect dialect() const;
  void learn(const OpenAiChatDialect& asked_in, ModelFailure& failure);

  const std::string url_;
  mutable std::mutex mutex_;
  OpenAiChatDialect dialect_;  // under mutex_
  OfferedTools tools_;
  ModelTransfers transfers_;
  RefusedContent refused_;
};

// OpenAI's Responses.
class OpenAiResponsesClient final : public ModelClient {
 public:
  OpenAiResponsesClient(HttpClient& http, const Clock& clock, ModelEndpoint endpoint);

  std::unique_ptr<ModelCall> ask(const ModelRequest& request, Sink sink) override;
  void prepare() override { transfers_.prepare(url_); }
  std::string_view name() const override { return "openai-responses"; }

 private:
  OpenAiResponsesDialect dialect_for(const std::string& model) const;
  void learn(const std::string& model, const OpenAiResponsesDialect& asked_in, ModelFailure& failure);

  const std::string url_;
  const OpenAiResponsesDialect dialect_;
  mutable std::mutex mutex_;
  std::map<std::string, OpenAiResponsesDialect> taught_;  // under mutex_; by the model
  OfferedTools tools_;
  ModelTransfers transfers_;
  RefusedContent refused_;
};

}  // namespace deft
