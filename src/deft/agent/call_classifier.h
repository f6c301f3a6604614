#pragma once

#include <optional>
#include <stop_token>
#include <string>

#include "deft/core/permission.h"

namespace deft {

// A second opinion on calls in auto mode, for instance a model's. It starts beside the hooks, so that its answer is
// there when permission is decided. Called on workers, several at once.
class CallClassifier {
 public:
  virtual ~CallClassifier() = default;
  // `text` is what the tool gives to judge. Nothing: it cannot tell, and the built-in classifier decides alone.
  virtual std::optional<RiskOpinion> judge(const std::string& tool, const std::string& text, std::stop_token stop) = 0;
};

}  // namespace deft
