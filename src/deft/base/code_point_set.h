#pragma once

#include <span>
#include <vector>

#include "deft/base/unicode_tables.h"

namespace deft {

inline constexpr char32_t kCodePointMax = 0x10FFFF;

// A set of Unicode code points, kept as sorted ranges that neither overlap nor touch. A value; never changes.
class CodePointSet {
 public:
  CodePointSet() = default;
  explicit CodePointSet(std::vector<CodePointRange> ranges);  // in any order
  explicit CodePointSet(std::span<const CodePointRange> ranges)
      : CodePointSet(std::vector<CodePointRange>(ranges.begin(), ranges.end())) {}
  static CodePointSet of(char32_t point) { return CodePointSet({{point, point}}); }
  static CodePointSet everything() { return CodePointSet({{0, kCodePointMax}}); }

  const std::vector<CodePointRange>& ranges() const { return ranges_; }
  bool is_empty() const { return ranges_.empty(); }
  bool contains(char32_t point) const;
  std::size_t size() const;  // how many code points

  CodePointSet complement() const;
  // Also everything that differs from a member only in case.
  CodePointSet with_other_cases() const;

  friend CodePointSet operator|(const CodePointSet& a, const CodePointSet& b);
  friend CodePointSet operator&(const CodePointSet& a, const CodePointSet& b);
  friend CodePointSet operator-(const CodePointSet& a, const CodePointSet& b);
  bool operator==(const CodePointSet&) const = default;

 private:
  std::vector<CodePointRange> ranges_;
};

// What \w, \d and \s stand for.
enum class CharacterKind : std::uint8_t { word, digit, space };
const CodePointSet& unicode_set(CharacterKind kind);
const CodePointSet& ascii_set(CharacterKind kind);

}  // namespace deft
