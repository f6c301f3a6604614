#include "deft/base/html_entities.h"

#include <array>
#include <charconv>
#include <unordered_map>

#include "deft/base/utf8.h"

namespace deft {
namespace {

constexpr std::size_t kNameCharactersMax = 32;  // the longest has 31

struct Named {
  std::string text;
  bool without_semicolon = false;
};
using Names = std::unordered_map<std::string_view, Named>;

const Names& names() {
  static const Names all = [] {
    Names made;
    std::string_view rest = html_entity_table();
    while (!rest.empty()) {
      const std::string_view entry = rest.substr(0, rest.find(' '));
      rest.remove_prefix(entry.size() + 1);
      const std::size_t end = entry.find_first_of(":!");
      Named named{.without_semicolon = entry[end] == '!'};
      std::string_view codes = entry.substr(end + 1);
      while (!codes.empty()) {
        std::uint32_t code = 0;
        const auto parsed = std::from_chars(codes.data(), codes.data() + codes.size(), code, 16);
        append_utf8(named.text, static_cast<char32_t>(code));
        codes.remove_prefix(static_cast<std::size_t>(parsed.ptr - codes.data()));
        if (!codes.empty()) codes.remove_prefix(1);
      }
      made.emplace(entry.substr(0, end), std::move(named));
    }
    return made;
  }();
  return all;
}

bool is_letter_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

// What the numbers of control codes were meant to be, by those who wrote Windows-1252.
char32_t meant(std::uint32_t code) {
  static constexpr std::array<char16_t, 32> kWindows = {0x20AC, 0x81,   0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021,
                                                        0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x8D,   0x017D, 0x8F,
                                                        0x90,   0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
                                                        0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x9D,   0x017E, 0x0178};
  if (code >= 0x80 && code < 0xA0) return kWindows[code - 0x80];
  if (code == 0 || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) return 0xFFFD;
  return code;
}

// How many bytes the reference at the start of `text` ("&…") takes; 0: it is none, and the & is one.
std::size_t read_number(std::string_view text, std::string& out) {
  std::size_t at = 2;
  const bool hex = at < text.size() && (text[at] == 'x' || text[at] == 'X');
  if (hex) ++at;
  std::uint32_t code = 0;
  const std::size_t first = at;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    const bool digit = c >= '0' && c <= '9';
    const bool letter = hex && ((c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'));
    if (!digit && !letter) break;
    const std::uint32_t value = static_cast<std::uint32_t>(digit ? c - '0' : (c | 0x20) - 'a' + 10);
    if (code <= 0x10FFFF) code = code * (hex ? 16 : 10) + value;
  }
  if (at == first) return 0;
  append_utf8(out, meant(code));
  return at < text.size() && text[at] == ';' ? at + 1 : at;
}

std::size_t read_name(std::string_view text, bool in_attribute, std::string& out) {
  std::size_t end = 1;
  while (end < text.size() && end <= kNameCharactersMax && is_letter_or_digit(text[end])) ++end;
  if (end == 1) return 0;
  if (end < text.size() && text[end] == ';') {
    if (const auto found = names().find(text.substr(1, end - 1)); found != names().end()) {
      out += found->second.text;
      return end + 1;
    }
  }
  // The longest beginning that counts without its semicolon.
  for (std::size_t length = std::min<std::size_t>(end - 1, 6); length >= 2; --length) {
    const auto found = names().find(text.substr(1, length));
    if (found == names().end() || !found->second.without_semicolon) continue;
    const char next = length + 1 < text.size() ? text[length + 1] : ' ';
    if (in_attribute && (next == '=' || is_letter_or_digit(next))) return 0;
    out += found->second.text;
    return length + 1;
  }
  return 0;
}

}  // namespace

std::string decode_html(std::string_view text, bool in_attribute) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t plain = std::min(text.find('&'), text.size());
    out += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    const bool numeric = text.size() > 2 && text[1] == '#';
    const std::size_t taken = numeric ? read_number(text, out) : read_name(text, in_attribute, out);
    if (taken == 0) out += '&';
    text.remove_prefix(taken == 0 ? 1 : taken);
  }
  return out;
}

}  // namespace deft
