#include "deft/base/encoding.h"

#include <algorithm>
#include <array>

#include "deft/base/byte_runs.h"
#include "deft/base/legacy_encoding.h"
#include "deft/base/utf8.h"

namespace deft {

namespace {

constexpr char32_t kReplacement = 0xFFFD;
// One control character in so many bytes is still text: a log with colours, an old source with form feeds.
constexpr std::size_t kBytesPerControlMin = 10;
constexpr std::size_t kBytesPerControlInLegacyMin = 50;  // without marks or structure, be strict
constexpr std::size_t kUnmarkedUtf16BytesMin = 8;

// What Windows-1252 has at 0x80 to 0x9F; five bytes are undefined and stand for themselves.
constexpr std::array<char16_t, 32> kWindows1252 = {0x20AC, 0x0081, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021,
                                                   0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x008D, 0x017D, 0x008F,
                                                   0x0090, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
                                                   0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x009D, 0x017E, 0x0178};

std::uint8_t byte_at(std::string_view bytes, std::size_t i) { return static_cast<std::uint8_t>(bytes[i]); }

bool is_odd_control(char32_t c) {
  // Backspace to carriage return and escape occur in text.
  return (c < 0x20 && !(c >= 0x08 && c <= 0x0D) && c != 0x1B) || c == 0x7F;
}

char32_t utf16_unit(std::string_view bytes, std::size_t i, bool little) {
  const char32_t first = byte_at(bytes, i);
  const char32_t second = byte_at(bytes, i + 1);
  return little ? first | (second << 8) : (first << 8) | second;
}

DecodedCharacter decode_utf16(std::string_view bytes, bool little) {
  if (bytes.size() < 2) return {kReplacement, 1, true};
  const char32_t unit = utf16_unit(bytes, 0, little);
  if (unit < 0xD800 || unit > 0xDFFF) return {unit, 2, false};
  if (unit >= 0xDC00 || bytes.size() < 4) return {kReplacement, 2, true};
  const char32_t low = utf16_unit(bytes, 2, little);
  if (low < 0xDC00 || low > 0xDFFF) return {kReplacement, 2, true};
  return {0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00), 4, false};
}

DecodedCharacter decode_utf8(std::string_view bytes) {
  const std::size_t length = utf8_sequence_length(bytes);
  if (length == 0) return {kReplacement, 1, true};
  constexpr std::array<std::uint8_t, 5> kLeadBits = {0, 0x7F, 0x1F, 0x0F, 0x07};
  char32_t code_point = byte_at(bytes, 0) & kLeadBits[length];
  for (std::size_t i = 1; i < length; ++i) code_point = (code_point << 6) | (byte_at(bytes, i) & 0x3F);
  return {code_point, length, false};
}

struct Census {
  std::size_t characters = 0;
  std::size_t wide = 0;  // not ASCII
  std::size_t stray = 0;
  std::size_t controls = 0;
  std::size_t zeros = 0;
};

Census take_census(std::string_view bytes, Encoding encoding) {
  Census census;
  while (!bytes.empty()) {
    if (encoding == Encoding::utf8) {
      const std::size_t printable = printable_run(bytes);
      census.characters += printable;
      bytes.remove_prefix(printable);
      if (bytes.empty()) break;
    }
    const DecodedCharacter c = decode_character(bytes, encoding);
    ++census.characters;
    census.wide += !c.is_stray && c.code_point >= 0x80;
    census.stray += c.is_stray;
    census.controls += is_odd_control(c.code_point);
    census.zeros += c.code_point == 0;
    bytes.remove_prefix(c.bytes);
  }
  return census;
}

bool is_utf16_text(std::string_view bytes, Encoding encoding) {
  const Census census = take_census(bytes, encoding);
  return census.zeros == 0 && census.stray * kBytesPerControlMin <= census.characters &&
         census.controls * kBytesPerControlMin <= census.characters;
}

// Western text in UTF-16 has a zero byte in nearly every character, always on the same side.
std::optional<TextEncoding> detect_unmarked_utf16(std::string_view bytes) {
  if (bytes.size() < kUnmarkedUtf16BytesMin || bytes.size() % 2 != 0) return std::nullopt;
  std::array<std::size_t, 2> zeros = {0, 0};
  for (std::size_t i = 0; i < bytes.size(); ++i) zeros[i % 2] += bytes[i] == '\0';
  const std::size_t characters = bytes.size() / 2;
  for (const Encoding encoding : {Encoding::utf16_le, Encoding::utf16_be}) {
    const std::size_t high = encoding == Encoding::utf16_le ? 1 : 0;
    if (zeros[high] * 5 < characters * 2 || zeros[1 - high] != 0) continue;
    const Census census = take_census(bytes, encoding);
    if (census.stray == 0 && census.controls == 0) return TextEncoding{encoding, false};
  }
  return std::nullopt;
}

DecodedCharacter decode_windows_1252(std::uint8_t byte) {
  const bool in_table = byte >= 0x80 && byte < 0xA0;
  return {in_table ? kWindows1252[byte - 0x80] : char32_t{byte}, 1, false};
}

std::optional<std::string> windows_1252_byte(char32_t code_point) {
  if (code_point < 0x80 || (code_point >= 0xA0 && code_point <= 0xFF)) {
    return std::string(1, static_cast<char>(code_point));
  }
  const auto* found = std::find(kWindows1252.begin(), kWindows1252.end(), code_point);
  if (found == kWindows1252.end()) return std::nullopt;
  return std::string(1, static_cast<char>(0x80 + (found - kWindows1252.begin())));
}

void append_utf16(std::string& out, char32_t code_point, bool little) {
  const auto append_unit = [&](char32_t unit) {
    const char high = static_cast<char>(unit >> 8);
    const char low = static_cast<char>(unit & 0xFF);
    out += little ? low : high;
    out += little ? high : low;
  };
  if (code_point < 0x10000) return append_unit(code_point);
  append_unit(0xD800 + ((code_point - 0x10000) >> 10));
  append_unit(0xDC00 + ((code_point - 0x10000) & 0x3FF));
}

}  // namespace

