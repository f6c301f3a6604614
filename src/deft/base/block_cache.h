#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <new>

namespace deft {

// Blocks are of sizes: those of the C library's own blocks (24, 40, 56 … bytes that can be used), so that rounding
// wastes nothing.
struct BlockSize {
  static constexpr std::size_t kBytesMax = 4104;
  static constexpr std::size_t of(std::size_t bytes) { return bytes <= 24 ? 1 : (bytes + 7) / 16; }
  static constexpr std::size_t bytes_of(std::size_t size) { return 16 * size + 8; }
  static constexpr std::size_t kCount = (kBytesMax + 7) / 16 + 1;
};

// One that nobody uses.
struct FreeBlock {
  FreeBlock* next = nullptr;
};

// Blocks on their way from one thread to another: a worker makes results and the turn lets go of them, over and over.
// The C library would give each back to the heap of the thread that made it, and one of the two would sleep until the
// other has left that heap: five times as long as a read takes. Here nobody waits: where somebody else is just at it,
// there is nothing to be had and no room.
class BlockExchange {
 public:
  static constexpr std::size_t kBytesPerSizeMax = std::size_t{256} << 10;

  struct Chain {
    FreeBlock* first = nullptr;
    FreeBlock* last = nullptr;
    std::size_t count = 0;
  };

  // `most` blocks of this size, or fewer.
  Chain take(std::size_t size, std::size_t most) {
    Shelf& shelf = shelves_[size];
    Chain chain;
    if (shelf.count.load(std::memory_order_relaxed) == 0 || !shelf.enter()) return chain;
    if (shelf.first) {
      chain = {shelf.first, shelf.first, 1};
      for (; chain.count < most && chain.last->next; ++chain.count) chain.last = chain.last->next;
      shelf.first = chain.last->next;
      chain.last->next = nullptr;
      shelf.add(-chain.count);
    }
    shelf.leave();
    return chain;
  }

  // False: it has enough of them.
  bool keep(std::size_t size, Chain chain) {
    Shelf& shelf = shelves_[size];
    if (!shelf.enter()) return false;
    const bool has_room = (shelf.count + chain.count) * BlockSize::bytes_of(size) <= kBytesPerSizeMax;
    if (has_room) {
      chain.last->next = shelf.first;
      shelf.first = chain.first;
      shelf.add(chain.count);
    }
    shelf.leave();
    return has_room;
  }

 private:
  struct Shelf {
    std::atomic_flag is_taken;
    std::atomic<std::size_t> count = 0;
    FreeBlock* first = nullptr;  // only between enter() and leave()

    bool enter() { return !is_taken.test_and_set(std::memory_order_acquire); }
    void leave() { is_taken.clear(std::memory_order_release); }
    void add(std::size_t more) { count.store(count.load(std::memory_order_relaxed) + more, std::memory_order_relaxed); }
  };

  std::array<Shelf, BlockSize::kCount> shelves_{};
};

// Blocks of memory that one thread has let go of, by size, to be taken again without asking malloc(): a call of a tool
// takes and lets go of some two hundred, more of a size at once than the C library keeps at hand. They are blocks of
// malloc() all the same, so whoever knows nothing of this may free() them.
class BlockCache {
 public:
  static constexpr std::size_t kBytesPerSizeMax = std::size_t{64} << 10;

  constexpr explicit BlockCache(BlockExchange& others) : others_(others) {}

  // A block of this size; null: there is none.
  void* take(std::size_t size) {
    FreeBlock* const block = first_[size];
    if (block == nullptr) return take_from_others(size);
    first_[size] = block->next;
    --count_[size];
    return block;
  }

  // The same without asking others.
  void* take_own(std::size_t size) { return first_[size] ? take(size) : nullptr; }

  // False: there are enough of them. The block has bytes_of(size) at least.
  bool keep(void* block, std::size_t size) {
    if (count_[size] * BlockSize::bytes_of(size) >= kBytesPerSizeMax && !give_to_others(size)) return false;
    first_[size] = new (block) FreeBlock{first_[size]};
    ++count_[size];
    return true;
  }

 private:
  static constexpr std::size_t kAtOnceMax = 32;

  // How many of a size go from thread to thread together.
  static constexpr std::size_t at_once(std::size_t size) {
    return std::clamp<std::size_t>(kBytesPerSizeMax / 2 / BlockSize::bytes_of(size), 1, kAtOnceMax);
  }

  [[gnu::noinline]] void* take_from_others(std::size_t size) {
    const BlockExchange::Chain chain = others_.take(size, at_once(size));
    if (chain.count == 0) return nullptr;
    first_[size] = chain.first->next;
    count_[size] = chain.count - 1;
    return chain.first;
  }

  [[gnu::noinline]] bool give_to_others(std::size_t size) {
    BlockExchange::Chain chain{first_[size], first_[size], 1};
    for (; chain.count < at_once(size); ++chain.count) chain.last = chain.last->next;
    FreeBlock* const rest = chain.last->next;
    if (!others_.keep(size, chain)) return false;
    first_[size] = rest;
    count_[size] -= chain.count;
    return true;
  }

  BlockExchange& others_;
  std::array<FreeBlock*, BlockSize::kCount> first_{};
  std::array<std::size_t, BlockSize::kCount> count_{};
};

}  // namespace deft
