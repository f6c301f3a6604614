#include "deft/model/model_transfers.h"

#include <thread>
#include <utility>

#include "deft/model/model_answer.h"
#include "deft/model/model_failure.h"

namespace deft {
namespace {

// A failure that was told before this existed.
class EndedCall final : public ModelCall {};

// What must stand in no message: the values of these headers, also without the word that says what kind they are.
std::vector<std::string> secrets_in(const HttpHeaders& headers) {
  std::vector<std::string> secrets;
  for (const auto& [name, value] : headers) {
    secrets.push_back(value);
    if (const std::size_t space = value.find(' '); space != std::string::npos)
      secrets.push_back(value.substr(space + 1));
  }
  return secrets;
}

void put_header(HttpHeaders& headers, const std::string& name, const std::string& value) {
  std::erase_if(headers, [&](const auto& known) { return find_header({known}, name).has_value(); });
  headers.emplace_back(name, value);
}

}  // namespace

class ModelTransfers::Call final : public ModelCall {
 public:
  Call(ModelTransfers& transfers, ModelTransferPlan plan, ModelClient::Sink sink)
      : transfers_(transfers), plan_(std::move(plan)), sink_(std::move(sink)) {
    const auto& credentials = transfers_.endpoint_.credentials;
    if (!credentials || credentials->at_hand()) {
      start({});
    } else {
      plan_.pumped_by_caller = false;
      helper_ = std::jthread([this](const std::stop_token& stop) { start(stop); });  // it takes its time
    }
  }
  ~Call() override {
    if (helper_.joinable()) {
      helper_.request_stop();
      helper_.join();
    }
    if (!answer_) return;
    answer_->mute();
    if (answer_->is_complete() && !answer_->has_ended()) transfers_.linger(std::move(transfer_));
  }
  Pump* pump() override { return plan_.pumped_by_caller && transfer_ ? transfer_->pump() : nullptr; }

 private:
  void start(const std::stop_token& stop) {
    const ModelEndpoint& endpoint = transfers_.endpoint_;
    HttpHeaders secret_headers;
    if (endpoint.credentials) {
      auto given = endpoint.credentials->headers(stop);
      if (stop.stop_requested()) return;
      if (!given) {
        return sink_(ModelFailed{{.kind = ModelFailure::Kind::unusable, .message = given.error().message}, {}});
      }
      secret_headers = std::move(*given);
    }
    std::vector<std::string> secrets = secrets_in(secret_headers);
    for (std::string& secret : secrets_in(endpoint.headers)) secrets.push_back(std::move(secret));
    answer_ = std::make_shared<ModelAnswer>(ModelAnswer::Parts{.sink = std::move(sink_),
                                                               .clock = transfers_.clock_,
                                                               .credentials = endpoint.credentials,
                                                               .secrets = std::move(secrets),
                                                               .raw_events = plan_.raw_events,
                                                               .names = plan_.names,
                                                               .amend = plan_.amend});
    transfer_ = transfers_.http_.start(request(secret_headers), answer_);
  }

  HttpRequest request(const HttpHeaders& secret_headers) {
    const ModelEndpoint& endpoint = transfers_.endpoint_;
    HttpRequest request{
        .method = "POST", .url = plan_.url, .headers = std::move(plan_.headers), .body = std::move(plan_.body)};
    put_header(request.headers, "Content-Type", "application/json");
    put_header(request.headers, "Accept", plan_.stream ? "text/event-stream" : "application/json");
    for (const auto& [name, value] : secret_headers) put_header(request.headers, name, value);
    for (const auto& [name, value] : endpoint.headers) put_header(request.headers, name, value);  // the user's word
    request.pumped_by_caller = plan_.pumped_by_caller;
    if (plan_.stream) {
      request.head_timeout = endpoint.answer_timeout;
      request.idle_timeout = endpoint.idle_timeout;
    } else {
      request.deadline = transfers_.clock_.now() + endpoint.answer_timeout;
    }
    return request;
  }

  ModelTransfers& transfers_;
  ModelTransferPlan plan_;
  ModelClient::Sink sink_;
  std::shared_ptr<ModelAnswer> answer_;
  std::unique_ptr<HttpTransfer> transfer_;
  std::jthread helper_;
};

ModelTransfers::ModelTransfers(HttpClient& http, const Clock& clock, ModelEndpoint endpoint)
    : http_(http), clock_(clock), endpoint_(std::move(endpoint)) {}

ModelTransfers::~ModelTransfers() = default;

std::unique_ptr<ModelCall> ModelTransfers::start(ModelTransferPlan plan, ModelClient::Sink sink) {
  sweep();
  return std::make_unique<Call>(*this, std::move(plan), std::move(sink));
}

std::unique_ptr<ModelCall> ModelTransfers::refuse(ModelFailure failure, const ModelClient::Sink& sink) {
  sink(ModelFailed{std::move(failure), {}});
  return std::make_unique<EndedCall>();
}

void ModelTransfers::linger(std::unique_ptr<HttpTransfer> transfer) {
  const std::lock_guard lock(mutex_);
  lingering_.push_back({std::move(transfer), clock_.now()});
}

void ModelTransfers::sweep() {
  const std::lock_guard lock(mutex_);
  const TimePoint now = clock_.now();
  std::erase_if(lingering_, [&](const Lingering& one) {
    Pump* const pump = one.transfer->pump();
    if (pump) pump->advance();  // nobody else does
    const bool is_over = pump && pump->descriptor() < 0;
    return is_over || now - one.since > kLingerMax;
  });
}

}  // namespace deft
