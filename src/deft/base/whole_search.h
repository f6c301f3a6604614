#pragma once

#include <optional>
#include <stop_token>
#include <string_view>

#include "deft/base/literal_search.h"
#include "deft/base/regex.h"

namespace deft {

// A pattern whose matches may go over several lines; immutable, for any number of threads.
class WholePattern {
 public:
  explicit WholePattern(Regex regex);  // compiled without by_line

 private:
  friend class WholeSearch;
  Regex regex_;
  std::optional<LiteralSearch> anywhere_;  // every match holds one of these
  std::optional<LiteralSearch> at_begin_;  // every match begins with one of these
};

// Finds the matches in a text. For one thread at a time; worth keeping, see RegexSearch.
class WholeSearch {
 public:
  WholeSearch(const WholePattern& pattern, const std::stop_token& stop)
      : pattern_(pattern), search_(pattern.regex_, stop) {}

  // Most texts hold no match, and that is known much sooner than where one begins and ends.
  bool has_match(std::string_view text);
  // The first match that begins at `from` or later, as long as the pattern prefers it to be.
  std::optional<Span> find(std::string_view text, std::size_t from);

 private:
  const WholePattern& pattern_;
  RegexSearch search_;
};

}  // namespace deft
