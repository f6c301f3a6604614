#include "deft/base/columns.h"

#include <algorithm>
#include <array>

#include "deft/base/utf8_decode.h"

namespace deft {
namespace {

struct Range {
  char32_t first;
  char32_t last;
};

// What terminals draw over two columns, in blocks: a sign that is not assigned in one of them costs nothing.
constexpr std::array<Range, 16> kWide = {{{0x1100, 0x115F},
                                          {0x231A, 0x231B},
                                          {0x2E80, 0x303E},
                                          {0x3041, 0x4DBF},
                                          {0x4E00, 0xA4CF},
                                          {0xA960, 0xA97F},
                                          {0xAC00, 0xD7A3},
                                          {0xF900, 0xFAFF},
                                          {0xFE30, 0xFE6F},
                                          {0xFF00, 0xFF60},
                                          {0xFFE0, 0xFFE6},
                                          {0x17000, 0x18CFF},
                                          {0x1B000, 0x1B2FF},
                                          {0x1F300, 0x1F64F},
                                          {0x1F680, 0x1FAFF},
                                          {0x20000, 0x3FFFD}}};
// And what they draw on the sign before: accents, joiners, variants.
constexpr std::array<Range, 12> kOnTop = {{{0x0300, 0x036F},
                                           {0x0483, 0x0489},
                                           {0x0591, 0x05BD},
                                           {0x0610, 0x061A},
                                           {0x064B, 0x065F},
                                           {0x093C, 0x093C},
                                           {0x1AB0, 0x1AFF},
                                           {0x1DC0, 0x1DFF},
                                           {0x200B, 0x200F},
                                           {0x20D0, 0x20FF},
                                           {0xFE00, 0xFE0F},
                                           {0xE0100, 0xE01EF}}};

template <std::size_t Count>
bool is_among(const std::array<Range, Count>& ranges, char32_t c) {
  const auto after = std::ranges::upper_bound(ranges, c, {}, &Range::first);
  return after != ranges.begin() && c <= std::prev(after)->last;
}

std::size_t columns_of(char32_t c) {
  if (c < 0x300) return 1;
  if (is_among(kOnTop, c)) return 0;
  return is_among(kWide, c) ? 2 : 1;
}

// Bytes of the beginning that take no more columns than this.
std::size_t bytes_within(std::string_view text, std::size_t columns_max, std::size_t& columns) {
  const auto* const begin = reinterpret_cast<const unsigned char*>(text.data());
  const unsigned char* const end = begin + text.size();
  const unsigned char* at = begin;
  columns = 0;
  while (at < end) {
    const Decoded character = decode_forward(at, end);
    const std::size_t more = character.length == 0 ? 1 : columns_of(character.point);
    if (columns + more > columns_max) break;
    columns += more;
    at += std::max<std::size_t>(1, character.length);
  }
  return static_cast<std::size_t>(at - begin);
}

}  // namespace

std::size_t count_columns(std::string_view text) {
  std::size_t columns = 0;
  bytes_within(text, std::string_view::npos, columns);
  return columns;
}

std::string cut_to_columns(std::string_view text, std::size_t columns_max) {
  std::size_t columns = 0;
  if (bytes_within(text, columns_max, columns) == text.size()) return std::string(text);
  if (columns_max == 0) return {};
  return std::string(text.substr(0, bytes_within(text, columns_max - 1, columns))) + "…";
}

}  // namespace deft
