#pragma once

#include <optional>
#include <string>

#include "deft/model/model.h"

namespace deft {

// What a model of Anthropic's API has refused by name, and is not asked for again: the newest ones know no budget for
// thoughts, and some of them do not stop thinking; older ones know neither that nor effort. Pure.
struct AnthropicRefusals {
  bool thinking_budget = false;  // it thinks as much as it likes then
  bool thinking = false;         // nothing is said about it
  bool effort = false;
};

// What was asked for that a model might refuse.
struct AnthropicWishes {
  std::string thinking_type{};  // "enabled", "adaptive", "disabled"; empty: nothing was said
  bool effort = false;
};
AnthropicWishes wishes_of(const ModelRequest& request);

// The request without what is refused.
ModelRequest without_refused(ModelRequest request, const AnthropicRefusals& refused);
// What a refusal of these wishes teaches. Nothing: it was for something else.
std::optional<AnthropicRefusals> taught_by(const ModelFailure& failure, const AnthropicWishes& wishes,
                                           AnthropicRefusals known);

}  // namespace deft
