#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace deft {

using HashKey = std::array<std::uint64_t, 2>;

// Tells contents apart within one process: SipHash-2-4 with 128 bits. With a key that nobody else knows (the process's
// own, by default) nobody can make two contents that count as the same; and it takes a quarter of the time of
// content_hash(), which is for what is compared later or elsewhere.
class KeyedHash {
 public:
  KeyedHash();
  explicit KeyedHash(const HashKey& key);

  void add(std::string_view bytes);
  std::string digest();  // 16 bytes; the last that is asked of it

 private:
  [[gnu::always_inline]] void add_word(std::uint64_t word);
  [[gnu::always_inline]] void mix();

  std::uint64_t a_, b_, c_, d_;
  std::uint64_t tail_ = 0;  // bytes that do not fill a word yet, the first one lowest
  std::uint64_t bytes_ = 0;
};

}  // namespace deft
