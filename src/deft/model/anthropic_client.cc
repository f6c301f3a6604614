#include "deft/model/anthropic_client.h"

#include "deft/base/text.h"
#include "deft/os/http_network.h"

namespace deft {
namespace {

constexpr std::string_view kVersion = "2023-06-01";
constexpr Duration kLearnedDelay = std::chrono::milliseconds(1);  // there is nothing to wait for

bool is_makers_own(std::string_view base_url) { return shown_host(base_url) == shown_host(kAnthropicUrl); }

// A limit of money is told as too many requests too, but without a time after which it would be better. Only in the
// API's own words: what a proxy says in others is its own business.
void amend_spent_budget(const HttpHead& head, ModelFailure& failure) {
  if (head.status != 429 || failure.type != "rate_limit_error" || failure.should_retry) return;
  if (find_header(head.headers, "retry-after") || find_header(head.headers, "retry-after-ms")) return;
  failure.should_retry = false;
  failure.message += "; it names no time to wait for, as it does when what may be spent is spent";
}

}  // namespace

AnthropicClient::AnthropicClient(HttpClient& http, const Clock& clock, ModelEndpoint endpoint, AnthropicOptions options)
    : url_(anthropic_url(endpoint.base_url, "/messages")),
      own_models_(is_makers_own(endpoint.base_url)),
      dialect_{.cache_ttl = options.cache_ttl,
               .eager_input = options.eager_input.value_or(own_models_),
               .own_models = own_models_},
      headers_{{"anthropic-version", std::string(kVersion)}},
      tools_([this](const OfferedTool& tool) { return anthropic_tool(tool, dialect_); }),
      transfers_(http, clock, std::move(endpoint)) {
  if (!options.betas.empty()) headers_.emplace_back("anthropic-beta", join(options.betas, ","));
}

std::shared_ptr<const AnthropicPreface> AnthropicClient::preface(
    const std::shared_ptr<const OfferedTools::Written>& tools, const SharedText& system) {
  const std::lock_guard lock(mutex_);
  if (preface_ && preface_tools_ == tools && preface_system_ == system) return preface_;
  preface_ = std::make_shared<AnthropicPreface>(anthropic_preface(tools->json, system, dialect_));
  preface_tools_ = tools;
  preface_system_ = system;
  return preface_;
}

AnthropicRefusals AnthropicClient::refusals_of(const std::string& model) {
  const std::lock_guard lock(mutex_);
  const auto known = refusals_.find(model);
  return known == refusals_.end() ? AnthropicRefusals() : known->second;
}

void AnthropicClient::learn(const std::string& model, const AnthropicWishes& wishes, ModelFailure& failure) {
  const auto taught = taught_by(failure, wishes, refusals_of(model));
  if (!taught) return;
  failure.should_retry = true;
  failure.retry_after = kLearnedDelay;
  const std::lock_guard lock(mutex_);
  refusals_[model] = *taught;
}

std::unique_ptr<ModelCall> AnthropicClient::ask(const ModelRequest& wanted, Sink sink) {
  const ModelRequest request = without_refused(wanted, refusals_of(wanted.model));
  const auto tools = tools_.write(request.tools);
  AnthropicDialect dialect = dialect_;
  dialect.refused = refused_.until();
  std::string body = anthropic_body(request, *preface(tools, request.system), dialect, known_);
  if (own_models_ && body.size() > kAnthropicRequestBytesMax) {
    return ModelTransfers::refuse(
        {.kind = ModelFailure::Kind::status,
         .status = 413,
         .type = "request_too_large",
         .message = "the conversation is larger than the API takes: " + human_bytes(body.size()) + ", " +
                    human_bytes(kAnthropicRequestBytesMax) + " at most"},
        sink);
  }
  return transfers_.start(
      {.url = url_,
       .headers = headers_,
       .body = std::move(body),
       .stream = request.stream,
       .raw_events = request.raw_events,
       .pumped_by_caller = request.pumped_by_caller,
       .names = tools->names,
       .amend =
           [this, model = request.model, wishes = wishes_of(request), newest = request.history->back().number,
            without = dialect.refused](const HttpHead& head, ModelFailure& failure) {
             amend_spent_budget(head, failure);
             learn(model, wishes, failure);
             refused_.learn(newest, without, failure);
           }},
      std::move(sink));
}

}  // namespace deft
