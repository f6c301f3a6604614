#include "deft/core/result_limits.h"

#include <algorithm>

namespace deft {
namespace {

const ToolResultLimit* find_limit(const ResultLimits& limits, std::string_view tool) {
  if (const auto exact = limits.tools.find(tool); exact != limits.tools.end()) return &exact->second;
  const ToolResultLimit* best = nullptr;
  std::size_t best_length = 0;
  for (const auto& [name, limit] : limits.tools) {
    if (!name.ends_with('*')) continue;
    const std::string_view beginning = std::string_view(name).substr(0, name.size() - 1);
    if (!tool.starts_with(beginning) || (best && beginning.size() < best_length)) continue;
    best = &limit;
    best_length = beginning.size();
  }
  return best;
}

}  // namespace

ResultLimit ResultLimits::of(std::string_view tool, const OwnResultLimit& own) const {
  const ToolResultLimit* set = find_limit(*this, tool);
  ResultLimit limit{.characters_max = kUnlimited, .kept = own.kept.value_or(kept)};
  if (set && set->kept) limit.kept = *set->kept;
  if (own.characters_max == kUnlimited) return limit;
  if (set && set->characters_max) {
    limit.characters_max = *set->characters_max;
  } else if (own.declared) {
    limit.characters_max = std::min(*own.declared, kDeclaredResultCharactersMax);
  } else {
    limit.characters_max = std::min(own.characters_max, single_max);
  }
  return limit;
}

std::optional<std::size_t> declared_result_maximum(const Json* meta) {
  if (!meta) return std::nullopt;
  const auto number = find_int(*meta, "anthropic/maxResultSizeChars");
  if (!number || *number < 1) return std::nullopt;
  return std::min<std::size_t>(static_cast<std::size_t>(*number), kDeclaredResultCharactersMax);
}

}  // namespace deft
