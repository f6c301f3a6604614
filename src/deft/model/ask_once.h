#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "deft/base/clock.h"
#include "deft/core/token_use.h"
#include "deft/model/model.h"

namespace deft {

struct SideAnswer {
  std::string text;
  std::string stop_reason;
  TokenUse use;
  std::vector<Json> others = {};  // blocks of the provider's own: what its tools have found
};

// One request beside the conversation, for threads that may block. One try, no calls are carried out. Errors: `failed`
// with the provider's words, `timeout`, `cancelled`.
Result<SideAnswer> ask_once(ModelClient& client, const ModelRequest& request, TimePoint deadline, std::stop_token stop);

}  // namespace deft
