#include "deft/core/patch.h"

#include <algorithm>
#include <cstdint>
#include <unordered_map>

namespace deft {

namespace {

// A fine comparison costs lines times differences. Beyond this much work, or this many differences, nobody would
// read the result anyway.
constexpr std::size_t kDiffWorkMax = 20'000'000;
constexpr std::size_t kDiffDifferencesMax = 1'000;

using LineIds = std::vector<std::uint32_t>;

// Equal lines get equal numbers, so that comparing is cheap.
class LineNumbering {
 public:
  LineIds number(const Lines& lines, std::size_t first, std::size_t count) {
    LineIds ids;
    ids.reserve(count);
    for (std::size_t i = first; i < first + count; ++i) {
      ids.push_back(ids_.try_emplace(lines[i], static_cast<std::uint32_t>(ids_.size())).first->second);
    }
    return ids;
  }

 private:
  std::unordered_map<std::string_view, std::uint32_t> ids_;
};

// Myers' greedy algorithm: reach[k] is how far into `a` one gets on diagonal k (line of a minus line of b) with d
// differences. The reaches of every d are kept, to walk back along the shortest way. Positions are relative.
class ShortestWay {
 public:
  ShortestWay(const LineIds& a, const LineIds& b) : a_(a), b_(b) {}

  // The pairs of equal lines, or false if there are too many differences.
  bool find(std::vector<std::pair<std::size_t, std::size_t>>& pairs) {
    const std::size_t size = a_.size() + b_.size();
    const std::size_t differences_max =
        std::min({size, kDiffDifferencesMax, kDiffWorkMax / std::max<std::size_t>(size, 1)});
    for (std::size_t d = 0; d <= differences_max; ++d) {
      if (!extend(static_cast<std::ptrdiff_t>(d))) continue;
      walk_back(pairs);
      return true;
    }
    return false;
  }

 private:
  using Reach = std::vector<std::ptrdiff_t>;  // index: k + d

  static std::ptrdiff_t at(const Reach& reach, std::ptrdiff_t k) {
    const std::ptrdiff_t d = (static_cast<std::ptrdiff_t>(reach.size()) - 1) / 2;
    return k < -d || k > d ? -1 : reach[static_cast<std::size_t>(k + d)];
  }

  // Did the way to diagonal k with d differences come from above (a line of b was added)?
  static bool came_from_above(const Reach& before, std::ptrdiff_t k, std::ptrdiff_t d) {
    return k == -d || (k != d && at(before, k - 1) < at(before, k + 1));
  }

  bool extend(std::ptrdiff_t d) {
    Reach reach(static_cast<std::size_t>(2 * d + 1), -1);
    const auto a_size = static_cast<std::ptrdiff_t>(a_.size());
    const auto b_size = static_cast<std::ptrdiff_t>(b_.size());
    bool done = false;
    for (std::ptrdiff_t k = -d; k <= d && !done; k += 2) {
      std::ptrdiff_t x = 0;
      if (d > 0)
        x = came_from_above(reaches_.back(), k, d) ? at(reaches_.back(), k + 1) : at(reaches_.back(), k - 1) + 1;
      while (x < a_size && x - k < b_size && x - k >= 0 &&
             a_[static_cast<std::size_t>(x)] == b_[static_cast<std::size_t>(x - k)])
        ++x;
      reach[static_cast<std::size_t>(k + d)] = x;
      done = x >= a_size && x - k >= b_size;
    }
    reaches_.push_back(std::move(reach));
    return done;
  }

  void walk_back(std::vector<std::pair<std::size_t, std::size_t>>& pairs) const {
    auto x = static_cast<std::ptrdiff_t>(a_.size());
    auto y = static_cast<std::ptrdiff_t>(b_.size());
    for (auto d = static_cast<std::ptrdiff_t>(reaches_.size()) - 1; d >= 0; --d) {
      std::ptrdiff_t x_before = 0;
      std::ptrdiff_t y_before = 0;
      if (d > 0) {
        const Reach& before = reaches_[static_cast<std::size_t>(d - 1)];
        const std::ptrdiff_t k = x - y;
        const std::ptrdiff_t k_before = came_from_above(before, k, d) ? k + 1 : k - 1;
        x_before = at(before, k_before);
        y_before = x_before - k_before;
      }
      while (x > x_before && y > y_before)
        pairs.emplace_back(static_cast<std::size_t>(--x), static_cast<std::size_t>(--y));
      x = x_before;
      y = y_before;
    }
    std::reverse(pairs.begin(), pairs.end());
  }

