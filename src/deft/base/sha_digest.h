#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace deft {

inline constexpr std::size_t kShaBlockBytes = 64;
inline constexpr std::size_t kShaLengthBytes = 8;

// What SHA-1 and SHA-256 have in common: blocks are mixed into a state, the last with the length, and the state is the
// digest. `mix(state, block)` is the function's own.
template <std::size_t kWords, class Mix>
std::string sha_digest(std::array<std::uint32_t, kWords> state, std::string_view bytes, const Mix& mix) {
  const std::uint64_t bits = std::uint64_t{bytes.size()} * 8;
  while (bytes.size() >= kShaBlockBytes) {
    mix(state, bytes.substr(0, kShaBlockBytes));
    bytes.remove_prefix(kShaBlockBytes);
  }
  std::string tail(bytes);
  tail += '\x80';
  while (tail.size() % kShaBlockBytes != kShaBlockBytes - kShaLengthBytes) tail += '\0';
  for (int shift = 56; shift >= 0; shift -= 8) tail += static_cast<char>(bits >> shift & 0xff);
  for (std::string_view rest = tail; !rest.empty(); rest.remove_prefix(kShaBlockBytes)) {
    mix(state, rest.substr(0, kShaBlockBytes));
  }
  std::string out;
  for (const std::uint32_t word : state) {
    for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(word >> shift & 0xff);
  }
  return out;
}

}  // namespace deft
