#pragma once

#include <cstddef>
#include <cstdint>

namespace deft {

// One character of a text that may hold anything. Defined here because searching lives on it.
struct Decoded {
  char32_t point = 0;
  std::uint32_t length = 0;  // 1 to 4; 0: this byte belongs to no well-formed sequence
};

// The character that begins at `at`, before `end`.
inline Decoded decode_forward(const unsigned char* at, const unsigned char* end) {
  const auto continues = [&](std::ptrdiff_t i) { return i < end - at && (at[i] & 0xC0U) == 0x80U; };
  const char32_t lead = at[0];
  if (lead < 0x80) return {lead, 1};
  if (lead < 0xC2 || lead > 0xF4 || !continues(1)) return {};
  if (lead < 0xE0) return {(lead & 0x1FU) << 6 | (at[1] & 0x3FU), 2};
  if (!continues(2)) return {};
  if (lead < 0xF0) {
    const char32_t point = (lead & 0x0FU) << 12 | (at[1] & 0x3FU) << 6 | (at[2] & 0x3FU);
    return point < 0x800 || (point >= 0xD800 && point <= 0xDFFF) ? Decoded{} : Decoded{point, 3};
  }
  if (!continues(3)) return {};
  const char32_t point = (lead & 0x07U) << 18 | (at[1] & 0x3FU) << 12 | (at[2] & 0x3FU) << 6 | (at[3] & 0x3FU);
  return point < 0x10000 || point > 0x10FFFF ? Decoded{} : Decoded{point, 4};
}

// The character that ends at `at`, not before `begin`; agrees with decode_forward() about which bytes belong together,
// because no well-formed sequence holds the beginning of another.
inline Decoded decode_backward(const unsigned char* begin, const unsigned char* at) {
  for (std::ptrdiff_t length = 1; length <= 4 && length <= at - begin; ++length) {
    if ((at[-length] & 0xC0U) == 0x80U) continue;
    const Decoded found = decode_forward(at - length, at);
    return static_cast<std::ptrdiff_t>(found.length) == length ? found : Decoded{};
  }
  return {};
}

}  // namespace deft