  const LineIds& a_;
  const LineIds& b_;
  std::vector<Reach> reaches_;  // by number of differences
};

void append_line(JsonArray& out, char mark, std::string_view line) {
  const bool has_end = line.ends_with('\n');
  if (has_end) line.remove_suffix(1);
  out.emplace_back(std::string(1, mark) + std::string(line));
  if (!has_end) out.emplace_back("\\ No newline at end of file");
}

// One hunk: changes [first, last) of the list.
JsonObject make_hunk(const Lines& old_lines, const Lines& new_lines, const std::vector<LineChange>& changes,
                     std::size_t first, std::size_t last) {
  const LineChange& begin = changes[first];
  const LineChange& end = changes[last - 1];
  const std::size_t before = std::min(kPatchContextLines, begin.old_first);
  const std::size_t old_end = std::min(end.old_first + end.old_count + kPatchContextLines, old_lines.size());
  JsonArray lines;
  std::size_t old_line = begin.old_first - before;
  for (std::size_t i = first; i < last; ++i) {
    const LineChange& change = changes[i];
    for (; old_line < change.old_first; ++old_line) append_line(lines, ' ', old_lines[old_line]);
    for (; old_line < change.old_first + change.old_count; ++old_line) append_line(lines, '-', old_lines[old_line]);
    for (std::size_t n = 0; n < change.new_count; ++n) append_line(lines, '+', new_lines[change.new_first + n]);
  }
  const std::size_t after = old_end - old_line;
  for (; old_line < old_end; ++old_line) append_line(lines, ' ', old_lines[old_line]);
  JsonObject hunk;
  hunk["oldStart"] = begin.old_first - before + 1;
  hunk["oldLines"] = old_end - (begin.old_first - before);
  hunk["newStart"] = begin.new_first - before + 1;
  hunk["newLines"] = end.new_first + end.new_count + after - (begin.new_first - before);
  hunk["lines"] = std::move(lines);
  return hunk;
}

std::size_t bytes_of(const JsonObject& hunk) {
  std::size_t bytes = 0;
  for (const Json& line : hunk.at("lines").as_array()) bytes += line.as_string().size();
  return bytes;
}

}  // namespace

Lines split_lines(std::string_view text) {
  Lines lines;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t newline = text.find('\n', start);
    const std::size_t end = newline == std::string_view::npos ? text.size() : newline + 1;
    lines.push_back(text.substr(start, end - start));
    start = end;
  }
  return lines;
}

std::vector<LineChange> diff_lines(const Lines& old_lines, const Lines& new_lines) {
  return diff_lines(old_lines, new_lines, {0, old_lines.size(), 0, new_lines.size()});
}

std::vector<LineChange> diff_lines(const Lines& old_lines, const Lines& new_lines, const LineChange& within) {
  LineChange rest = within;
  while (rest.old_count > 0 && rest.new_count > 0 && old_lines[rest.old_first] == new_lines[rest.new_first]) {
    ++rest.old_first, --rest.old_count, ++rest.new_first, --rest.new_count;
  }
  while (rest.old_count > 0 && rest.new_count > 0 &&
         old_lines[rest.old_first + rest.old_count - 1] == new_lines[rest.new_first + rest.new_count - 1]) {
    --rest.old_count, --rest.new_count;
  }
  if (rest.old_count == 0 && rest.new_count == 0) return {};
  if (rest.old_count == 0 || rest.new_count == 0) return {rest};

  LineNumbering numbering;
  const LineIds a = numbering.number(old_lines, rest.old_first, rest.old_count);
  const LineIds b = numbering.number(new_lines, rest.new_first, rest.new_count);
  std::vector<std::pair<std::size_t, std::size_t>> equal;
  if (!ShortestWay(a, b).find(equal)) return {rest};
  equal.emplace_back(a.size(), b.size());  // the end closes the last change

  std::vector<LineChange> changes;
  std::size_t old_done = 0;
  std::size_t new_done = 0;
  for (const auto& [old_line, new_line] : equal) {
    if (old_line > old_done || new_line > new_done) {
      changes.push_back(
          {rest.old_first + old_done, old_line - old_done, rest.new_first + new_done, new_line - new_done});
    }
    old_done = old_line + 1;
    new_done = new_line + 1;
  }
  return changes;
}

JsonArray structured_patch(const Lines& old_lines, const Lines& new_lines, const std::vector<LineChange>& changes,
                           std::size_t bytes_max) {
  JsonArray hunks;
  std::size_t bytes = 0;
  for (std::size_t first = 0; first < changes.size();) {
    std::size_t last = first + 1;
    while (last < changes.size() && changes[last].old_first <= changes[last - 1].old_first +
                                                                   changes[last - 1].old_count +
                                                                   2 * kPatchContextLines) {
      ++last;
    }
    JsonObject hunk = make_hunk(old_lines, new_lines, changes, first, last);
    bytes += bytes_of(hunk);
    if (bytes > bytes_max) break;
    hunks.push_back(std::move(hunk));
    first = last;
  }
  return hunks;
}

std::vector<LineRange> move_ranges(const std::vector<LineRange>& ranges, const std::vector<LineChange>& changes) {
  std::vector<LineRange> moved;
  for (const LineChange& change : changes) {
    if (change.new_count > 0) moved.push_back({change.new_first + 1, change.new_first + change.new_count});
  }
  for (const LineRange& range : ranges) {
    // Unsigned arithmetic wraps, and wraps back: the sum is right.
    std::uint64_t before = 0;
    std::uint64_t within = 0;
    for (const LineChange& change : changes) {
      const std::uint64_t growth = change.new_count - change.old_count;
      if (change.old_first + change.old_count < range.first) before += growth;
      if (change.old_first < range.last) within += growth;
    }
    if (range.first + before <= range.last + within) moved.push_back({range.first + before, range.last + within});
  }
  std::sort(moved.begin(), moved.end(), [](const LineRange& a, const LineRange& b) { return a.first < b.first; });
  std::vector<LineRange> joined;
  for (const LineRange& range : moved) {
    if (!joined.empty() && range.first <= joined.back().last + 1) {
      joined.back().last = std::max(joined.back().last, range.last);
    } else {
      joined.push_back(range);
    }
  }
  return joined;
}

}  // namespace deft
