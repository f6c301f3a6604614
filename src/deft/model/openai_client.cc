#include "deft/model/openai_client.h"

#include <algorithm>
#include <array>

#include "deft/os/http_network.h"

namespace deft {
namespace {

constexpr Duration kLearnedDelay = std::chrono::milliseconds(1);  // there is nothing to wait for

bool is_makers_own(std::string_view base_url) { return shown_host(base_url) == shown_host(kOpenAiUrl); }

// Their models refuse to go on with calls whose thoughts they are not shown again.
OpenAiChatDialect::Thoughts thoughts_for(std::string_view base_url) {
  static constexpr std::array<std::string_view, 4> kHosts = {"deepseek.com", "moonshot.ai", "moonshot.cn", "kimi.com"};
  const std::string host = shown_host(base_url);
  const bool wants_them = std::ranges::any_of(kHosts, [&](std::string_view known) { return host.ends_with(known); });
  return wants_them ? OpenAiChatDialect::Thoughts::required : OpenAiChatDialect::Thoughts::as_they_came;
}

}  // namespace

OpenAiChatClient::OpenAiChatClient(HttpClient& http, const Clock& clock, ModelEndpoint endpoint)
    : url_(openai_url(endpoint.base_url, "/chat/completions")),
      dialect_{.own_models = is_makers_own(endpoint.base_url), .thoughts = thoughts_for(endpoint.base_url)},
      tools_(openai_chat_tool),
      transfers_(http, clock, std::move(endpoint)) {}

std::unique_ptr<ModelCall> OpenAiChatClient::ask(const ModelRequest& request, Sink sink) {
  const auto tools = tools_.write(request.tools);
  OpenAiChatDialect asked_in = dialect();
  asked_in.refused = refused_.until();
  return transfers_.start(
      {.url = url_,
       .headers = {},
       .body = openai_chat_body(request, tools->json, asked_in),
       .stream = request.stream,
       .raw_events = request.raw_events,
       .pumped_by_caller = request.pumped_by_caller,
       .names = tools->names,
       .amend =
           [this, asked_in, newest = request.history->back().number](const HttpHead&, ModelFailure& failure) {
             learn(asked_in, failure);
             refused_.learn(newest, asked_in.refused, failure);
           }},
      std::move(sink));
}

OpenAiChatDialect OpenAiChatClient::dialect() const {
  const std::lock_guard lock(mutex_);
  return dialect_;
}

// Servers differ in what they know of the API. What one refuses by name is asked for differently, now and from now on.
void OpenAiChatClient::learn(const OpenAiChatDialect& asked_in, ModelFailure& failure) {
  const auto taught = taught_by(failure, asked_in);
  if (!taught) return;
  failure.should_retry = true;
  failure.retry_after = kLearnedDelay;
  const std::lock_guard lock(mutex_);
  dialect_ = *taught;
}

OpenAiResponsesClient::OpenAiResponsesClient(HttpClient& http, const Clock& clock, ModelEndpoint endpoint)
    : url_(openai_url(endpoint.base_url, "/responses")),
      dialect_{.own_models = is_makers_own(endpoint.base_url)},
      tools_(openai_responses_tool),
      transfers_(http, clock, std::move(endpoint)) {}

std::unique_ptr<ModelCall> OpenAiResponsesClient::ask(const ModelRequest& request, Sink sink) {
  const auto tools = tools_.write(request.tools);
  OpenAiResponsesDialect asked_in = dialect_for(request.model);
  asked_in.refused = refused_.until();
  return transfers_.start({.url = url_,
                           .headers = {},
                           .body = openai_responses_body(request, tools->json, asked_in),
                           .stream = request.stream,
                           .raw_events = request.raw_events,
                           .pumped_by_caller = request.pumped_by_caller,
                           .names = tools->names,
                           .amend =
                               [this, asked_in, model = request.model, newest = request.history->back().number](
                                   const HttpHead&, ModelFailure& failure) {
                                 learn(model, asked_in, failure);
                                 refused_.learn(newest, asked_in.refused, failure);
                               }},
                          std::move(sink));
}

OpenAiResponsesDialect OpenAiResponsesClient::dialect_for(const std::string& model) const {
  const std::lock_guard lock(mutex_);
  const auto taught = taught_.find(model);
  return taught == taught_.end() ? dialect_ : taught->second;
}

void OpenAiResponsesClient::learn(const std::string& model, const OpenAiResponsesDialect& asked_in,
                                  ModelFailure& failure) {
  const auto taught = taught_by(failure, asked_in);
  if (!taught) return;
  failure.should_retry = true;
  failure.retry_after = kLearnedDelay;
  const std::lock_guard lock(mutex_);
  taught_[model] = *taught;
}

}  // namespace deft
