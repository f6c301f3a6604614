#pragma once

#include <string>

#include "deft/base/clock.h"
#include "deft/model/model.h"
#include "deft/tools/web_search.h"

namespace deft {

inline constexpr std::size_t kModelSearchTokensMax = 4'000;
inline constexpr std::size_t kModelSearchUsesMax = 3;  // searches for one call
inline constexpr Duration kModelSearchTimeMax = std::chrono::minutes(2);

// A search of the web by Anthropic's API itself: one request beside the conversation, in which `model` may use the
// provider's search and nothing else. Client and clock outlive what is made.
SearchByModel model_search(ModelClient& client, const Clock& clock, std::string model);

}  // namespace deft
