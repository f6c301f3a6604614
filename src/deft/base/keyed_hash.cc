#include "deft/base/keyed_hash.h"

#include <bit>
#include <cstring>
#include <random>

namespace deft {
namespace {

const HashKey& own_key() {
  static const HashKey key = [] {
    std::random_device random;
    const auto word = [&] { return (std::uint64_t{random()} << 32) | random(); };
    return HashKey{word(), word()};
  }();
  return key;
}

std::uint64_t little_endian(std::uint64_t word) {
  return std::endian::native == std::endian::little ? word : __builtin_bswap64(word);
}

}  // namespace

KeyedHash::KeyedHash() : KeyedHash(own_key()) {}

KeyedHash::KeyedHash(const HashKey& key)
    : a_(key[0] ^ 0x736F6D6570736575),
      b_(key[1] ^ 0x646F72616E646F6D ^ 0xEE),
      c_(key[0] ^ 0x6C7967656E657261),
      d_(key[1] ^ 0x7465646279746573) {}

inline void KeyedHash::mix() {
  a_ += b_;
  c_ += d_;
  b_ = std::rotl(b_, 13) ^ a_;
  d_ = std::rotl(d_, 16) ^ c_;
  a_ = std::rotl(a_, 32);
  c_ += b_;
  a_ += d_;
  b_ = std::rotl(b_, 17) ^ c_;
  d_ = std::rotl(d_, 21) ^ a_;
  c_ = std::rotl(c_, 32);
}

inline void KeyedHash::add_word(std::uint64_t word) {
  d_ ^= word;
  mix();
  mix();
  a_ ^= word;
}

void KeyedHash::add(std::string_view bytes) {
  std::size_t at = 0;
  const auto add_byte = [&] {
    tail_ |= std::uint64_t{static_cast<unsigned char>(bytes[at++])} << (8 * (bytes_++ % 8));
    if (bytes_ % 8 != 0) return;
    add_word(tail_);
    tail_ = 0;
  };
  while (at < bytes.size() && bytes_ % 8 != 0) add_byte();
  for (; at + 8 <= bytes.size(); at += 8, bytes_ += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, sizeof word);
    add_word(little_endian(word));
  }
  while (at < bytes.size()) add_byte();
}

std::string KeyedHash::digest() {
  add_word(tail_ | (bytes_ << 56));
  std::string digest(16, '\0');
  const auto put = [&](std::size_t at) {
    for (int i = 0; i < 4; ++i) mix();
    const std::uint64_t word = little_endian(a_ ^ b_ ^ c_ ^ d_);
    std::memcpy(digest.data() + at, &word, sizeof word);
  };
  c_ ^= 0xEE;
  put(0);
  b_ ^= 0xDD;
  put(8);
  return digest;
}

}  // namespace deft
