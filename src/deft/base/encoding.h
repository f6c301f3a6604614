#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "deft/base/result.h"

// How text is written down in bytes, as far as we read and write it. Windows-1252 stands for all of Latin-1: it is the
// same but for 27 printable characters in place of control codes. Each byte means something in it, so it also stands
// for whatever cannot be told: such a text may look odd, but every byte of it is kept. Those after it are in
// legacy_encoding.h.

namespace deft {

enum class Encoding : std::uint8_t {
  utf8,
  utf16_le,
  utf16_be,
  windows_1252,
  shift_jis,
  euc_jp,
  gb18030,
  big5,
  euc_kr,
  windows_1251,
  koi8_r,
  iso_8859_5,
  ibm866,
  mac_cyrillic,
  iso_8859_2,
  windows_1250,
  iso_8859_7,
  windows_1253,
  windows_1254,
  windows_1255,
  windows_1256,
  tis_620,
};
std::string_view to_string(Encoding encoding);

struct TextEncoding {
  Encoding encoding = Encoding::utf8;
  bool has_mark = false;  // begins with a byte order mark
  bool operator==(const TextEncoding&) const = default;
};
std::string_view byte_order_mark(const TextEncoding& encoding);  // empty without one

// Judged by marks, zero bytes and what decodes, then by what is likely. The same bytes always give the same answer, and
// except for stray bytes of UTF-8 and UTF-16 they are what the decoded text encodes to. Nothing: these bytes are not
// text.
std::optional<TextEncoding> detect_encoding(std::string_view bytes);

// The character at the start of `bytes`, which are not empty, and how many bytes it takes. What is no character of
// the encoding is U+FFFD and takes one byte (in UTF-16 two).
struct DecodedCharacter {
  char32_t code_point = 0;
  std::size_t bytes = 0;
  bool is_stray = false;
};
DecodedCharacter decode_character(std::string_view bytes, Encoding encoding);

// Valid UTF-8 to the encoding, without a mark. An error names the character that the encoding does not have.
Result<std::string> encode_text(std::string_view utf8, Encoding encoding);

}  // namespace deft
