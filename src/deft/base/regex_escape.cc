#include <array>

#include "deft/base/regex_cursor.h"
#include "deft/base/unicode_property.h"
#include "deft/base/utf8.h"

namespace deft {
namespace {

constexpr std::string_view kByteHint = "Leave (?-u) out: text is searched by its characters, not by its bytes.";

bool is_ascii_punctuation(char32_t c) {
  return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') || (c >= '{' && c <= '~');
}

int hex_digit(char32_t c) {
  if (c >= '0' && c <= '9') return static_cast<int>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<int>(c - 'a' + 10);
  if (c >= 'A' && c <= 'F') return static_cast<int>(c - 'A' + 10);
  return -1;
}

// After \x, \u or \U: that many digits, or any number of them in braces.
std::optional<char32_t> parse_hex(RegexCursor& cursor, const RegexFlags& flags, std::size_t start,
                                  std::size_t digits_wanted) {
  const bool braced = cursor.take(U"{");
  char32_t value = 0;
  std::size_t digits = 0;
  for (; braced || digits < digits_wanted; ++digits) {
    const int digit = hex_digit(cursor.peek());
    if (digit < 0) break;
    cursor.advance();
    value = std::min<char32_t>(value * 16 + static_cast<char32_t>(digit), kCodePointMax + 1);
  }
  const bool complete = braced ? digits > 0 && cursor.take(U"}") : digits == digits_wanted;
  if (!complete) {
    return cursor.report(start, "a character code with missing digits", R"(Write it as \x41 or \x{1F600}.)");
  }
  if (value > kCodePointMax || (value >= 0xD800 && value <= 0xDFFF)) {
    return cursor.report(start, "there is no character with this code", "Codes end at 10FFFF.");
  }
  if (!flags.unicode && value > 0x7F) return cursor.report(start, "a byte that is no character", kByteHint);
  return value;
}

// After \p or \P.
std::optional<CodePointSet> parse_property(RegexCursor& cursor, const RegexFlags& flags, std::size_t start,
                                           bool negated) {
  if (!flags.unicode) return cursor.report(start, "a Unicode property where Unicode is switched off", kByteHint);
  std::u32string name;
  if (cursor.take(U"{")) {
    while (!cursor.at_end() && cursor.peek() != '}') name += cursor.next();
    if (!cursor.take(U"}"))
      return cursor.report(start, "a property whose brace is never closed", R"(Write \p{Greek}.)");
  } else if (!cursor.at_end()) {
    name += cursor.next();
  }
  std::string property = to_utf8(name);
  if (property.starts_with('^')) {
    negated = !negated;
    property.erase(0, 1);
  }
  if (const std::size_t unequal = property.find("!="); unequal != std::string::npos) {
    negated = !negated;
    property.erase(unequal, 1);
  }
  auto set = unicode_property(property);
  if (!set) {
    return cursor.report(start, "there is no Unicode property \"" + property + "\"",
                         R"(Use a category such as \p{Lu}, a script such as \p{Greek}, or \p{Alphabetic}.)");
  }
  if (flags.ignore_case) *set = set->with_other_cases();  // before it is negated, see regex_class.cc
  return negated ? set->complement() : std::move(*set);
}

// \b{start} and its relatives; nothing if the brace begins none of them.
std::optional<Assertion> take_word_place(RegexCursor& cursor) {
  if (cursor.take(U"{start}")) return Assertion::word_start;
  if (cursor.take(U"{end}")) return Assertion::word_end;
  if (cursor.take(U"{start-half}")) return Assertion::word_start_half;
  if (cursor.take(U"{end-half}")) return Assertion::word_end_half;
  return std::nullopt;
}

std::optional<RegexEscape> kind_escape(RegexCursor& cursor, const RegexFlags& flags, std::size_t start,
                                       CharacterKind kind, bool negated) {
  if (!flags.unicode && negated) {
    return cursor.report(start, "a class that also holds bytes which are no characters", kByteHint);
  }
  const CodePointSet& set = flags.unicode ? unicode_set(kind) : ascii_set(kind);
  return negated ? set.complement() : set;
}

struct Advice {
  char32_t letter;
  std::string_view hint;
};
// Escapes of other dialects, and what does the same here.
constexpr auto kForeignEscapes = std::to_array<Advice>({
    {'Z', R"(Use \z for the end of the text, $ for the end of a line.)"},
    {'G', "Leave it out."},
    {'K', "Search for the whole and look at the part that you need."},
    {'h', R"(Use [ \t].)"},
    {'H', R"(Use [^ \t].)"},
    {'R', R"(Use \r?\n, with multiline.)"},
    {'N', "Use a dot."},
    {'X', "Use a dot."},
    {'e', R"(Use \x1B.)"},
    {'c', R"(Use \x01 to \x1F.)"},
    {'Q', "Put a backslash before each special character instead."},
    {'E', "Put a backslash before each special character instead."},
    {'k', "Back-references are not supported: search for the parts and compare what is found."},
});

std::string_view advice_for(char32_t letter) {
  for (const Advice& advice : kForeignEscapes) {
    if (advice.letter == letter) return advice.hint;
  }
  return R"(Leave the backslash out, or write \\ for a backslash itself.)";
}

}  // namespace

std::optional<RegexEscape> parse_regex_escape(RegexCursor& cursor, const RegexFlags& flags) {
  const std::size_t start = cursor.position();
  cursor.advance();
  if (cursor.at_end()) {
    return cursor.report(start, "a backslash at the very end", R"(Write \\ to search for a backslash.)");
  }
  const bool unicode = flags.unicode;
  const char32_t c = cursor.next();
  const auto kind = [&](CharacterKind which, bool negated) {
    return kind_escape(cursor, flags, start, which, negated);
  };
  switch (c) {
    case 'd': return kind(CharacterKind::digit, false);
    case 'D': return kind(CharacterKind::digit, true);
    case 's': return kind(CharacterKind::space, false);
    case 'S': return kind(CharacterKind::space, true);
    case 'w': return kind(CharacterKind::word, false);
    case 'W': return kind(CharacterKind::word, true);
    case 'p': return parse_property(cursor, flags, start, false);
    case 'P': return parse_property(cursor, flags, start, true);
    case 'x': return parse_hex(cursor, flags, start, 2);
    case 'u': return parse_hex(cursor, flags, start, 4);
    case 'U': return parse_hex(cursor, flags, start, 8);
    case 'a': return U'\a';
    case 'f': return U'\f';
    case 'n': return U'\n';
    case 'r': return U'\r';
    case 't': return U'\t';
    case 'v': return U'\v';
    case ' ': return U' ';
    case 'A': return Assertion::text_start;
    case 'z': return Assertion::text_end;
    case '<': return Assertion::word_start;
    case '>': return Assertion::word_end;
    case 'B': return unicode ? Assertion::not_word_boundary : Assertion::not_ascii_word_boundary;
    case 'b':
      if (const auto place = take_word_place(cursor)) return *place;
      return unicode ? Assertion::word_boundary : Assertion::ascii_word_boundary;
    default: break;
  }
  if (c >= '0' && c <= '9') {
    return cursor.report(start, "back-references are not supported",
                         "Search for the parts and compare what is found, or write a character code as \\x41.");
  }
  if (is_ascii_punctuation(c)) return c;
  return cursor.report(start, "an escape that does not exist here", advice_for(c));
}

}  // namespace deft
