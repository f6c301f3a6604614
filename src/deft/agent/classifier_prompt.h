#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "deft/agent/call_classifier.h"
#include "deft/config/auto_settings.h"

// What a model is told that judges calls, and what its answer means. Pure.

namespace deft {

inline constexpr std::size_t kJudgedCharactersMax =
    10'000;  // of a call: whoever writes more is not read, but asked about

// What the classifier goes by in auto mode, with deft's own sentences where the settings want them.
struct AutoModeRules {
  std::vector<std::string> allow, soft_deny, hard_deny, environment;
};
AutoModeRules auto_mode_rules(const AutoModeSettings& settings);

// Why a call is not given to a model at all: it could not be read in full, or it talks to whoever judges it.
std::optional<std::string> not_to_be_judged(const CallToJudge& call);

struct ClassifierPrompt {
  std::string system;
  std::string question;  // the call, as data
};
ClassifierPrompt classifier_prompt(const AutoModeRules& rules, const CallToJudge& call);

// Strict: one JSON object with the keys that were asked for, and nothing else. Everything else is an unclear answer,
// which is never a harmless one.
RiskOpinion opinion_of(std::string_view answer, const AutoModeRules& rules, const CallToJudge& call);

}  // namespace deft
