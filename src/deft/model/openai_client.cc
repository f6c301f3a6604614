#include "deft/model/openai_client.h"

#include "deft/os/http_network.h"

namespace deft {
namespace {

bool is_makers_own(std::string_view base_url) { return shown_host(base_url) == shown_host(kOpenAiUrl); }

// Its models refuse to go on with calls whose thoughts they are not shown again.
std::string reasoning_field(std::string_view base_url) {
  return shown_host(base_url).ends_with("deepseek.com") ? "reasoning_content" : "";
}

}  // namespace

OpenAiChatClient::OpenAiChatClient(HttpClient& http, const Clock& clock, ModelEndpoint endpoint)
    : url_(openai_url(endpoint.base_url, "/chat/completions")),
      dialect_{.own_models = is_makers_own(endpoint.base_url), .reasoning_field = reasoning_field(endpoint.base_url)},
      tools_(openai_chat_tool),
      transfers_(http, clock, std::move(endpoint)) {}

std::unique_ptr<ModelCall> OpenAiChatClient::ask(const ModelRequest& request, Sink sink) {
  const auto tools = tools_.write(request.tools);
  return transfers_.start({.url = url_,
                           .headers = {},
                           .body = openai_chat_body(request, tools->json, dialect_),
                           .stream = request.stream,
                           .raw_events = request.raw_events,
                           .names = tools->names},
                          std::move(sink));
}

OpenAiResponsesClient::OpenAiResponsesClient(HttpClient& http, const Clock& clock, ModelEndpoint endpoint)
    : url_(openai_url(endpoint.base_url, "/responses")),
      dialect_{.own_models = is_makers_own(endpoint.base_url)},
      tools_(openai_responses_tool),
      transfers_(http, clock, std::move(endpoint)) {}

std::unique_ptr<ModelCall> OpenAiResponsesClient::ask(const ModelRequest& request, Sink sink) {
  const auto tools = tools_.write(request.tools);
  return transfers_.start({.url = url_,
                           .headers = {},
                           .body = openai_responses_body(request, tools->json, dialect_),
                           .stream = request.stream,
                           .raw_events = request.raw_events,
                           .names = tools->names},
                          std::move(sink));
}

}  // namespace deft
