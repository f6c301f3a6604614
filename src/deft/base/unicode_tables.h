#pragma once

#include <cstdint>
#include <span>

namespace deft {

struct CodePointRange {
  char32_t low = 0;
  char32_t high = 0;  // included
  bool operator==(const CodePointRange&) const = default;
};

// Characters that differ only in case stand in a ring (k, the Kelvin sign, K). From each of low, low + step, … high the
// next of its ring is `distance` away.
struct FoldRun {
  char32_t low;
  char32_t high;
  std::uint32_t step;
  std::int32_t distance;
};

// What \w, \d and \s mean in Unicode (UTS #18, annex C), and simple case folding. Sorted by `low`; the ranges are
// apart.
std::span<const CodePointRange> unicode_word();
std::span<const CodePointRange> unicode_digit();
std::span<const CodePointRange> unicode_space();
std::span<const FoldRun> unicode_fold();

}  // namespace deft
