#include "deft/base/code_point_set.h"

#include <algorithm>
#include <array>

namespace deft {
namespace {

// The runs without those at the beginning that all end before `point`. Runs may interleave, so their ends are not
// sorted, only their beginnings; how far all up to one reach is.
std::span<const FoldRun> runs_from(char32_t point) {
  static const std::vector<char32_t> reached = [] {
    std::vector<char32_t> highest;
    for (const FoldRun& run : unicode_fold()) {
      highest.push_back(highest.empty() ? run.high : std::max(highest.back(), run.high));
    }
    return highest;
  }();
  const auto first = std::ranges::lower_bound(reached, point) - reached.begin();
  return unicode_fold().subspan(static_cast<std::size_t>(first));
}

// Everything in `ranges` that has another case, one step around its ring.
void append_next_cases(const std::vector<CodePointRange>& ranges, std::vector<CodePointRange>& out) {
  for (const CodePointRange& range : ranges) {
    for (const FoldRun& run : runs_from(range.low)) {
      if (run.low > range.high) break;
      if (run.high < range.low) continue;
      const char32_t behind = range.low > run.low ? (range.low - run.low) % run.step : 0;
      const char32_t first = std::max(range.low, run.low) + (behind == 0 ? 0 : run.step - behind);
      const char32_t last = std::min(range.high, run.high);
      const auto moved = [&](char32_t point) {
        return static_cast<char32_t>(static_cast<std::int32_t>(point) + run.distance);
      };
      if (run.step == 1) {
        if (first <= last) out.push_back({moved(first), moved(last)});
        continue;
      }
      for (char32_t point = first; point <= last; point += run.step) out.push_back({moved(point), moved(point)});
    }
  }
}

CodePointSet ascii_part(const CodePointSet& set) { return set & CodePointSet({{0, 0x7F}}); }

}  // namespace

CodePointSet::CodePointSet(std::vector<CodePointRange> ranges) : ranges_(std::move(ranges)) {
  std::ranges::sort(ranges_, {}, &CodePointRange::low);
  std::size_t kept = 0;
  for (const CodePointRange& range : ranges_) {
    if (kept > 0 && range.low <= ranges_[kept - 1].high + 1) {
      ranges_[kept - 1].high = std::max(ranges_[kept - 1].high, range.high);
    } else {
      ranges_[kept++] = range;
    }
  }
  ranges_.resize(kept);
}

bool CodePointSet::contains(char32_t point) const {
  const auto after = std::ranges::upper_bound(ranges_, point, {}, &CodePointRange::low);
  return after != ranges_.begin() && point <= std::prev(after)->high;
}

std::size_t CodePointSet::size() const {
  std::size_t count = 0;
  for (const CodePointRange& range : ranges_) count += range.high - range.low + 1;
  return count;
}

CodePointSet CodePointSet::complement() const {
  CodePointSet out;
  char32_t next = 0;
  for (const CodePointRange& range : ranges_) {
    if (range.low > next) out.ranges_.push_back({next, range.low - 1});
    next = range.high + 1;
  }
  if (next <= kCodePointMax) out.ranges_.push_back({next, kCodePointMax});
  return out;
}

CodePointSet CodePointSet::with_other_cases() const {
  // No ring has more than four members, so three steps reach them all.
  constexpr int kRingStepsMax = 3;
  CodePointSet all = *this;
  for (int step = 0; step < kRingStepsMax; ++step) {
    std::vector<CodePointRange> ranges = all.ranges_;
    append_next_cases(all.ranges_, ranges);
    CodePointSet more(std::move(ranges));
    if (more == all) break;
    all = std::move(more);
  }
  return all;
}

CodePointSet operator|(const CodePointSet& a, const CodePointSet& b) {
  std::vector<CodePointRange> ranges = a.ranges_;
  ranges.insert(ranges.end(), b.ranges_.begin(), b.ranges_.end());
  return CodePointSet(std::move(ranges));
}

CodePointSet operator&(const CodePointSet& a, const CodePointSet& b) {
  CodePointSet out;
  for (std::size_t i = 0, j = 0; i < a.ranges_.size() && j < b.ranges_.size();) {
    const char32_t low = std::max(a.ranges_[i].low, b.ranges_[j].low);
    const char32_t high = std::min(a.ranges_[i].high, b.ranges_[j].high);
    if (low <= high) out.ranges_.push_back({low, high});
    if (a.ranges_[i].high < b.ranges_[j].high) {
      ++i;
    } else {
      ++j;
    }
  }
  return out;
}

CodePointSet operator-(const CodePointSet& a, const CodePointSet& b) { return a & b.complement(); }

const CodePointSet& unicode_set(CharacterKind kind) {
  static const std::array<CodePointSet, 3> sets = {CodePointSet(unicode_word()), CodePointSet(unicode_digit()),
                                                   CodePointSet(unicode_space())};
  return sets[static_cast<std::size_t>(kind)];
}

const CodePointSet& ascii_set(CharacterKind kind) {
  static const std::array<CodePointSet, 3> sets = {ascii_part(unicode_set(CharacterKind::word)),
                                                   ascii_part(unicode_set(CharacterKind::digit)),
                                                   ascii_part(unicode_set(CharacterKind::space))};
  return sets[static_cast<std::size_t>(kind)];
}

}  // namespace deft
