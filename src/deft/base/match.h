#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "deft/base/result.h"

struct pcre2_real_code_8;

namespace deft {

inline constexpr std::size_t kPatternBytesMax = std::size_t{8} << 10;
inline constexpr std::uint64_t kPatternStepsMax = 1'000'000;  // some ten milliseconds
inline constexpr std::uint32_t kPatternDepthMax = 50'000;     // nested backtracking points
inline constexpr std::uint32_t kPatternHeapKibMax = 16 << 10;

enum class Match { no, yes, gave_up };

// A regular expression, compiled once, immutable, usable from several threads at a time. The dialect is JavaScript's
// as far as PCRE2 has it: UTF-8, \d \w \s mean ASCII, `$` is the very end of the text, a search is not anchored.
//
// Patterns may come from strangers: a search counts what it does and gives up instead of stalling. `gave_up` is also
// the answer for text that is not valid UTF-8. Who asks decides what that means; it is never a silent "no".
class Pattern {
 public:
  // The error says what is wrong and at which byte of the pattern.
  static Result<Pattern> compile(std::string_view pattern);

  Match search(std::string_view text) const;
  // The same with a budget shared by several searches: takes what this one used, gives up when it is spent.
  Match search(std::string_view text, std::uint64_t& steps_left) const;

  const std::string& text() const { return text_; }
  // Memory it takes: up to some 64 KiB, also for a short pattern such as (abcd){400}.
  std::size_t compiled_bytes() const;

 private:
  struct Free {
    void operator()(pcre2_real_code_8* code) const;
  };

  Pattern(std::string_view text, pcre2_real_code_8* code);

  std::string text_;
  std::unique_ptr<pcre2_real_code_8, Free> code_;
  std::size_t blind_run_max_;  // how many characters one item of the pattern may compare before it fails
};

}  // namespace deft
