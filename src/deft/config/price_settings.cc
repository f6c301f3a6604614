#include "deft/config/price_settings.h"

#include <algorithm>
#include <cmath>

#include "deft/config/wrong_setting.h"

namespace deft {
namespace {

constexpr double kDollarsMax = 1e6;
constexpr double kCacheReadShare = 0.1;
constexpr double kCacheWriteShare = 1.25;
constexpr double kHourShare = 1.6;  // of what is written for minutes
constexpr double kTokensPriced = 1e6;

Result<std::optional<double>> parse_dollars(const Json& price, std::string_view key, const std::string& full_key) {
  const Json* value = find(price, key);
  if (!value) return std::nullopt;
  const auto number = find_number(price, key);
  if (!number || !std::isfinite(*number) || *number < 0 || *number > kDollarsMax) {
    return wrong_setting(full_key + "." + std::string(key), "dollars for a million tokens", *value);
  }
  return number;
}

Result<ModelPrice> parse_price(const Json& given, const std::string& full_key) {
  if (!given.is_object()) return wrong_setting(full_key, "an object with \"input\" and \"output\"", given);
  const auto input = parse_dollars(given, "input", full_key);
  if (!input) return std::unexpected(input.error());
  const auto output = parse_dollars(given, "output", full_key);
  if (!output) return std::unexpected(output.error());
  if (!*input || !*output) return wrong_setting(full_key, "an object with \"input\" and \"output\"", given);
  const auto read = parse_dollars(given, "cacheRead", full_key);
  if (!read) return std::unexpected(read.error());
  const auto written = parse_dollars(given, "cacheWrite", full_key);
  if (!written) return std::unexpected(written.error());
  const auto hour = parse_dollars(given, "cacheWriteHour", full_key);
  if (!hour) return std::unexpected(hour.error());
  const double cache_write = written->value_or(**input * kCacheWriteShare);
  ModelPrice price{.input = **input,
                   .output = **output,
                   .cache_read = read->value_or(**input * kCacheReadShare),
                   .cache_write = cache_write,
                   .cache_write_hour = hour->value_or(cache_write * kHourShare)};
  if (const Json* window = find(given, "contextWindow")) {
    const auto tokens = find_int(given, "contextWindow");
    if (!tokens || *tokens <= 0) return wrong_setting(full_key + ".contextWindow", "a number of tokens", *window);
    price.context_window = static_cast<std::uint64_t>(*tokens);
  }
  return price;
}

}  // namespace

const ModelPrice* PriceSettings::of(std::string_view model) const {
  const ModelPrice* best = nullptr;
  std::size_t length = 0;
  for (const auto& [name, price] : models) {
    if (name == model) return &price;
    if (!name.ends_with('*') || name.size() <= length) continue;
    if (!model.starts_with(std::string_view(name).substr(0, name.size() - 1))) continue;
    best = &price;
    length = name.size();
  }
  return best;
}

Result<PriceSettings> parse_price_settings(const Json& settings) {
  PriceSettings prices;
  const Json* given = find(settings, "prices");
  if (!given || given->is_null()) return prices;
  if (!given->is_object() || given->get_object().size() > kPricedModelsMax) {
    return wrong_setting("prices", "an object with a price for each model", *given);
  }
  for (const auto& [name, value] : given->get_object()) {
    const std::string model(name.data(), name.size());
    auto price = parse_price(value, "prices." + model);
    if (!price) return std::unexpected(price.error());
    prices.models.emplace_back(model, *price);
  }
  return prices;
}

double cost_of(const ModelPrice& price, const TokenUse& use) {
  const std::uint64_t hour = std::min(use.cache_write_hour, use.cache_write);
  return (static_cast<double>(use.input) * price.input + static_cast<double>(use.output) * price.output +
          static_cast<double>(use.cache_read) * price.cache_read +
          static_cast<double>(use.cache_write - hour) * price.cache_write +
          static_cast<double>(hour) * price.cache_write_hour) /
         kTokensPriced;
}

}  // namespace deft
