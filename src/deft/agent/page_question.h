#pragma once

#include <functional>
#include <stop_token>
#include <string>

#include "deft/model/model.h"

namespace deft {

inline constexpr std::size_t kPageAnswerTokensMax = 4'000;
inline constexpr Duration kPageAnswerTimeMax = std::chrono::minutes(2);

// WebOptions::ask with a real model: one request, no tools, one try. The client and the clock outlive what is made.
std::function<Result<std::string>(const std::string& question, const std::string& text, std::stop_token)> page_question(
    ModelClient& client, const Clock& clock, std::string model);

}  // namespace deft
