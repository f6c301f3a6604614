#pragma once

#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "deft/base/code_point_set.h"
#include "deft/base/result.h"

// The syntax of ripgrep's regular expressions (the Rust regex crate's), as a tree. What is accepted here means what it
// means there: Unicode classes and word boundaries, simple case folding, no look-around and no back-references, so
// that a match never takes more than linear time. Beyond what every version of ripgrep accepts:
//   - any punctuation may be escaped (\/ \" \@);  \< and \> are the beginning and the end of a word
//   - (?<name>…);  x{,n} is x{0,n};  a brace that begins no repetition stands for itself, as in interface{}

namespace deft {

inline constexpr std::size_t kRegexBytesMax = std::size_t{16} << 10;
inline constexpr std::size_t kRegexDepthMax = 200;   // groups in groups
inline constexpr std::size_t kRegexRepeatsMax = 16;  // repetitions of one item: a**+
inline constexpr std::uint32_t kRepeatNoLimit = std::numeric_limits<std::uint32_t>::max();

enum class Assertion : std::uint8_t {
  text_start,
  text_end,
  line_start,
  line_end,
  word_boundary,
  not_word_boundary,
  word_start,
  word_end,
  word_start_half,  // no word character before it
  word_end_half,    // no word character after it
  ascii_word_boundary,
  not_ascii_word_boundary,
};
inline constexpr std::size_t kAssertionKinds = 12;

struct RegexNode {
  enum class Kind : std::uint8_t { empty, set, assertion, sequence, choice, repeat };

  Kind kind = Kind::empty;
  bool greedy = true;                           // repeat
  Assertion assertion = Assertion::text_start;  // assertion
  std::uint32_t least = 0;                      // repeat
  std::uint32_t most = 0;                       // repeat
  CodePointSet set = {};                        // set: one character of these; none: never matches
  std::vector<RegexNode> parts = {};            // sequence, choice (the first is preferred), repeat (just one)
};

struct RegexOptions {
  bool ignore_case = false;
  bool dot_matches_newline = false;
  // True: a match lies within one line. Nothing matches a newline, and asking for one is an error. All anchors are
  // those of lines. False: ^ and $ are still those of lines unless (?-m) is set; \A and \z are those of the text.
  bool by_line = true;
};

// The error says at which character, what is wrong, and what to write instead.
Result<RegexNode> parse_regex(std::string_view pattern, const RegexOptions& options);

}  // namespace deft
