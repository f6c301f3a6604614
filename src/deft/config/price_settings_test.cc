#include "deft/config/price_settings.h"

#include <gtest/gtest.h>

namespace deft {
namespace {

PriceSettings parsed(std::string_view text) {
  const auto prices = parse_price_settings(*parse_json(text));
  EXPECT_TRUE(prices) << (prices ? "" : prices.error().message);
  return prices.value_or(PriceSettings{});
}

TEST(PriceSettings, TheVeryNameCountsBeforeALongBeginningBeforeAShortOne) {
  const PriceSettings prices = parsed(
      R"({"prices":{"m*":{"input":1,"output":1},"model-*":{"input":2,"output":2},"model-x":{"input":3,"output":3}}})");
  EXPECT_EQ(prices.of("model-x")->input, 3);
  EXPECT_EQ(prices.of("model-y")->input, 2);
  EXPECT_EQ(prices.of("mini")->input, 1);
  EXPECT_EQ(prices.of("other"), nullptr);
}

TEST(PriceSettings, WhatTheCacheCostsFollowsFromTheInputUnlessItIsSaid) {
  const PriceSettings prices = parsed(R"({"prices":{"a":{"input":10,"output":50},
      "b":{"input":10,"output":50,"cacheRead":0,"cacheWrite":20,"contextWindow":1000}}})");
  const TokenUse million{.input = 1'000'000, .output = 1'000'000, .cache_read = 1'000'000, .cache_write = 1'000'000};
  EXPECT_DOUBLE_EQ(cost_of(*prices.of("a"), million), 10 + 50 + 1 + 12.5);
  EXPECT_DOUBLE_EQ(cost_of(*prices.of("b"), million), 10 + 50 + 0 + 20);
  EXPECT_EQ(prices.of("b")->context_window, 1000U);
}

TEST(PriceSettings, WhatIsKeptForAnHourCostsMore) {
  const PriceSettings prices = parsed(R"({"prices":{"a":{"input":10,"output":50},
      "b":{"input":10,"output":50,"cacheWrite":20},"c":{"input":10,"output":50,"cacheWriteHour":30}}})");
  const TokenUse mixed{.cache_write = 3'000'000, .cache_write_hour = 1'000'000};
  EXPECT_DOUBLE_EQ(cost_of(*prices.of("a"), mixed), 2 * 12.5 + 20);
  EXPECT_DOUBLE_EQ(cost_of(*prices.of("b"), mixed), 2 * 20 + 32);
  EXPECT_DOUBLE_EQ(cost_of(*prices.of("c"), mixed), 2 * 12.5 + 30);
}

TEST(PriceSettings, AWrongValueIsNamed) {
  for (const std::string_view text :
       {R"({"prices":[]})", R"({"prices":{"m":3}})", R"({"prices":{"m":{"input":1}}})",
        R"({"prices":{"m":{"input":-1,"output":1}}})", R"({"prices":{"m":{"input":"1","output":1}}})",
        R"({"prices":{"m":{"input":1,"output":1,"contextWindow":0}}})"}) {
    const auto prices = parse_price_settings(*parse_json(text));
    ASSERT_FALSE(prices) << text;
    EXPECT_TRUE(prices.error().message.starts_with("prices")) << prices.error().message;
  }
}

}  // namespace
}  // namespace deft
