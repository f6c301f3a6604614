#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "deft/base/result.h"

namespace deft {

// What stands in Bash(…). Without "*" it is a whole command; "*" is any text, blanks included; a blank and "*" at the
// end, or ":*" at the end, are a word's boundary: `ls *` is `ls` and `ls -l`, but not `lsof`. Immutable; a match takes
// time in proportion to text and pattern.
class CommandPattern {
 public:
  static Result<CommandPattern> compile(std::string_view specifier);

  bool matches(std::string_view command) const;
  // Is it this very text, letter for letter, stars included? Never of one that stands for whatever follows.
  bool is_written_as(std::string_view command) const { return !ends_at_word_ && command == text_; }
  // Does some command that begins so match?
  bool may_match_beginning(std::string_view beginning) const;

  bool is_everything() const { return pieces_.size() > 1 && joined_size_ == 0 && !ends_at_word_; }
  bool is_exact() const { return pieces_.size() == 1; }
  // What every match begins with.
  std::string_view literal_beginning() const { return pieces_.front(); }
  // Every match begins with this word, whole; empty: not known.
  std::string_view first_word() const;

 private:
  bool matches_pieces(std::string_view command) const;

  std::string text_;                 // as written, blanks around it aside
  std::vector<std::string> pieces_;  // between the stars; never empty
  std::size_t joined_size_ = 0;      // of all pieces
  bool ends_at_word_ = false;        // the last star begins with a blank or is nothing at all
};

// `text` against a pattern in which "*" is any text.
bool matches_stars(std::string_view pattern, std::string_view text);

}  // namespace deft
