#pragma once

#include <optional>
#include <stop_token>
#include <string_view>

#include "deft/base/literal_search.h"
#include "deft/base/regex.h"

namespace deft {

// A pattern that is looked for line by line; immutable, for any number of threads.
class LinePattern {
 public:
  explicit LinePattern(Regex regex);  // compiled with by_line

  const Regex& regex() const { return regex_; }

 private:
  friend class LineSearch;
  Regex regex_;
  std::optional<LiteralSearch> literals_;  // every match holds one of these
  bool literals_suffice_ = false;          // and holding one is a match
};

// Finds the lines that hold a match. For one thread at a time; worth keeping, see RegexSearch.
class LineSearch {
 public:
  LineSearch(const LinePattern& pattern, const std::stop_token& stop)
      : pattern_(pattern), search_(pattern.regex(), stop) {}

  // The first line that matches, without its newline. `from` is where a line begins, and `text` holds whole lines; only
  // the very last line of a file may lack its newline.
  std::optional<Span> next(std::string_view text, std::size_t from);

  RegexSearch& search() { return search_; }

 private:
  std::optional<Span> next_by_literals(std::string_view text, std::size_t from);
  void judge_literals();

  const LinePattern& pattern_;
  RegexSearch search_;
  std::size_t candidates_ = 0;              // lines that held a literal but no match
  std::size_t bytes_ = 0;                   // how much was searched for them
  std::size_t bytes_without_literals_ = 0;  // so much is to be searched without them
};

}  // namespace deft
