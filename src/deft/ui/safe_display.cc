#include "deft/ui/safe_display.h"

#include <array>
#include <cstdio>

#include "deft/base/utf8_decode.h"
#include "deft/shell/hidden_characters.h"

namespace deft {
namespace {

struct Range {
  char32_t first;
  char32_t last;
};
// Letters that turn the order of what stands around them.
constexpr std::array<Range, 5> kRightToLeft = {
    {{0x0590, 0x08FF}, {0xFB1D, 0xFDFF}, {0xFE70, 0xFEFF}, {0x10800, 0x10FFF}, {0x1E800, 0x1EFFF}}};

bool runs_from_right(char32_t point) {
  for (const Range& range : kRightToLeft) {
    if (point >= range.first && point <= range.last) return true;
  }
  return false;
}

template <class Value>
std::string escape(const char* format, Value value) {
  char text[16];
  std::snprintf(text, sizeof text, format, static_cast<unsigned>(value));
  return text;
}

// One character of the text as it is shown; `length` is what it takes of the text.
std::string shown(std::string_view text, LineEnds line_ends, std::size_t& length) {
  const auto* begin = reinterpret_cast<const unsigned char*>(text.data());
  const Decoded decoded = decode_forward(begin, begin + text.size());
  length = decoded.length == 0 ? 1 : decoded.length;
  if (decoded.length == 0) return escape("\\x%02x", *begin);
  if (text[0] == '\n' && line_ends == LineEnds::kept) return "\n";
  const char32_t point = decoded.point;
  if (point < 0x20 || point == 0x7F) return escape("\\x%02x", point);
  if (point < 0x7F) return std::string(1, text[0]);
  const std::string_view character = text.substr(0, length);
  if (!runs_from_right(point) && !shell::find_hidden_character(character)) return std::string(character);
  return point <= 0xFFFF ? escape("\\u%04x", point) : escape("\\U%08x", point);
}

bool may_follow_escape(std::string_view next) { return next.find_first_of("\\xuU") == 0; }

}  // namespace

std::string safe_display(std::string_view text, LineEnds line_ends) {
  std::string out;
  out.reserve(text.size());
  bool after_backslash = false;
  while (!text.empty()) {
    std::size_t length = 0;
    const bool is_backslash = text[0] == '\\';
    const std::string next = shown(text, line_ends, length);
    if (after_backslash && may_follow_escape(next)) out += '\\';
    out += next;
    after_backslash = is_backslash;
    text.remove_prefix(length);
  }
  return out;
}

std::string quoted_display(std::string_view text) {
  const std::string_view whole = text;
  text = text.substr(0, kShownInputBytesMax);
  std::string out = "  | ";
  for (const char c : safe_display(text, LineEnds::kept)) {
    out += c;
    if (c == '\n') out += "  | ";
  }
  out += '\n';
  if (whole.size() > text.size()) {
    out += "  (" + std::to_string(whole.size() - text.size()) + " bytes more, which are not shown)\n";
  }
  return out;
}

}  // namespace deft
