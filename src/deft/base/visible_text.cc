#include "deft/base/visible_text.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "deft/base/utf8_decode.h"

namespace deft {
namespace {

struct Range {
  char32_t first;
  char32_t last;
};
constexpr std::array<Range, 17> kUnseen = {{
    {0x0000, 0x0008},    // control characters but tab and line end
    {0x000B, 0x001F},    //
    {0x007F, 0x009F},    //
    {0x00AD, 0x00AD},    // soft hyphen
    {0x034F, 0x034F},    //
    {0x115F, 0x1160},    // fillers
    {0x17B4, 0x17B5},    //
    {0x180E, 0x180E},    //
    {0x200B, 0x200B},    // zero width space
    {0x202A, 0x202E},    // embeddings and overrides of direction
    {0x2060, 0x206F},    // isolates of direction, invisible operators
    {0x3164, 0x3164},    // filler
    {0xFEFF, 0xFEFF},    // byte order mark
    {0xFFA0, 0xFFA0},    // filler
    {0xFFF9, 0xFFFB},    //
    {0x1D173, 0x1D17A},  //
    {0xE0000, 0xE0FFF},  // tags: ASCII once more, unseen
}};

bool is_unseen(char32_t point) {
  return std::ranges::any_of(kUnseen, [&](const Range& range) { return point >= range.first && point <= range.last; });
}

// The first bytes of all characters above, and of the line ends that are written anew.
constexpr std::array<bool, 256> kSuspicious = [] {
  std::array<bool, 256> made{};
  for (std::size_t byte = 0; byte < 0x20; ++byte) made[byte] = byte != '\t' && byte != '\n';
  for (const std::size_t byte : {0x7FU, 0xC2U, 0xCDU, 0xE1U, 0xE2U, 0xE3U, 0xEFU, 0xF0U, 0xF3U}) made[byte] = true;
  return made;
}();

bool is_suspicious(char c) { return kSuspicious[static_cast<unsigned char>(c)]; }

}  // namespace

std::string visible_text(std::string text) {
  const auto first = std::ranges::find_if(text, is_suspicious);
  if (first == text.end()) return text;
  auto kept = static_cast<std::size_t>(first - text.begin());  // what is left moves to the front
  for (std::size_t at = kept; at < text.size();) {
    if (!is_suspicious(text[at])) {
      text[kept++] = text[at++];
      continue;
    }
    if (text[at] == '\r') {
      at += std::string_view(text).substr(at).starts_with("\r\n") ? 2 : 1;
      text[kept++] = '\n';
      continue;
    }
    const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
    const Decoded character = decode_forward(bytes + at, bytes + text.size());
    const std::size_t length = std::max<std::size_t>(character.length, 1);
    const std::size_t begin = at;
    at += length;
    if (is_unseen(character.point) && character.length > 0) continue;
    for (std::size_t i = 0; i < length; ++i) text[kept++] = text[begin + i];
  }
  text.resize(kept);
  return text;
}

}  // namespace deft
