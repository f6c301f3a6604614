#pragma once

#include <string>
#include <vector>

#include "deft/base/regex_syntax.h"

namespace deft {

inline constexpr std::size_t kLiteralsMax = 64;

// Texts of which every match holds at least one: looking for them first is much faster than running the automaton over
// everything.
struct RequiredLiterals {
  std::vector<std::string> any_of;  // none: nothing is known that helps
  bool exact = false;               // and each occurrence of one of them is a match
};
RequiredLiterals required_literals(const RegexNode& root);

// Texts of which every match begins with one; none: nothing is known that helps.
std::vector<std::string> literals_at_begin(const RegexNode& root);

}  // namespace deft
