#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "deft/base/regex_syntax.h"

// The parts of the regular expression parser, used by regex_parser.cc only.

namespace deft {

struct RegexFlags {
  bool ignore_case = false;
  bool multi_line = true;
  bool dot_matches_newline = false;
  bool swap_greed = false;
  bool unicode = true;
  bool verbose = false;  // white space and comments do not count
};

// Where the parser is in the pattern, and the first thing that it found wrong.
class RegexCursor {
 public:
  static constexpr char32_t kEnd = 0xFFFFFFFF;

  explicit RegexCursor(std::u32string text) : text_(std::move(text)) {}

  std::size_t position() const { return position_; }
  bool at_end() const { return position_ >= text_.size(); }
  char32_t peek(std::size_t ahead = 0) const {
    return position_ + ahead < text_.size() ? text_[position_ + ahead] : kEnd;
  }
  char32_t next() { return at_end() ? kEnd : text_[position_++]; }
  void advance(std::size_t characters = 1) { position_ += characters; }
  bool looking_at(std::u32string_view words) const {
    return std::u32string_view(text_).substr(std::min(position_, text_.size())).starts_with(words);
  }
  bool take(std::u32string_view words) {
    if (!looking_at(words)) return false;
    position_ += words.size();
    return true;
  }
  void rewind(std::size_t position) { position_ = position; }
  // In verbose mode: over white space and comments.
  void skip_blanks(const RegexFlags& flags);

  // Always nothing, so that a parser can return it. `hint` says what to write instead.
  std::nullopt_t report(std::size_t at, std::string_view problem, std::string_view hint);
  bool failed() const { return error_.has_value(); }
  const Error& error() const { return *error_; }

 private:
  std::u32string text_;
  std::size_t position_ = 0;
  std::optional<Error> error_;
};

// What a backslash begins: a character, several, or a place.
using RegexEscape = std::variant<char32_t, CodePointSet, Assertion>;
// At the backslash. Sets are not yet extended to other cases.
std::optional<RegexEscape> parse_regex_escape(RegexCursor& cursor, const RegexFlags& flags);

// At the opening bracket.
std::optional<CodePointSet> parse_regex_class(RegexCursor& cursor, const RegexFlags& flags, std::size_t depth = 0);

std::string to_utf8(std::u32string_view text);

}  // namespace deft
