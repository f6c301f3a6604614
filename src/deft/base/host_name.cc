#include "deft/base/host_name.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

#include "deft/base/unicode_tables.h"
#include "deft/base/utf8_decode.h"

namespace deft {
namespace {

constexpr std::size_t kLabelBytesMax = 63;
constexpr std::size_t kHostBytesMax = 253;
constexpr char32_t kIdeographicStop = 0x3002;  // what keyboards there write for a dot

// Letters that are another spelling of other letters, and marks that make one of two.
constexpr std::array<CodePointRange, 21> kOtherSpellings = {{
    {0x00AA, 0x00AA},    //
    {0x00BA, 0x00BA},    //
    {0x0130, 0x0130},    // in lower case two characters
    {0x0132, 0x0133},    // ij
    {0x013F, 0x0140},    //
    {0x0149, 0x0149},    //
    {0x017F, 0x017F},    // long s
    {0x01C4, 0x01CC},    //
    {0x01F1, 0x01F3},    //
    {0x02B0, 0x036F},    // raised letters, separate accents
    {0x1100, 0x11FF},    // parts of Korean syllables
    {0x1D00, 0x1DFF},    // phonetic and raised letters, more accents
    {0x1F00, 0x1FFF},    // Greek with accents of old: written in several ways
    {0x2000, 0x24FF},    // signs made of letters
    {0x2E80, 0x2FFF},    // parts of Chinese characters
    {0x3100, 0x33FF},    // what is made of letters in circles and squares
    {0xA700, 0xA7FF},    //
    {0xF900, 0xFDFF},    // compatibility characters, ligatures
    {0xFE00, 0xFFFF},    // presentation forms, wide and narrow letters
    {0x1D400, 0x1D7FF},  // letters of formulas
    {0x1F000, 0x2FFFF},  // letters in squares, rare characters with twins
}};

bool is_among(char32_t point, auto ranges) {
  return std::ranges::any_of(ranges,
                             [&](const CodePointRange& range) { return point >= range.low && point <= range.high; });
}

bool is_plain_letter(char32_t point) {
  return is_among(point, unicode_word()) && !is_among(point, std::span<const CodePointRange>(kOtherSpellings));
}

// Of the alphabets that have capitals and are used in names.
char32_t in_lower_case(char32_t point) {
  const auto in = [&](char32_t low, char32_t high) { return point >= low && point <= high; };
  if (in('A', 'Z') || (in(0xC0, 0xDE) && point != 0xD7) || in(0x391, 0x3AB) || in(0x410, 0x42F)) return point + 32;
  if (in(0x400, 0x40F)) return point + 80;
  if (in(0x531, 0x556)) return point + 48;
  if (point == 0x178) return 0xFF;
  if (point == 0x386) return 0x3AC;
  if (in(0x388, 0x38A)) return point + 37;
  if (point == 0x38C) return 0x3CC;
  if (in(0x38E, 0x38F)) return point + 63;
  if (point == 0x4C0) return 0x4CF;
  const bool even_is_capital = in(0x100, 0x137) || in(0x14A, 0x177) || in(0x218, 0x21F) || in(0x460, 0x481) ||
                               in(0x48A, 0x4BF) || in(0x4D0, 0x52F) || in(0x1E00, 0x1E95) || in(0x1EA0, 0x1EFF);
  const bool odd_is_capital = in(0x139, 0x148) || in(0x179, 0x17E) || in(0x4C1, 0x4CE);
  if (even_is_capital) return point | 1U;
  return odd_is_capital && point % 2 == 1 ? point + 1 : point;
}

char digit_of(std::uint32_t value) { return static_cast<char>(value < 26 ? 'a' + value : '0' + (value - 26)); }

// RFC 3492, with its numbers.
std::optional<std::string> to_punycode(const std::u32string& label) {
  constexpr std::uint32_t kBase = 36, kLeast = 1, kMost = 26, kSkew = 38, kDamp = 700;
  std::string out;
  for (const char32_t point : label) {
    if (point < 0x80) out += static_cast<char>(point);
  }
  const auto basic = static_cast<std::uint32_t>(out.size());
  if (basic > 0) out += '-';
  std::uint32_t next = 0x80, delta = 0, bias = 72, handled = basic;
  while (handled < label.size()) {
    char32_t least = std::numeric_limits<char32_t>::max();
    for (const char32_t point : label) {
      if (point >= next && point < least) least = point;
    }
    delta += (static_cast<std::uint32_t>(least) - next) * (handled + 1);
    next = static_cast<std::uint32_t>(least);
    for (const char32_t point : label) {
      if (point < next) ++delta;
      if (point != next) continue;
      std::uint32_t rest = delta;
      for (std::uint32_t k = kBase;; k += kBase) {
        const std::uint32_t threshold = k <= bias ? kLeast : std::min(k - bias, kMost);
        if (rest < threshold) break;
        out += digit_of(threshold + (rest - threshold) % (kBase - threshold));
        rest = (rest - threshold) / (kBase - threshold);
      }
      out += digit_of(rest);
      delta = handled == basic ? delta / kDamp : delta / 2;
      delta += delta / (handled + 1);
      bias = 0;
      for (; delta > (kBase - kLeast) * kMost / 2; bias += kBase) delta /= kBase - kLeast;
      bias += (kBase - kLeast + 1) * delta / (delta + kSkew);
      delta = 0;
      ++handled;
    }
    ++delta;
    ++next;
  }
  return out;
}

std::optional<std::string> ascii_label(const std::u32string& label) {
  std::string plain;
  bool is_ascii = true;
  for (const char32_t point : label) {
    is_ascii = is_ascii && point < 0x80;
    if (point >= 0x80 && !is_plain_letter(point)) return std::nullopt;
    plain += point < 0x80 ? static_cast<char>(point) : '?';
  }
  if (is_ascii) return plain;
  if (label.size() > kLabelBytesMax || label.front() == '-' || label.back() == '-') return std::nullopt;
  const auto coded = to_punycode(label);
  if (!coded || coded->size() + 4 > kLabelBytesMax) return std::nullopt;
  return "xn--" + *coded;
}

}  // namespace

std::optional<std::string> ascii_host(std::string_view host) {
  if (std::ranges::all_of(host, [](char c) { return static_cast<unsigned char>(c) < 0x80; })) {
    std::string lower(host);
    for (char& c : lower) c = static_cast<char>(in_lower_case(static_cast<unsigned char>(c)));
    return lower;
  }
  if (host.size() > 4 * kHostBytesMax) return std::nullopt;
  std::string out;
  std::u32string label;
  const auto* at = reinterpret_cast<const unsigned char*>(host.data());
  const auto* end = at + host.size();
  while (at < end) {
    const Decoded character = decode_forward(at, end);
    if (character.length == 0) return std::nullopt;
    at += character.length;
    if (character.point != '.' && character.point != kIdeographicStop) {
      label += in_lower_case(character.point);
      continue;
    }
    const auto coded = ascii_label(label);
    if (!coded) return std::nullopt;
    out += *coded + ".";
    label.clear();
  }
  const auto coded = ascii_label(label);
  if (!coded || out.size() + coded->size() > kHostBytesMax) return std::nullopt;
  return out + *coded;
}

}  // namespace deft
