#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "deft/base/result.h"

namespace deft {

inline constexpr std::size_t kGlobBytesMax = 4'096;
inline constexpr std::size_t kGlobNestingMax = 20;  // braces in braces

// A pattern for the names of files, compiled once; immutable, for any number of threads. A match takes time in
// proportion to the path, whatever the pattern.
//
//   ?  one character, not a slash      *  any number of them        [a-z] [!a-z] [[:digit:]]  one of these, or not
//   **/  any number of folders, none included (at the beginning or after a slash; elsewhere ** is a *)
//   /**  everything below (at the end)         {a,b*}  one of these           \  the next character stands for itself
class Glob {
 public:
  struct Syntax {
    bool braces = true;      // false: { } and , stand for themselves
    bool characters = true;  // ? and […] take a UTF-8 character; false: a byte, as in git
  };
  // The error says at which character, what is wrong, and what to write instead.
  static Result<Glob> compile(std::string_view pattern, Syntax syntax);
  static Result<Glob> compile(std::string_view pattern) { return compile(pattern, Syntax{}); }

  bool matches(std::string_view path) const;
  // Can there be a match below this folder? "" is where the pattern begins.
  bool may_match_below(std::string_view folder) const;

 private:
  friend class GlobCompiler;
  struct Set {
    bool negated = false;
    std::vector<std::pair<char32_t, char32_t>> ranges;  // both ends included
    bool contains(char32_t unit) const;
  };
  // What a place in the pattern takes from the path.
  struct Step {
    enum class Takes : std::uint8_t { unit, not_slash, anything, set, nothing_more };
    Takes takes = Takes::nothing_more;
    std::uint16_t set = 0;
    char32_t unit = 0;
    std::uint32_t next = 0;  // a node: where it goes on
  };
  using Bits = std::vector<std::uint64_t>;  // of steps

  Glob() = default;
  template <class State>
  State run(std::string_view path) const;
  template <class State>
  void advance(const State& from, char32_t unit, State& to) const;
  bool takes(const Step& step, char32_t unit) const;

  Syntax syntax_;
  std::vector<Step> steps_;  // the last one is the end
  std::vector<Set> sets_;
  std::vector<Bits> reached_;  // by node: the steps that may come next
  std::uint32_t start_ = 0;    // a node
};

}  // namespace deft
