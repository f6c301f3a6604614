#pragma once

#include <string>

#include "deft/agent/call_classifier.h"
#include "deft/agent/classifier_prompt.h"
#include "deft/base/clock.h"
#include "deft/model/model.h"

namespace deft {

// The opinion is short; but small models think before they answer, and what they think counts.
inline constexpr std::size_t kOpinionTokensMax = 4'000;
inline constexpr Duration kOpinionTimeMax = std::chrono::seconds(30);

// Lets a small model judge the calls that nobody else settles: one request for each, beside the conversation, of which
// it sees nothing but the call. Whatever goes wrong, the call is not harmless. Client and clock outlive it.
class ModelClassifier final : public CallClassifier {
 public:
  ModelClassifier(ModelClient& client, const Clock& clock, std::string model, AutoModeRules rules)
      : client_(client), clock_(clock), model_(std::move(model)), rules_(std::move(rules)) {}

  std::optional<RiskOpinion> judge(const CallToJudge& call, std::stop_token stop) override;

 private:
  ModelClient& client_;
  const Clock& clock_;
  const std::string model_;
  const AutoModeRules rules_;
};

}  // namespace deft
