#pragma once

#include <string>

#include "deft/agent/hook_services.h"
#include "deft/model/model.h"

namespace deft {

inline constexpr std::size_t kHookReplyTokensMax = 4'000;  // with what is thought before it

// HookServices::ask_model with a real model: one request, no tools, one try. `model`: for hooks that name none. The
// client and the clock outlive what is made.
std::function<Result<std::string>(const HookServices::Question&, std::stop_token)> hook_model(ModelClient& client,
                                                                                              const Clock& clock,
                                                                                              std::string model);

}  // namespace deft