std::string_view to_string(Encoding encoding) {
  switch (encoding) {
    case Encoding::utf8: return "UTF-8";
    case Encoding::utf16_le: return "UTF-16LE";
    case Encoding::utf16_be: return "UTF-16BE";
    case Encoding::windows_1252: return "Windows-1252";
    default: return legacy_name(encoding);
  }
}

std::string_view byte_order_mark(const TextEncoding& encoding) {
  if (!encoding.has_mark) return {};
  switch (encoding.encoding) {
    case Encoding::utf8: return "\xEF\xBB\xBF";
    case Encoding::utf16_le: return "\xFF\xFE";
    case Encoding::utf16_be: return "\xFE\xFF";
    default: return {};
  }
}

std::optional<TextEncoding> detect_encoding(std::string_view bytes) {
  using namespace std::string_view_literals;
  if (bytes.starts_with("\xFF\xFE\0\0"sv) || bytes.starts_with("\0\0\xFE\xFF"sv)) return std::nullopt;  // UTF-32
  for (const Encoding encoding : {Encoding::utf16_le, Encoding::utf16_be}) {
    const TextEncoding marked{encoding, true};
    if (bytes.starts_with(byte_order_mark(marked)) && is_utf16_text(bytes.substr(2), encoding)) return marked;
  }
  if (bytes.find('\0') != std::string_view::npos) return detect_unmarked_utf16(bytes);

  const TextEncoding utf8{Encoding::utf8, bytes.starts_with("\xEF\xBB\xBF")};
  const Census census = take_census(bytes, Encoding::utf8);
  if (census.controls * kBytesPerControlMin > bytes.size()) return std::nullopt;
  // A few broken bytes among many good characters are damage, or a quotation; mostly broken ones are older.
  if (census.stray == 0 || census.wide > census.stray) return utf8;
  if (census.controls * kBytesPerControlInLegacyMin > bytes.size()) return std::nullopt;
  return TextEncoding{guess_legacy_encoding(bytes).value_or(Encoding::windows_1252), false};
}

DecodedCharacter decode_character(std::string_view bytes, Encoding encoding) {
  switch (encoding) {
    case Encoding::utf8: return decode_utf8(bytes);
    case Encoding::utf16_le: return decode_utf16(bytes, true);
    case Encoding::utf16_be: return decode_utf16(bytes, false);
    case Encoding::windows_1252: return decode_windows_1252(byte_at(bytes, 0));
    default: break;
  }
  const CharacterTable* table = legacy_table(encoding);
  const auto found = table ? table->decode(bytes) : std::nullopt;
  if (!found) return {kReplacement, 1, true};
  return {found->code_point, found->bytes, false};
}

Result<std::string> encode_text(std::string_view utf8, Encoding encoding) {
  if (encoding == Encoding::utf8) return std::string(utf8);
  const CharacterTable* table = legacy_table(encoding);
  std::string out;
  while (!utf8.empty()) {
    const DecodedCharacter c = decode_utf8(utf8);
    if (encoding == Encoding::utf16_le || encoding == Encoding::utf16_be) {
      append_utf16(out, c.code_point, encoding == Encoding::utf16_le);
    } else {
      const auto bytes = table ? table->encode(c.code_point) : windows_1252_byte(c.code_point);
      if (!bytes) {
        return fail(Errc::invalid_input, "the character “" + std::string(utf8.substr(0, c.bytes)) +
                                             "” does not exist in " + std::string(to_string(encoding)));
      }
      out += *bytes;
    }
    utf8.remove_prefix(c.bytes);
  }
  return out;
}

}  // namespace deft
