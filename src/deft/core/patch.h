#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "deft/base/json.h"
#include "deft/core/file_ledger.h"

// What is different between two texts, line by line. Bounded: texts that differ too much for a fine comparison are
// one large change.

namespace deft {

using Lines = std::vector<std::string_view>;

// With their ends, so that a missing last one is a difference: "a\nb" → "a\n", "b".
Lines split_lines(std::string_view text);

// `old_count` lines from `old_first` on (counted from 0) became `new_count` lines from `new_first` on.
struct LineChange {
  std::size_t old_first = 0;
  std::size_t old_count = 0;
  std::size_t new_first = 0;
  std::size_t new_count = 0;
  bool operator==(const LineChange&) const = default;
};

// In order, and never touching each other.
std::vector<LineChange> diff_lines(const Lines& old_lines, const Lines& new_lines);
// The same within a part of both texts, given as a change.
std::vector<LineChange> diff_lines(const Lines& old_lines, const Lines& new_lines, const LineChange& within);

inline constexpr std::size_t kPatchContextLines = 3;

// The changes with the lines around them, as an array of {oldStart, oldLines, newStart, newLines, lines}. Each line
// begins with " ", "-" or "+"; a last line without an end is followed by "\ No newline at end of file". Hunks that
// would make it larger than `bytes_max` are left out.
JsonArray structured_patch(const Lines& old_lines, const Lines& new_lines, const std::vector<LineChange>& changes,
                           std::size_t bytes_max);

// Where lines that were shown before the changes are after them; changed lines count as shown.
std::vector<LineRange> move_ranges(const std::vector<LineRange>& ranges, const std::vector<LineChange>& changes);

}  // namespace deft
