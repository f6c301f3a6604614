#include "deft/base/sha1.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace deft {
namespace {

constexpr std::size_t kBlockBytes = 64;
constexpr std::size_t kLengthBytes = 8;

using State = std::array<std::uint32_t, 5>;

std::uint32_t big_endian(std::string_view bytes) {
  std::uint32_t out = 0;
  for (const char byte : bytes) out = out << 8 | static_cast<unsigned char>(byte);
  return out;
}

void mix(State& state, std::string_view block) {
  std::array<std::uint32_t, 80> words{};
  for (std::size_t i = 0; i < 16; ++i) words[i] = big_endian(block.substr(i * 4, 4));
  for (std::size_t i = 16; i < words.size(); ++i) {
    words[i] = std::rotl(words[i - 3] ^ words[i - 8] ^ words[i - 14] ^ words[i - 16], 1);
  }
  auto [a, b, c, d, e] = state;
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::uint32_t mixed = b ^ c ^ d;
    std::uint32_t constant = 0xca62c1d6;
    if (i < 20) {
      mixed = (b & c) | (~b & d);
      constant = 0x5a827999;
    } else if (i < 40) {
      constant = 0x6ed9eba1;
    } else if (i < 60) {
      mixed = (b & c) | (b & d) | (c & d);
      constant = 0x8f1bbcdc;
    }
    const std::uint32_t next = std::rotl(a, 5) + mixed + e + constant + words[i];
    e = d;
    d = c;
    c = std::rotl(b, 30);
    b = a;
    a = next;
  }
  state = {state[0] + a, state[1] + b, state[2] + c, state[3] + d, state[4] + e};
}

}  // namespace

std::string sha1(std::string_view bytes) {
  State state = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
  const std::uint64_t bits = std::uint64_t{bytes.size()} * 8;
  while (bytes.size() >= kBlockBytes) {
    mix(state, bytes.substr(0, kBlockBytes));
    bytes.remove_prefix(kBlockBytes);
  }
  std::string tail(bytes);
  tail += '\x80';
  while (tail.size() % kBlockBytes != kBlockBytes - kLengthBytes) tail += '\0';
  for (int shift = 56; shift >= 0; shift -= 8) tail += static_cast<char>(bits >> shift & 0xff);
  for (std::string_view rest = tail; !rest.empty(); rest.remove_prefix(kBlockBytes)) {
    mix(state, rest.substr(0, kBlockBytes));
  }
  std::string out;
  for (const std::uint32_t word : state) {
    for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(word >> shift & 0xff);
  }
  return out;
}

}  // namespace deft
