#pragma once

#include <functional>
#include <memory>
#include <string>

#include "deft/base/clock.h"
#include "deft/core/history.h"
#include "deft/model/model.h"
#include "deft/tools/advisor.h"

namespace deft {

inline constexpr std::size_t kAdviceTokensMax = 4'000;
inline constexpr std::size_t kAdvisorHistoryCharactersMax = 300'000;
inline constexpr Duration kAdviceTimeMax = std::chrono::minutes(3);

// Asks `model` about the conversation that `history` gives: one request beside it, without tools, one try. Client and
// clock outlive what is made.
AskAdvisor advisor_model(ModelClient& client, const Clock& clock, std::string model,
                         std::function<std::shared_ptr<const History>()> history);

}  // namespace deft
