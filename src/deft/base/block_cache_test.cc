#include "deft/base/block_cache.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <random>
#include <set>
#include <thread>
#include <vector>

namespace deft {
namespace {

struct Free {
  void operator()(void* block) const { std::free(block); }
};
using Block = std::unique_ptr<void, Free>;

TEST(BlockCache, ABlockThatWasKeptIsTakenAgainOnce) {
  BlockExchange exchange;
  BlockCache cache(exchange);
  const Block block(std::malloc(BlockSize::bytes_of(3)));
  EXPECT_EQ(cache.take(3), nullptr);
  ASSERT_TRUE(cache.keep(block.get(), 3));
  EXPECT_EQ(cache.take(2), nullptr);
  EXPECT_EQ(cache.take(4), nullptr);
  EXPECT_EQ(cache.take(3), block.get());
  EXPECT_EQ(cache.take(3), nullptr);
}

TEST(BlockCache, EverySizeHasRoomForWhatIsAskedOfIt) {
  for (std::size_t bytes = 0; bytes <= BlockSize::kBytesMax; ++bytes) {
    const std::size_t size = BlockSize::of(bytes);
    ASSERT_GE(size, 1u);
    ASSERT_LT(size, BlockSize::kCount);
    ASSERT_GE(BlockSize::bytes_of(size), bytes);
    ASSERT_LE(BlockSize::bytes_of(size), BlockSize::kBytesMax);
    ASSERT_EQ(BlockSize::of(BlockSize::bytes_of(size)), size);
  }
}

// Keeps blocks of this size until there is no more room.
std::vector<Block> fill(BlockCache& cache, std::size_t size) {
  std::vector<Block> blocks;
  for (;;) {
    blocks.emplace_back(std::malloc(BlockSize::bytes_of(size)));
    if (cache.keep(blocks.back().get(), size)) continue;
    blocks.pop_back();
    return blocks;
  }
}

TEST(BlockCache, KeepsNoMoreOfASizeThanItsLimitAndThatOfTheExchange) {
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{1000}, BlockSize::kBytesMax}) {
    BlockExchange exchange;
    BlockCache cache(exchange);
    const std::size_t size = BlockSize::of(bytes);
    const std::vector<Block> blocks = fill(cache, size);
    const std::size_t kept = blocks.size() * BlockSize::bytes_of(size);
    EXPECT_GT(kept, BlockExchange::kBytesPerSizeMax / 2);
    EXPECT_LE(kept, BlockExchange::kBytesPerSizeMax + BlockCache::kBytesPerSizeMax + BlockSize::bytes_of(size));

    std::set<void*> taken;
    while (void* const block = cache.take(size)) EXPECT_TRUE(taken.insert(block).second);
    EXPECT_EQ(taken.size(), blocks.size());
  }
}

TEST(BlockCache, WhatOneThreadLetsGoOfAnotherOneTakes) {
  BlockExchange exchange;
  BlockCache of_one(exchange), of_another(exchange);
  const std::vector<Block> blocks = fill(of_one, 5);
  std::size_t taken = 0;
  while (of_another.take(5)) ++taken;
  EXPECT_GT(taken, 0u);
  EXPECT_LT(taken, blocks.size()) << "the first one keeps some for itself";
  EXPECT_EQ(of_another.take_own(5), nullptr);
  EXPECT_NE(of_one.take_own(5), nullptr);
}

// Every block is in one hand at a time: whoever has it writes its own number there, and finds it again.
TEST(BlockCache, ThreadsThatPassBlocksOnNeverHaveTheSameOne) {
  constexpr std::size_t kThreads = 4, kRounds = 3'000, kSize = 100;
  BlockExchange exchange;
  std::vector<std::vector<void*>> left(kThreads);
  {
    std::vector<std::jthread> threads;
    for (std::size_t self = 0; self < kThreads; ++self) {
      threads.emplace_back([&, self] {
        BlockCache cache(exchange);
        std::mt19937 random(static_cast<unsigned>(self));
        std::vector<std::size_t*> held;
        for (std::size_t round = 0; round < kRounds; ++round) {
          const bool takes = self % 2 == 0 ? random() % 3 > 0 : random() % 3 == 0;
          if (takes || held.empty()) {
            void* const block = cache.take(kSize);
            held.push_back(static_cast<std::size_t*>(block ? block : std::malloc(BlockSize::bytes_of(kSize))));
            *held.back() = self;
          } else {
            ASSERT_EQ(*held.back(), self);
            if (!cache.keep(held.back(), kSize)) std::free(held.back());
            held.pop_back();
          }
        }
        for (std::size_t* const block : held) ASSERT_EQ(*block, self);
        left[self].assign(held.begin(), held.end());
        while (void* const block = cache.take_own(kSize)) left[self].push_back(block);
      });
    }
  }
  std::set<void*> seen;
  BlockCache rest(exchange);
  while (void* const block = rest.take(kSize)) left[0].push_back(block);
  for (const auto& blocks : left) {
    for (void* const block : blocks) {
      EXPECT_TRUE(seen.insert(block).second);
      std::free(block);
    }
  }
}

}  // namespace
}  // namespace deft
