#include "deft/base/block_cache.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <vector>

namespace deft {
namespace {

struct Free {
  void operator()(void* block) const { std::free(block); }
};
using Block = std::unique_ptr<void, Free>;

TEST(BlockCache, ABlockThatWasKeptIsTakenAgainOnce) {
  BlockCache cache;
  const Block block(std::malloc(BlockCache::bytes_of(3)));
  EXPECT_EQ(cache.take(3), nullptr);
  ASSERT_TRUE(cache.keep(block.get(), 3));
  EXPECT_EQ(cache.take(2), nullptr);
  EXPECT_EQ(cache.take(4), nullptr);
  EXPECT_EQ(cache.take(3), block.get());
  EXPECT_EQ(cache.take(3), nullptr);
}

TEST(BlockCache, EverySizeHasRoomForWhatIsAskedOfIt) {
  for (std::size_t bytes = 0; bytes <= BlockCache::kBlockBytesMax; ++bytes) {
    const std::size_t size = BlockCache::size_of(bytes);
    ASSERT_GE(size, 1u);
    ASSERT_GE(BlockCache::bytes_of(size), bytes);
    ASSERT_LE(BlockCache::bytes_of(size), BlockCache::kBlockBytesMax);
    ASSERT_EQ(BlockCache::size_of(BlockCache::bytes_of(size)), size);
  }
}

TEST(BlockCache, KeepsNoMoreOfASizeThanItsLimit) {
  BlockCache cache;
  const std::size_t size = BlockCache::size_of(1000);
  std::vector<Block> blocks;
  std::size_t kept = 0;
  for (std::size_t bytes = 0; bytes < 2 * BlockCache::kBytesPerSizeMax; bytes += 1000) {
    blocks.emplace_back(std::malloc(BlockCache::bytes_of(size)));
    if (cache.keep(blocks.back().get(), size)) ++kept;
  }
  EXPECT_GT(kept, 0u);
  EXPECT_LT(kept * BlockCache::bytes_of(size), BlockCache::kBytesPerSizeMax + BlockCache::bytes_of(size));
  while (cache.take(size)) --kept;
  EXPECT_EQ(kept, 0u);
}

}  // namespace
}  // namespace deft
