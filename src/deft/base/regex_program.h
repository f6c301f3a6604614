#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "deft/base/regex_syntax.h"
#include "deft/base/result.h"

namespace deft {

inline constexpr std::size_t kRegexStepsMax = 20'000;
inline constexpr std::size_t kRegexSetsMax = 2'000;  // different sets of characters
inline constexpr std::size_t kRegexClassesMax = 10'000;

// What stands beside a place, as far as an assertion can ask: bits of Neighbour.
using Neighbour = std::uint8_t;
inline constexpr Neighbour kTextEdge = 1;
inline constexpr Neighbour kNewline = 2;
inline constexpr Neighbour kWordCharacter = 4;
inline constexpr Neighbour kAsciiWordCharacter = 8;
bool holds(Assertion assertion, Neighbour before, Neighbour after);

// The steps of a regular expression, a nondeterministic automaton over classes of characters. Two characters that no
// set of the expression tells apart are of one class; that keeps the automaton small, whatever Unicode holds.
struct RegexProgram {
  using Class = std::uint16_t;
  struct Step {
    enum class Op : std::uint8_t { set, anything, fork, assertion, match, never };
    Op op = Op::never;
    Assertion assertion = Assertion::text_start;
    std::uint16_t set = 0;    // set: which of `members`
    std::uint32_t next = 0;   // fork: the preferred way
    std::uint32_t other = 0;  // fork
  };

  // Beside those of real characters there are two classes: a byte that is no character, and the end of the text.
  Class class_of(char32_t point) const;

  std::vector<Step> steps;
  std::uint32_t anchored_start = 0;  // a match begins here
  std::uint32_t search_start = 0;    // a match begins here or later
  Class class_count = 0;
  Class stray_byte = 0;
  Class text_end = 0;
  std::vector<Neighbour> neighbours;       // of each class
  Neighbour asked = 0;                     // which bits of Neighbour make a difference
  std::array<Class, 128> ascii = {};       // the class of each
  std::vector<std::vector<bool>> members;  // of each set: which classes it holds
  std::vector<char32_t> class_begins;      // sorted, the first is 0: from here on another class
  std::vector<Class> class_from;           // beside class_begins
};

enum class Direction : std::uint8_t { forward, backward };
// Backward: the steps match the characters of a match from its last to its first.
Result<RegexProgram> compile_regex(const RegexNode& root, Direction direction);

}  // namespace deft
