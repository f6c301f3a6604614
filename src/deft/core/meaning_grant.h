#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace deft {

// What a person has granted in words, with a plan: "run the tests". Commands of that shell that do no more than this
// need not be asked for, as far as a classifier can tell. Never more than what it was shown.
struct MeaningGrant {
  std::string tool;  // a shell
  std::string text;
  bool operator==(const MeaningGrant&) const = default;
};

// What may be granted so: other tools have rules that say exactly what is meant.
inline bool is_granted_by_meaning(std::string_view tool) { return tool == "Bash" || tool == "PowerShell"; }

// `more` behind those that are there already.
inline void add_grants(std::vector<MeaningGrant>& grants, const std::vector<MeaningGrant>& more) {
  for (const MeaningGrant& grant : more) {
    if (std::ranges::find(grants, grant) == grants.end()) grants.push_back(grant);
  }
}

}  // namespace deft
