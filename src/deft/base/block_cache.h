#pragma once

#include <array>
#include <cstddef>
#include <new>

namespace deft {

// Blocks of memory that one thread has let go of, by size, to be taken again without asking malloc(): a call of a tool
// takes and lets go of some two hundred, more of a size at once than the C library keeps at hand. They are blocks of
// malloc() all the same, so whoever knows nothing of this may free() them.
class BlockCache {
 public:
  static constexpr std::size_t kBlockBytesMax = 4104;
  static constexpr std::size_t kBytesPerSizeMax = std::size_t{64} << 10;

  // Sizes are those of the C library's own blocks (24, 40, 56 … bytes that can be used), so rounding wastes nothing.
  static constexpr std::size_t size_of(std::size_t bytes) { return bytes <= 24 ? 1 : (bytes + 7) / 16; }
  static constexpr std::size_t bytes_of(std::size_t size) { return 16 * size + 8; }

  // A block of this size; null: there is none.
  void* take(std::size_t size) {
    Block* const block = first_[size];
    if (block == nullptr) return nullptr;
    first_[size] = block->next;
    --count_[size];
    return block;
  }

  // False: it has enough of them. The block has bytes_of(size) at least.
  bool keep(void* block, std::size_t size) {
    if (count_[size] * bytes_of(size) >= kBytesPerSizeMax) return false;
    first_[size] = new (block) Block{first_[size]};
    ++count_[size];
    return true;
  }

 private:
  struct Block {
    Block* next;
  };
  static constexpr std::size_t kSizes = (kBlockBytesMax + 7) / 16 + 1;

  std::array<Block*, kSizes> first_{};
  std::array<std::size_t, kSizes> count_{};
};

}  // namespace deft
