#pragma once

#include <string>

#include "deft/base/json.h"
#include "deft/base/result.h"
#include "deft/core/permission.h"
#include "deft/model/ask_once.h"
#include "deft/model/model.h"

// MCP servers that want to ask the user's model something (sampling/createMessage). It costs the user's money and shows
// the model a stranger's words, so it happens only with approval. Pure.

namespace deft {

inline constexpr std::size_t kSamplingTokensMax = 8'192;
inline constexpr std::size_t kSamplingMessagesMax = 100;
inline constexpr std::size_t kSamplesMax = 200;  // of one session
inline constexpr Duration kSamplingTimeout = std::chrono::minutes(5);

// The request as our model takes it. Texts and pictures; tools are not offered to servers.
Result<ModelRequest> sampling_request(const Json& params, std::string model);

// What the server is told.
Json sampling_answer(const SideAnswer& answer, const std::string& model);

// What the rules say: `McpSampling` is all servers, `McpSampling__NAME` one of them.
Decision sampling_decision(const Permissions& permissions, const std::string& server);

}  // namespace deft
