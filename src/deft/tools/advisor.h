#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "deft/tools/tool.h"

namespace deft {

inline constexpr std::size_t kAdvisorCallsMaxDefault = 20;          // of one session
inline constexpr std::uint64_t kAdvisorTokensMaxDefault = 500'000;  // in and out, of one session
inline constexpr std::size_t kAdvisorQuestionCharactersMax = 20'000;

struct Advice {
  std::string text;
  std::uint64_t tokens = 0;  // in and out
};
// Asks another model about the conversation so far, with a question of the agent's, or "" for what it thinks of it.
using AskAdvisor = std::function<Result<Advice>(const std::string& question, std::stop_token)>;

struct AdvisorOptions {
  AskAdvisor ask = nullptr;  // nothing: there is no advisor, and no tool for it
  std::string model = {};    // for people
  std::size_t calls_max = kAdvisorCallsMaxDefault;
  std::uint64_t tokens_max = kAdvisorTokensMaxDefault;
};

// A second model's opinion on the work so far. Its tokens are counted here, apart from those of the conversation.
std::shared_ptr<Tool> make_advisor_tool(AdvisorOptions options);

}  // namespace deft
