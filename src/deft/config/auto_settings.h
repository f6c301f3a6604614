#pragma once

#include <optional>
#include <string>
#include <vector>

#include "deft/base/json.h"
#include "deft/base/result.h"

namespace deft {

inline constexpr std::size_t kAutoRulesMax = 100;             // in one list
inline constexpr std::size_t kAutoRuleCharactersMax = 2'000;  // of one entry
inline constexpr const char* kAutoDefaults = "$defaults";     // an entry that stands for what deft itself would say

// "autoMode": what the classifier of auto mode goes by, in sentences. A list that is not given is deft's own; one that
// is given takes its place, with "$defaults" where deft's own is to stand.
struct AutoModeSettings {
  using Entries = std::optional<std::vector<std::string>>;
  Entries allow{};        // exceptions from soft_deny
  Entries soft_deny{};    // asked for
  Entries hard_deny{};    // denied
  Entries environment{};  // what is to be known of the place: hosts, repositories, buckets that are the user's own
  bool classify_all_shell = false;  // commands that rules allow are judged, too
};

// From the whole settings object. Strict: a known key with a wrong value is an error that names it.
Result<AutoModeSettings> parse_auto_settings(const Json& settings);

}  // namespace deft
