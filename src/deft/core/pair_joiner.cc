#include "deft/core/pair_joiner.h"

#include <utility>

#include "deft/base/utf8.h"

namespace deft {
namespace {

constexpr std::size_t kHalfBytes = 3;
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

bool is_half(std::string_view bytes, unsigned char low, unsigned char high) {
  if (bytes.size() < kHalfBytes || bytes[0] != '\xED') return false;
  const auto second = static_cast<unsigned char>(bytes[1]);
  return second >= low && second <= high;
}

bool begins_with_second_half(std::string_view piece) { return is_half(piece, 0xB0, 0xBF); }

bool ends_with_first_half(std::string_view piece) {
  return piece.size() >= kHalfBytes && is_half(piece.substr(piece.size() - kHalfBytes), 0xA0, 0xAF);
}

char32_t code_of(std::string_view half) {
  const auto bits = [&](std::size_t at) { return static_cast<char32_t>(half[at] & 0x3F); };
  return 0xD000 | bits(1) << 6 | bits(2);
}

}  // namespace

std::string half_pair_bytes(char16_t half) {
  return {'\xED', static_cast<char>(0x80 | ((half >> 6) & 0x3F)), static_cast<char>(0x80 | (half & 0x3F))};
}

bool has_half_at_edge(std::string_view piece) { return begins_with_second_half(piece) || ends_with_first_half(piece); }

std::string PairJoiner::add(std::string_view piece) {
  if (piece.empty()) return {};
  std::string out;
  const std::string first = std::exchange(half_, {});
  if (begins_with_second_half(piece)) {
    if (first.empty()) {
      out = kReplacement;
    } else {
      append_utf8(out, 0x10000 + ((code_of(first) - 0xD800) << 10) + (code_of(piece) - 0xDC00));
    }
    piece.remove_prefix(kHalfBytes);
  } else if (!first.empty()) {
    out = kReplacement;
  }
  if (ends_with_first_half(piece)) {
    half_ = piece.substr(piece.size() - kHalfBytes);
    piece.remove_suffix(kHalfBytes);
  }
  out += piece;
  return out;
}

std::string PairJoiner::finish() {
  return std::exchange(half_, {}).empty() ? std::string() : std::string(kReplacement);
}

}  // namespace deft
