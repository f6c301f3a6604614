#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "deft/base/json.h"
#include "deft/base/result.h"
#include "deft/core/token_use.h"

namespace deft {

inline constexpr std::size_t kPricedModelsMax = 1'000;

// What a model costs, in dollars for a million tokens, and how much it takes.
struct ModelPrice {
  double input = 0;
  double output = 0;
  double cache_read = 0;        // not said: a tenth of the input's
  double cache_write = 0;       // not said: a quarter more than the input's
  double cache_write_hour = 0;  // of what is kept for an hour; not said: eight fifths of `cache_write`
  std::optional<std::uint64_t> context_window{};
};

// "prices": {"claude-sonnet-*": {"input": 3, "output": 15, "cacheRead": 0.3, "cacheWrite": 3.75,
// "cacheWriteHour": 6, "contextWindow": 200000}, …}. deft knows no prices by itself: they change, and differ between
// providers.
struct PriceSettings {
  std::vector<std::pair<std::string, ModelPrice>> models{};  // by name, or by its beginning with a "*" behind it

  // That of the very name, else of the longest beginning; null: not known.
  const ModelPrice* of(std::string_view model) const;
};

// From the whole settings object. Strict: a known key with a wrong value is an error that names it.
Result<PriceSettings> parse_price_settings(const Json& settings);

double cost_of(const ModelPrice& price, const TokenUse& use);

}  // namespace deft
