#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace deft {

// Length (1 to 4) of the well-formed UTF-8 sequence at the start of `text`; 0 if there is none.
std::size_t utf8_sequence_length(std::string_view text);

bool is_utf8(std::string_view text);
// Each byte that belongs to no well-formed sequence becomes U+FFFD.
std::string to_valid_utf8(std::string_view text);
// Unicode code points, what SPEC calls characters. A stray byte counts as one.
std::size_t count_characters(std::string_view text);
// The longest prefix of at most `bytes_max` bytes that ends between characters.
std::string_view utf8_prefix(std::string_view text, std::size_t bytes_max);
// The longest prefix of at most `characters_max` characters.
std::string_view first_characters(std::string_view text, std::size_t characters_max);
// Appends one code point; surrogates and values over 0x10FFFF become U+FFFD.
void append_utf8(std::string& out, char32_t code_point);

}  // namespace deft
