#include "deft/base/text.h"

#include <algorithm>

#include <array>
#include <cstdio>

#include "deft/base/utf8.h"

namespace deft {

std::string one_line(std::string_view text, std::size_t characters_max) {
  std::string out;
  std::size_t characters = 0;
  bool space_due = false;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = utf8_sequence_length(text.substr(i));
    const std::string_view character = length == 0 ? std::string_view("\xEF\xBF\xBD") : text.substr(i, length);
    i += length == 0 ? 1 : length;
    const auto first = static_cast<unsigned char>(character[0]);
    if (first <= 0x20) {
      space_due = !out.empty();
      continue;
    }
    const bool is_c1_control = first == 0xC2 && static_cast<unsigned char>(character[1]) < 0xA0;
    if (first == 0x7F || is_c1_control) continue;
    if (characters + (space_due ? 2U : 1U) > characters_max) return out + "…";
    if (space_due) out += ' ';
    characters += space_due ? 2 : 1;
    space_due = false;
    out += character;
  }
  return out;
}

std::string human_bytes(std::size_t bytes) {
  if (bytes < 1024) return std::to_string(bytes) + " B";
  static constexpr std::array<const char*, 4> kUnits = {"KB", "MB", "GB", "TB"};
  double size = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  for (; size >= 1024 && unit + 1 < kUnits.size(); ++unit) size /= 1024;
  std::array<char, 32> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%.1f %s", size, kUnits[unit]);
  return buffer.data();
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string out;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) out += separator;
    out += parts[i];
  }
  return out;
}

bool is_among_words(std::string_view word, std::string_view words) {
  for (std::size_t start = 0; start < words.size();) {
    const std::size_t end = std::min(words.find(' ', start), words.size());
    if (words.substr(start, end - start) == word) return true;
    start = end + 1;
  }
  return false;
}

}  // namespace deft
