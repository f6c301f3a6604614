#include "deft/shell/hidden_characters.h"

#include <cstdio>

#include "deft/base/utf8.h"

namespace deft::shell {
namespace {

struct Range {
  char32_t first;
  char32_t last;
};
constexpr Range kHidden[] = {
    {0x0000, 0x0008},   {0x000B, 0x001F},    {0x007F, 0x00A0}, {0x00AD, 0x00AD}, {0x034F, 0x034F}, {0x061C, 0x061C},
    {0x115F, 0x1160},   {0x1680, 0x1680},    {0x17B4, 0x17B5}, {0x180B, 0x180F}, {0x2000, 0x200F}, {0x2028, 0x202F},
    {0x205F, 0x206F},   {0x2800, 0x2800},    {0x3000, 0x3000}, {0x3164, 0x3164}, {0xD800, 0xF8FF}, {0xFDD0, 0xFDEF},
    {0xFE00, 0xFE0F},   {0xFEFF, 0xFEFF},    {0xFFA0, 0xFFA0}, {0xFFF0, 0xFFFB}, {0xFFFE, 0xFFFF}, {0x1D173, 0x1D17A},
    {0x1BCA0, 0x1BCA3}, {0xE0000, 0x10FFFF},
};

constexpr char32_t kColourSelector = 0xFE0F;

bool is_symbol(char32_t c) { return (c >= 0x203C && c <= 0x3299) || (c >= 0x1F000 && c <= 0x1FAFF); }

char32_t decode(std::string_view sequence) {
  const auto byte = [&](std::size_t i) { return static_cast<char32_t>(static_cast<unsigned char>(sequence[i])); };
  switch (sequence.size()) {
    case 1: return byte(0);
    case 2: return (byte(0) & 0x1F) << 6 | (byte(1) & 0x3F);
    case 3: return (byte(0) & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F);
    default: return (byte(0) & 0x07) << 18 | (byte(1) & 0x3F) << 12 | (byte(2) & 0x3F) << 6 | (byte(3) & 0x3F);
  }
}

}  // namespace

std::optional<std::string> find_hidden_character(std::string_view text) {
  char32_t previous = 0;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = utf8_sequence_length(text.substr(i));
    if (length == 0) return "invalid UTF-8";
    const char32_t c = decode(text.substr(i, length));
    i += length;
    const bool colours = c == kColourSelector && is_symbol(previous);
    for (const Range& range : kHidden) {
      if (colours || c < range.first || c > range.last) continue;
      char name[16];
      std::snprintf(name, sizeof name, "U+%04X", static_cast<unsigned>(c));
      return name;
    }
    previous = c;
  }
  return std::nullopt;
}

}  // namespace deft::shell
