#include "deft/ui/api_error.h"

namespace deft {
namespace {

std::string_view word_of_status(const ModelFailure& failure) {
  const bool has_no_money = failure.type == "billing_error" || failure.type == "insufficient_quota";
  if (has_no_money || failure.status == 402) return "billing_error";
  if (failure.status == 529 || failure.type == "overloaded_error") return "overloaded";
  switch (failure.status) {
    case 401:
    case 403: return "authentication_failed";
    case 429: return "rate_limit";
    default: break;
  }
  const bool is_missing = failure.status == 404 || failure.type == "model_not_found";
  if (is_missing && failure.message.find("model") != std::string::npos) return "model_not_found";
  return failure.status >= 500 ? "server_error" : "invalid_request";
}

}  // namespace

std::string_view api_error_word(const ModelFailure& failure) {
  switch (failure.kind) {
    case ModelFailure::Kind::status: return word_of_status(failure);
    case ModelFailure::Kind::stream_broken:
    case ModelFailure::Kind::not_understood: return "server_error";
    case ModelFailure::Kind::unusable: return "invalid_request";
    case ModelFailure::Kind::connection:
    case ModelFailure::Kind::certificate: return "unknown";
  }
  return "unknown";
}

std::optional<int> api_error_status(const ModelFailure& failure) {
  if (failure.kind != ModelFailure::Kind::status || failure.status <= 0) return std::nullopt;
  return failure.status;
}

}  // namespace deft
