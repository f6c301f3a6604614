#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "deft/base/result.h"

// How text is written down in bytes, as far as we read and write it ourselves. Windows-1252 stands for all of
// Latin-1: it is the same but for 27 printable characters in place of control codes, and each byte means something.

namespace deft {

enum class Encoding : std::uint8_t { utf8, utf16_le, utf16_be, windows_1252 };
std::string_view to_string(Encoding encoding);

struct TextEncoding {
  Encoding encoding = Encoding::utf8;
  bool has_mark = false;  // begins with a byte order mark
  bool operator==(const TextEncoding&) const = default;
};
std::string_view byte_order_mark(const TextEncoding& encoding);  // empty without one

// Judged by marks, zero bytes and what decodes. Nothing: these bytes are not text.
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
