// Memory of the program: small blocks come from a cache of the thread's own or from other threads (base/block_cache.h),
// everything else from malloc(). Not part of the library: how a host gets its memory is the host's business.
#include <malloc.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <new>

#include "deft/base/block_cache.h"

namespace {

using deft::BlockCache;
using deft::BlockExchange;
using deft::BlockSize;

constinit BlockExchange exchange;
constinit thread_local BlockCache cache(exchange);
constinit thread_local bool is_kept = false;  // from the first block that was let go until the thread ends

void give_back_all() {
  for (std::size_t size = 1; size < BlockSize::kCount; ++size) {
    while (void* const block = cache.take_own(size)) std::free(block);
  }
}

// What a thread has cached ends with it; with the main thread everything ends.
struct Keeper {
  Keeper() { is_kept = true; }
  ~Keeper() {
    is_kept = false;
    if (::gettid() != ::getpid()) give_back_all();
  }
};

[[gnu::noinline]] bool begin_to_keep() {
  static thread_local bool has_begun = false;
  if (has_begun) return false;  // the thread is at its end: nobody would give them back
  has_begun = true;
  static thread_local Keeper keeper;
  return is_kept;
}

// A request is as long as all that was said before, and another one follows soon: memory of that size, given back to
// the system in between and asked for again page by page, took a quarter of a session's processor time.
constexpr int kKeptBytesMax = 8 << 20;    // at the end of the heap
constexpr int kMappedBytesMin = 4 << 20;  // what is larger has a mapping of its own, and goes back when it is let go
constexpr int kGrownByBytes = 512 << 10;  // of address space: pages that nobody touches cost nothing
[[gnu::constructor]] void keep_memory() {
  ::mallopt(M_TRIM_THRESHOLD, kKeptBytesMax);
  ::mallopt(M_MMAP_THRESHOLD, kMappedBytesMin);
  ::mallopt(M_TOP_PAD, kGrownByBytes);
}

[[gnu::noinline]] void* allocate(std::size_t bytes) {
  for (;;) {
    if (void* const block = std::malloc(bytes)) return block;
    const std::new_handler handler = std::get_new_handler();
    if (!handler) throw std::bad_alloc();
    handler();
  }
}

}  // namespace

void* operator new(std::size_t bytes) {
  if (bytes > BlockSize::kBytesMax) return allocate(bytes);
  const std::size_t size = BlockSize::of(bytes);
  if (void* const block = cache.take(size)) return block;
  return allocate(BlockSize::bytes_of(size));
}

void operator delete(void* block, std::size_t bytes) noexcept {
  if (block == nullptr) return;
  const bool is_small = bytes <= BlockSize::kBytesMax && (is_kept || begin_to_keep());
  if (!is_small || !cache.keep(block, BlockSize::of(bytes))) std::free(block);
}

// Of one whose size nobody says, the C library knows it. It may have more to use than its size says, never less.
void operator delete(void* block) noexcept {
  if (block == nullptr) return;
  const std::size_t usable = malloc_usable_size(block);
  operator delete(block, usable < BlockSize::bytes_of(1) ? SIZE_MAX : BlockSize::bytes_of((usable - 8) / 16));
}
