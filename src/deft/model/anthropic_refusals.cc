#include "deft/model/anthropic_refusals.h"

#include <string_view>

#include "deft/model/event_json.h"

namespace deft {
namespace {

constexpr std::string_view kWithBudget = "enabled";

}  // namespace

AnthropicWishes wishes_of(const ModelRequest& request) {
  return {.thinking_type = request.thinking ? string_or_empty(*request.thinking, "type") : "",
          .effort = !request.effort.empty()};
}

ModelRequest without_refused(ModelRequest request, const AnthropicRefusals& refused) {
  const bool has_budget = wishes_of(request).thinking_type == kWithBudget;
  if (refused.thinking_budget && has_budget) request.thinking = JsonObject{{"type", "adaptive"}};
  if (refused.thinking) request.thinking.reset();
  if (refused.effort) request.effort.clear();
  return request;
}

std::optional<AnthropicRefusals> taught_by(const ModelFailure& failure, const AnthropicWishes& wishes,
                                           AnthropicRefusals known) {
  if (failure.kind != ModelFailure::Kind::status || failure.status != 400) return std::nullopt;
  const auto says = [&](std::string_view words) { return failure.message.find(words) != std::string::npos; };
  // The last: thought begins between a call and its answer, which older models do not do.
  const bool is_of_thinking =
      says("thinking.type") || (says("hinking") && says("not supported")) || says("must start with a thinking block");
  if (is_of_thinking && !wishes.thinking_type.empty()) {
    (wishes.thinking_type == kWithBudget ? known.thinking_budget : known.thinking) = true;
  } else if (!is_of_thinking && says("effort") && wishes.effort) {
    known.effort = true;
  } else {
    return std::nullopt;
  }
  return known;
}

}  // namespace deft
