#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "deft/base/result.h"

// Tools that are left out of the model's prompt until it looks for them (ToolSearch): a pool of hundreds costs almost
// nothing then.

namespace deft {

inline constexpr std::size_t kListedToolsMax = 40;
inline constexpr std::size_t kDefinitionsPercentMax = 10;  // of the context
inline constexpr std::size_t kContextTokensDefault = 200'000;
inline constexpr std::size_t kCharactersPerToken = 4;

// When tools are left out.
struct Deferral {
  enum class When : std::uint8_t {
    never,
    when_many,  // there are more than `tools_max`, or all definitions together are longer than `characters_max`
    always,
  };
  When when = When::never;
  std::size_t tools_max = kListedToolsMax;
  std::size_t characters_max = kContextTokensDefault * kCharactersPerToken * kDefinitionsPercentMax / 100;
  // The API loads tools itself where a result refers to them: their definitions go along, out of the model's sight.
  bool by_reference = false;
};

// What the user wants (ENABLE_TOOL_SEARCH): "" and "auto", "auto:N" (N percent of the context), "true", "false".
Result<Deferral> parse_deferral(std::string_view wanted, std::size_t context_tokens, bool by_reference);

// A change of what the model has loaded, as a value.
struct ToolsLoaded {
  std::vector<std::string> names;
};

// What the model knows of tools that are left out. Belongs to the session: it survives compaction and resuming.
struct ToolDiscovery {
  std::vector<std::string> loaded = {};  // in that order, each once
  // So many of them, the first ones, are listed like any other tool: what had referred to them left the context.
  std::size_t listed = 0;
  std::set<std::string, std::less<>> announced = {};  // that the model was told the names of

  bool has_loaded(std::string_view name) const;
  void apply(const ToolsLoaded& more);
  void forget_context();
};

}  // namespace deft
