#include <charconv>
#include <utility>

#include "deft/base/utf8.h"
#include "deft/shell/parser.h"

// Words and their quotes.

namespace deft::shell {
namespace {

// A "[" is a pattern only if a "]" follows in the same word; `[ -f x ]` is a command.
void settle_brackets(std::vector<Part>& parts) {
  bool closes = false;
  for (std::size_t i = parts.size(); i-- > 0;) {
    Part& part = parts[i];
    if (part.kind == PartKind::glob && part.text == "[" && !closes) part.kind = PartKind::literal;
    const bool is_text = part.kind == PartKind::literal || part.kind == PartKind::glob;
    if (!is_text || part.text.find(']') != std::string::npos) closes = true;
  }
}

enum class TildePlace { none, certain, doubtful };

inline constexpr std::size_t kTildePartsMax = 64;  // in a word of more parts each "~" is doubtful, or time would grow

// Where "~" stands for a home folder: at the begin of a word, and in what looks like an assignment after "=" and ":".
TildePlace tilde_place(const std::vector<Part>& parts, bool is_assigned, bool in_braces) {
  if (in_braces) return TildePlace::doubtful;
  if (parts.empty()) return TildePlace::certain;
  if (parts.size() > kTildePartsMax) return TildePlace::doubtful;
  std::string before;
  for (const Part& part : parts) {
    if (part.kind == PartKind::braces) return TildePlace::doubtful;  // {,x}~ has a word that begins with it
    if (part.kind != PartKind::literal)
      return is_assigned && part.text.ends_with(':') ? TildePlace::doubtful : TildePlace::none;
    before += part.text;
  }
  if (is_assigned) return before.ends_with(':') ? TildePlace::certain : TildePlace::none;
  const std::size_t equals = before.find('=');
  if (equals == std::string::npos) return TildePlace::none;
  const bool is_plain = equals + 1 == before.size() && is_name(std::string_view(before).substr(0, equals));
  if (is_plain) return TildePlace::certain;
  return before.ends_with('=') || before.ends_with(':') ? TildePlace::doubtful : TildePlace::none;
}

}  // namespace

bool Parser::word(Word& out, WordStyle style) {
  const std::size_t start = position_;
  if (peek() == '#' && !style.is_assigned) return fail("a comment where a word is expected");
  if (!word_parts(out.parts, style)) return false;
  if (position_ == start) return fail("expected a word");
  out.source = since(start);
  if (!pending_.empty() && out.source.find('\n') != std::string::npos) {
    return fail("a line end in quotes before a here-document");
  }
  return true;
}

bool Parser::word_parts(std::vector<Part>& out, WordStyle style) {
  Nested nested(*this);
  if (!enter(nested)) return false;
  int parentheses = 0;
  bool ended = false;
  while (!at_end() && !ended) {
    if (!word_part(out, style, parentheses, ended)) return false;
  }
  if (parentheses != 0) return fail("an open parenthesis in a regular expression");
  settle_brackets(out);
  return true;
}

bool Parser::word_part(std::vector<Part>& out, const WordStyle& style, int& parentheses, bool& ended) {
  const char c = peek();
  switch (c) {
    case '\'': return single_quoted(out);
    case '"': return double_quoted(out);
    case '\\': return backslash(out, ended);
    case '$': return dollar(out, /*quoted=*/false);
    case '`': return backticks(out, /*quoted=*/false);
    case '<':
    case '>':
      if (peek(1) == '(') return process_substitution(out);
      ended = true;
      return true;
    case '(':
    case ')':
    case '|':
      if (!style.is_regex || (c == ')' && parentheses == 0)) {
        ended = true;
        return true;
      }
      parentheses += c == '(' ? 1 : c == ')' ? -1 : 0;
      out.push_back(text_part(PartKind::literal, std::string(1, c)));
      ++position_;
      return true;
    case '*':
    case '?':
    case '[':
      out.push_back(text_part(PartKind::glob, std::string(1, c)));
      ++position_;
      return true;
    case '~': {
      if (!out.empty() && (is_name_char(text_[position_ - 1]) || text_[position_ - 1] == '~')) break;
      const TildePlace place = tilde_place(out, style.is_assigned, style.in_braces);
      if (place == TildePlace::none) break;
      return tilde(out, style.is_assigned, place == TildePlace::doubtful);
    }
    case '{':
      if (style.braces) return braces(out, style);
      break;
    case ',':
    case '}':
      if (style.in_braces) {
        ended = true;
        return true;
      }
      break;
    default:
      if (!is_metacharacter(c)) break;
      if (parentheses != 0) return fail("a blank or operator in a regular expression");
      ended = true;
      return true;
  }
  // A run of ordinary characters, the first of which may be one of the special ones that did not count here.
  const std::size_t start = position_++;
  constexpr std::string_view kSpecial = " \t\n;&|()<>'\"\\$`*?[~{,}=:";
  while (!at_end() && kSpecial.find(peek()) == std::string_view::npos) ++position_;
  while (peek() == '=' || peek() == ':') ++position_;
  out.push_back(text_part(PartKind::literal, since(start)));
  return true;
}

bool Parser::backslash(std::vector<Part>& out, bool& ended) {
  if (at_continuation()) {
    const char next = peek(2);
    if (next != '\0' && !is_metacharacter(next)) return fail("a line continued inside a word");
    if (next == '<' || next == '>') return fail("a line continued before a redirection");  // 2\<newline>>x
    ended = true;
    return true;
  }
  if (position_ + 1 >= text_.size()) return fail("a backslash at the end");
  // Take a whole character, so that no part holds half of one.
  const std::size_t length = utf8_sequence_length(text_.substr(position_ + 1));
  out.push_back(text_part(PartKind::quoted, std::string(text_.substr(position_ + 1, length))));
  position_ += 1 + length;
  return true;
}

bool Parser::single_quoted(std::vector<Part>& out) {
  const std::size_t end = text_.find('\'', position_ + 1);
  if (end == std::string_view::npos) return fail("a single quote that is not closed");
  out.push_back(text_part(PartKind::quoted, std::string(text_.substr(position_ + 1, end - position_ - 1))));
  position_ = end + 1;
  return true;
}

bool Parser::double_quoted(std::vector<Part>& out) {
  Nested nested(*this);
  if (!enter(nested)) return false;
  ++position_;
  Part part;
  part.kind = PartKind::double_quoted;
  if (!double_quoted_parts(part.parts, /*in_document=*/false)) return false;
  if (peek() != '"') return fail("a double quote that is not closed");
  ++position_;
  out.push_back(std::move(part));
  return true;
}

bool Parser::double_quoted_parts(std::vector<Part>& out, bool in_document) {
  std::string run;
  const auto flush = [&] {
    if (!run.empty()) out.push_back(text_part(PartKind::quoted, std::exchange(run, {})));
  };
  while (!at_end()) {
    const char c = peek();
    if (c == '"' && !in_document) break;
    if (c == '\\') {
      const char next = peek(1);
      const bool escapes = next == '$' || next == '`' || next == '\\' || (next == '"' && !in_document);
      if (next == '\n') {
        position_ += 2;
      } else if (escapes) {
        run += next;
        position_ += 2;
      } else {
        run += c;
        ++position_;
      }
    } else if (c == '$' || c == '`') {
      flush();
      if (c == '$' ? !dollar(out, /*quoted=*/true) : !backticks(out, /*quoted=*/true)) return false;
    } else {
      run += c;
      ++position_;
    }
  }
  flush();
  return true;
}

bool Parser::ansi_quoted(std::vector<Part>& out) {
  position_ += 2;
  std::string text;
  while (peek() != '\'') {
    if (at_end()) return fail("a $' that is not closed");
    if (peek() == '\\') {
      if (!ansi_escape(text)) return false;
    } else {
      text += peek();
      ++position_;
    }
  }
  ++position_;
  if (!is_utf8(text)) return fail("invalid UTF-8 in $'…'");
  out.push_back(text_part(PartKind::quoted, std::move(text)));
  return true;
}

bool Parser::ansi_escape(std::string& out) {
  constexpr std::string_view kLetters = "abeEfnrtv\\'\"?";
  constexpr std::string_view kMeanings = "\a\b\x1b\x1b\f\n\r\t\v\\'\"?";
  const char letter = peek(1);
  if (const std::size_t at = kLetters.find(letter); letter != '\0' && at != std::string_view::npos) {
    out += kMeanings[at];
    position_ += 2;
    return true;
  }
  std::size_t digits_max = 0;
  int radix = 16;
  if (letter == 'x') digits_max = 2;
  if (letter == 'u') digits_max = 4;
  if (letter == 'U') digits_max = 8;
  std::size_t start = position_ + 2;
  if (letter >= '0' && letter <= '7') {
    digits_max = 3;
    radix = 8;
    start = position_ + 1;
  }
  if (digits_max == 0) return fail("an unknown escape in $'…'");
  const std::string_view rest = text_.substr(start, digits_max);
  unsigned value = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value, radix);
  if (error != std::errc() || value == 0 || value > 0xff) return fail("an unusual escape in $'…'");
  if (value > 0x7f && (letter == 'u' || letter == 'U')) return fail("an escape in $'…' that depends on the locale");
  out += static_cast<char>(static_cast<unsigned char>(value));
  position_ = start + static_cast<std::size_t>(end - rest.data());
  return true;
}

bool Parser::tilde(std::vector<Part>& out, bool in_assignment, bool is_doubtful) {
  std::size_t end = 1;
  while (is_name_char(peek(end)) || peek(end) == '-' || peek(end) == '+' || peek(end) == '.') ++end;
  const char after = peek(end);
  const bool goes_on = (after == '<' || after == '>') && peek(end + 1) == '(';
  const bool may_end = after == '{' || after == '}' || after == ',';  // braces may make a word that ends here
  is_doubtful = is_doubtful || may_end;
  const bool expands = after == '/' || after == '\0' || (is_metacharacter(after) && !goes_on) ||
                       (in_assignment && after == ':') || may_end;
  if (!expands) end = 1;
  out.push_back(text_part(expands ? PartKind::tilde : PartKind::literal, std::string(text_.substr(position_, end))));
  if (expands && is_doubtful) out.back().text += '?';
  position_ += end;
  return true;
}

}  // namespace deft::shell
