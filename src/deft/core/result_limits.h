#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "deft/base/json.h"

// How much of a result the model is shown. A character is a Unicode code point.

namespace deft {

inline constexpr std::size_t kUnlimited = std::numeric_limits<std::size_t>::max();  // never stored away
inline constexpr std::size_t kResultCharactersMax = 30'000;                         // of a tool that says nothing
inline constexpr std::size_t kSingleResultCharactersMax = 50'000;
inline constexpr std::size_t kMessageResultsCharactersMax = 200'000;
inline constexpr std::size_t kDeclaredResultCharactersMax = 500'000;  // that a stranger's tool may ask for

// What stays in sight of a result that is stored away.
enum class KeptPart : std::uint8_t { start, end, both };

struct ToolResultLimit {
  std::optional<std::size_t> characters_max = std::nullopt;
  std::optional<KeptPart> kept = std::nullopt;
};

// What a tool says of its own results.
struct OwnResultLimit {
  std::size_t characters_max = kResultCharactersMax;
  std::optional<std::size_t> declared = std::nullopt;  // by the `_meta` of its definition
  std::optional<KeptPart> kept = std::nullopt;
};

// What counts for one tool's results.
struct ResultLimit {
  std::size_t characters_max = kResultCharactersMax;
  KeptPart kept = KeptPart::start;

  bool is_unlimited() const { return characters_max == kUnlimited; }
};

// From the settings.
struct ResultLimits {
  std::size_t single_max = kSingleResultCharactersMax;
  std::size_t message_max = kMessageResultsCharactersMax;
  KeptPart kept = KeptPart::start;  // of tools that do not say it themselves
  // By tool name; a name that ends in '*' stands for all that begin so, the longest that fits counts.
  std::map<std::string, ToolResultLimit, std::less<>> tools = {};

  // A tool that bounds its results itself (Read) keeps its word: what is stored away is looked into with such tools,
  // and must not be stored away again.
  ResultLimit of(std::string_view tool, const OwnResultLimit& own) const;
};

// `anthropic/maxResultSizeChars` of a tool definition's `_meta`, bounded; nothing if it is absent or no number.
std::optional<std::size_t> declared_result_maximum(const Json* meta);

}  // namespace deft
