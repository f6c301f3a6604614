#include "deft/base/utf8.h"

#include <algorithm>
#include <cstdint>

#include "deft/base/byte_runs.h"

namespace deft {
std::size_t utf8_sequence_length(std::string_view text) {
  if (text.empty()) return 0;
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const auto continues = [&](std::size_t i, std::uint8_t low = 0x80, std::uint8_t high = 0xBF) {
    return i < text.size() && byte(i) >= low && byte(i) <= high;
  };
  const std::uint8_t lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return continues(1) ? 2 : 0;
  if (lead >= 0xE0 && lead <= 0xEF) {
    const std::uint8_t low = lead == 0xE0 ? 0xA0 : 0x80;   // no overlong forms
    const std::uint8_t high = lead == 0xED ? 0x9F : 0xBF;  // no surrogates
    return continues(1, low, high) && continues(2) ? 3 : 0;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    const std::uint8_t low = lead == 0xF0 ? 0x90 : 0x80;
    const std::uint8_t high = lead == 0xF4 ? 0x8F : 0xBF;
    return continues(1, low, high) && continues(2) && continues(3) ? 4 : 0;
  }
  return 0;
}

bool is_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    i += ascii_run(text.substr(i));
    if (i == text.size()) break;
    const std::size_t length = utf8_sequence_length(text.substr(i));
    if (length == 0) return false;
    i += length;
  }
  return true;
}

std::string to_valid_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t ascii = ascii_run(text.substr(i));
    out.append(text, i, ascii);
    i += ascii;
    if (i == text.size()) break;
    const std::size_t length = utf8_sequence_length(text.substr(i));
    if (length == 0) {
      out += "\xEF\xBF\xBD";
      ++i;
    } else {
      out.append(text, i, length);
      i += length;
    }
  }
  return out;
}

std::size_t count_characters(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < text.size(); ++count) {
    const std::size_t ascii = ascii_run(text.substr(i));
    i += ascii;
    count += ascii;
    if (i == text.size()) break;
    const std::size_t length = utf8_sequence_length(text.substr(i));
    i += length == 0 ? 1 : length;
  }
  return count;
}

std::string_view utf8_prefix(std::string_view text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return text;
  std::size_t end = bytes_max;
  // Step back over at most three continuation bytes to the start of the character that would be cut.
  for (std::size_t back = 0; back < 4 && end > 0; ++back, --end) {
    if ((static_cast<std::uint8_t>(text[end]) & 0xC0) != 0x80) break;
  }
  return text.substr(0, end);
}

std::string_view first_characters(std::string_view text, std::size_t characters_max) {
  std::size_t i = 0;
  for (std::size_t count = 0; i < text.size() && count < characters_max; ++count) {
    const std::size_t ascii = ascii_run(text.substr(i, characters_max - count));
    i += ascii;
    count += ascii;
    if (i == text.size() || count == characters_max) break;
    const std::size_t length = utf8_sequence_length(text.substr(i));
    i += length == 0 ? 1 : length;
  }
  return text.substr(0, i);
}

void append_utf8(std::string& out, char32_t code_point) {
  if (code_point > 0x10FFFF || (code_point >= 0xD800 && code_point <= 0xDFFF)) code_point = 0xFFFD;
  const auto put = [&](char32_t byte) { out += static_cast<char>(static_cast<unsigned char>(byte)); };
  if (code_point < 0x80) {
    put(code_point);
  } else if (code_point < 0x800) {
    put(0xC0 | (code_point >> 6));
    put(0x80 | (code_point & 0x3F));
  } else if (code_point < 0x10000) {
    put(0xE0 | (code_point >> 12));
    put(0x80 | ((code_point >> 6) & 0x3F));
    put(0x80 | (code_point & 0x3F));
  } else {
    put(0xF0 | (code_point >> 18));
    put(0x80 | ((code_point >> 12) & 0x3F));
    put(0x80 | ((code_point >> 6) & 0x3F));
    put(0x80 | (code_point & 0x3F));
  }
}

}  // namespace deft
