#include "deft/core/result_budget.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

namespace deft {
namespace {

constexpr ResultShare kWhole{};
constexpr ResultShare kPreview{Showing::preview};
constexpr ResultShare kPath{Showing::path};

ResultCost result(std::size_t characters) {
  return {.characters = characters, .with_preview = 2'500, .with_path = 500};
}
ResultCost unlimited(std::size_t characters) {
  return {.characters = characters, .is_unlimited = true, .with_preview = 2'500, .with_path = 500};
}
using Shares = std::vector<ResultShare>;

std::size_t total(const std::vector<ResultCost>& results, const Shares& shares) {
  std::size_t sum = 0;
  for (std::size_t i = 0; i < results.size(); ++i) sum += share_characters(results[i], shares[i]);
  return sum;
}

TEST(ResultBudget, WhatFitsStaysAsItIs) {
  EXPECT_EQ(fit_message({result(100'000), result(100'000)}, 200'000), (Shares{kWhole, kWhole}));
  EXPECT_EQ(fit_message({}, 200'000), Shares{});
}

TEST(ResultBudget, TheLargestAreStoredAwayFirstUntilTheRestFits) {
  EXPECT_EQ(fit_message({result(40'000), result(90'000), result(60'000), result(45'000)}, 200'000),
            (Shares{kWhole, kPreview, kWhole, kWhole}));
}

TEST(ResultBudget, OfEqualOnesTheLaterAreStoredAway) {
  EXPECT_EQ(fit_message({result(50'000), result(50'000), result(50'000)}, 110'000), (Shares{kWhole, kWhole, kPreview}));
}

TEST(ResultBudget, UnlimitedResultsCountAndTheLaterAreCutIfTheyAloneExceedIt) {
  const auto shares = fit_message({unlimited(100'000), result(20'000), unlimited(90'000), unlimited(90'000)}, 200'000);
  EXPECT_EQ(shares[0], kWhole);
  EXPECT_EQ(shares[1], kPreview);
  EXPECT_EQ(shares[2], kWhole);
  EXPECT_EQ(shares[3], (ResultShare{Showing::cut, 7'500 - kCutNoticeCharactersMax}));
}

TEST(ResultBudget, UnlimitedResultsThatFitAreNotCutForTheSakeOfOthers) {
  EXPECT_EQ(fit_message({unlimited(100'000), result(60'000), unlimited(95'000)}, 200'000),
            (Shares{kWhole, kPreview, kWhole}));
}

TEST(ResultBudget, ManyPreviewsShrinkToTheirPaths) {
  const std::vector<ResultCost> many(200, result(2'400));
  const auto shares = fit_message(many, 200'000);
  EXPECT_LE(total(many, shares), 200'000U);
  EXPECT_EQ(shares.front(), kWhole);
  EXPECT_EQ(shares.back(), kPath);
}

TEST(ResultBudget, OneThatLeavesAloneGetsWhatIsLeft) {
  EXPECT_EQ(fit_into(result(10'000), 10'000), kWhole);
  EXPECT_EQ(fit_into(result(10'000), 9'999), kPreview);
  EXPECT_EQ(fit_into(result(10'000), 2'000), kPath);
  EXPECT_EQ(fit_into(result(400), 0), kWhole) << "its path would be longer";
  EXPECT_EQ(fit_into(unlimited(10'000), 5'000), (ResultShare{Showing::cut, 5'000 - kCutNoticeCharactersMax}));
  EXPECT_EQ(fit_into(unlimited(10'000), 0), (ResultShare{Showing::cut, 0}));
  EXPECT_EQ(fit_into(unlimited(200), 0), kWhole);
}

TEST(ResultBudget, HoldsForAnyMessageAndIsDecidedOnce) {
  for (unsigned seed = 0; seed < 2'000; ++seed) {
    std::mt19937 random(seed);
    std::vector<ResultCost> results;
    const std::size_t count = random() % 60;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t size = random() % 3 == 0 ? random() % 100'000 : random() % 5'000;
      results.push_back(random() % 4 == 0 ? unlimited(size) : result(size));
    }
    const std::size_t budget = 50'000 + random() % 200'000;
    const Shares shares = fit_message(results, budget);
    ASSERT_EQ(shares.size(), results.size());
    ASSERT_LE(total(results, shares), budget + 500 * count) << seed;
    ASSERT_EQ(fit_message(results, budget), shares) << seed;
    // Nobody was shortened for nothing.
    std::size_t all = 0;
    for (const ResultCost& one : results) all += one.characters;
    if (all <= budget) {
      ASSERT_EQ(shares, Shares(count)) << seed;
    }
  }
}

}  // namespace
}  // namespace deft
