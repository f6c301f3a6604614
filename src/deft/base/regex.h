#pragma once

#include <cstddef>
#include <optional>
#include <stop_token>
#include <string_view>

#include "deft/base/regex_automaton.h"
#include "deft/base/regex_program.h"
#include "deft/base/regex_syntax.h"
#include "deft/base/result.h"

namespace deft {

// A regular expression in ripgrep's dialect (regex_syntax.h), compiled once; immutable, for any number of threads.
class Regex {
 public:
  static Result<Regex> compile(std::string_view pattern, const RegexOptions& options);

  const RegexNode& tree() const { return tree_; }
  bool can_match_newline() const { return can_match_newline_; }

 private:
  friend class RegexSearch;
  Regex() = default;

  RegexNode tree_;
  RegexProgram forward_;
  RegexProgram backward_;
  bool can_match_newline_ = false;
};

struct Span {
  std::size_t begin = 0;
  std::size_t end = 0;
  bool operator==(const Span&) const = default;
};

// Searches with a Regex, which must outlive it. For one thread at a time; what it learns makes later searches faster,
// so it is worth keeping. Once `stop` is requested, a search may end without finding anything: ask `stop` too.
class RegexSearch {
 public:
  RegexSearch(const Regex& regex, const std::stop_token& stop);

  // Where the first match to be complete ends: the fastest way to know whether there is one.
  std::optional<std::size_t> first_end(std::string_view text, std::size_t from) { return any_.find_end(text, from); }
  // The same for a Regex that was compiled by_line, faster.
  std::optional<std::size_t> first_end_by_line(std::string_view text, std::size_t from) {
    return any_.find_end_by_line(text, from);
  }
  // Only of matches that begin at `at`, and how far it had to look for that.
  std::optional<std::size_t> first_end_here(std::string_view text, std::size_t at) { return here_.find_end(text, at); }
  std::size_t looked_here_to() const { return here_.read_to(); }
  // The first match that begins at `from` or later, as long as the pattern prefers it to be.
  std::optional<Span> find(std::string_view text, std::size_t from);

  // Whether there is a match in a text that is too long to be held: begin_text(), add_piece() …, end_text().
  RegexAutomaton& in_pieces() { return any_; }

 private:
  RegexAutomaton any_;
  RegexAutomaton here_;
  RegexAutomaton ends_;
  RegexAutomaton begins_;
};

}  // namespace deft
