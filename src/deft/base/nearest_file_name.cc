#include "deft/base/nearest_file_name.h"

#include <algorithm>
#include <cstddef>
#include <limits>

namespace deft {

namespace {

constexpr std::size_t kNameBytesMax = 255;
constexpr std::size_t kFar = std::numeric_limits<std::size_t>::max();

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](char c) { return lower(c); });
  return out;
}

// Insertions, deletions, replacements and swaps of neighbours that turn one into the other.
std::size_t slips_between(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> above(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) above[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = above[j - 1] + (a[i - 1] == b[j - 1] ? 0U : 1U);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, replaced});
      const bool is_swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (is_swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(above);
    above.swap(row);
  }
  return above[b.size()];
}

std::string_view stem(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  return dot == std::string_view::npos || dot == 0 ? name : name.substr(0, dot);
}

// Smaller is nearer.
std::size_t distance(std::string_view name, std::string_view candidate) {
  if (name == candidate) return 0;
  const std::size_t slips_max = std::max<std::size_t>(1, name.size() / 3);
  const std::size_t difference =
      name.size() > candidate.size() ? name.size() - candidate.size() : candidate.size() - name.size();
  if (difference <= slips_max) {
    const std::size_t slips = slips_between(name, candidate);
    if (slips <= slips_max) return slips;
  }
  return stem(name) == stem(candidate) ? slips_max + 1 : kFar;
}

}  // namespace

std::optional<std::string> nearest_file_name(std::string_view name, const std::vector<std::string>& candidates) {
  if (name.empty() || name.size() > kNameBytesMax) return std::nullopt;
  const std::string wanted = lower(name);
  const std::string* nearest = nullptr;
  std::size_t nearest_distance = kFar;
  for (const std::string& candidate : candidates) {
    if (candidate.size() > kNameBytesMax) continue;
    const std::size_t d = distance(wanted, lower(candidate));
    if (d < nearest_distance) {
      nearest = &candidate;
      nearest_distance = d;
    }
  }
  return nearest ? std::optional(*nearest) : std::nullopt;
}

}  // namespace deft
