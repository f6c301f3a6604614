#include "deft/base/git_config.h"

#include <algorithm>

namespace deft {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool same_word(std::string_view a, std::string_view b) { return std::ranges::equal(a, b, {}, lower, lower); }

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

// Up to the end of the line or a comment; quotes protect blanks and comment signs.
std::string parse_value(std::string_view text) {
  std::string value;
  std::size_t kept = 0;  // blanks at the end do not count unless they are quoted
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (!quoted && (c == '#' || c == ';')) break;
    if (c == '"') {
      quoted = !quoted;
      kept = value.size();
      continue;
    }
    if (c == '\\' && i + 1 < text.size()) {
      c = text[++i];
      c = c == 'n' ? '\n' : c == 't' ? '\t' : c == 'b' ? '\b' : c;
    }
    value += c;
    if (quoted || (c != ' ' && c != '\t')) kept = value.size();
  }
  value.resize(kept);
  return value;
}

}  // namespace

std::optional<std::string> git_config_value(std::string_view text, std::string_view section, std::string_view key) {
  std::optional<std::string> found;
  bool inside = false;
  while (!text.empty()) {
    const std::size_t newline = std::min(text.find('\n'), text.size());
    std::string_view line = trimmed(text.substr(0, newline));
    text.remove_prefix(std::min(newline + 1, text.size()));
    if (line.starts_with('[')) {
      const std::size_t close = line.find(']');
      if (close == std::string_view::npos) continue;
      inside = same_word(trimmed(line.substr(1, close - 1)), section);
      line = trimmed(line.substr(close + 1));
    }
    const std::size_t equals = line.find('=');
    if (!inside || equals == std::string_view::npos || !same_word(trimmed(line.substr(0, equals)), key)) continue;
    found = parse_value(trimmed(line.substr(equals + 1)));
  }
  return found;
}

}  // namespace deft
