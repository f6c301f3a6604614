#include "deft/tools/grep_results.h"

#include <algorithm>

#include "deft/base/utf8.h"

namespace deft {
namespace {

constexpr std::string_view kSeparator = "--\n";

// No result shows more lines than it has characters.
std::size_t lines_to_hold(std::size_t offset, std::size_t head_limit) {
  const std::size_t shown = head_limit == 0 ? kGrepResultCharactersMax : std::min(head_limit, kGrepResultCharactersMax);
  return std::min(offset, std::size_t{1} << 40) + shown;
}

}  // namespace

bool PathOrder::operator()(std::string_view a, std::string_view b) const {
  const auto [at_a, at_b] = std::ranges::mismatch(a, b);
  if (at_a == a.end() || at_b == b.end()) return at_a == a.end() && at_b != b.end();
  const auto rank = [](char c) { return c == '/' ? 0U : 1U + static_cast<unsigned char>(c); };
  return rank(*at_a) < rank(*at_b);
}

GrepResults::GrepResults(GrepMode mode, bool separated, std::size_t offset, std::size_t head_limit)
    : mode_(mode), separated_(separated), offset_(offset), lines_max_(lines_to_hold(offset, head_limit)) {}

std::size_t GrepResults::lines_wanted(std::string_view path) const {
  const std::lock_guard lock(mutex_);
  const bool is_behind = held_lines_ > lines_max_ && !held_.empty() && PathOrder()(std::prev(held_.end())->first, path);
  return is_behind ? 0 : lines_max_;
}

void GrepResults::add(std::string_view path, GrepFinding finding) {
  const std::lock_guard lock(mutex_);
  totals_.unreadable += finding.unreadable ? 1 : 0;
  totals_.too_large += finding.too_large ? 1 : 0;
  if (finding.matches == 0) return;
  if (mode_ == GrepMode::files) finding.text.append(path).append("\n");
  if (mode_ == GrepMode::count) {
    finding.text.append(path).append(":").append(std::to_string(finding.matches)).append("\n");
  }
  if (mode_ != GrepMode::content) finding.lines = 1;
  if (separated_) {
    ++finding.lines;
    finding.text.insert(0, kSeparator);
  }
  ++totals_.files;
  totals_.lines += finding.lines;
  totals_.matches += finding.matches;

  held_lines_ += finding.lines;
  held_bytes_ += finding.text.size() + path.size();
  held_.insert_or_assign(std::string(path), Held{finding.lines, std::move(finding.text)});
  // What stands behind enough lines will never be shown: whatever is still added can only push it back further.
  while (held_.size() > 1) {
    const auto last = std::prev(held_.end());
    const bool is_behind = held_lines_ - last->second.lines >= lines_max_ + (separated_ ? 1 : 0);
    if (!is_behind && held_bytes_ <= kGrepHeldBytesMax) break;
    held_lines_ -= last->second.lines;
    held_bytes_ -= last->second.text.size() + last->first.size();
    held_.erase(last);
  }
}

GrepResults::Window GrepResults::take_window(std::size_t characters_max) {
  Window window;
  const Totals all = totals();
  const std::lock_guard lock(mutex_);
  std::size_t first = 0;  // number of the file's first line, counted over all files
  for (const auto& [path, held] : held_) {
    if (first >= lines_max_ || window.was_cut) break;
    const std::size_t lines_before = window.lines;
    const std::size_t separator = separated_ && &held == &held_.begin()->second ? 1 : 0;
    const std::size_t lines = held.lines - separator;
    const std::string_view text = std::string_view(held.text).substr(separator * kSeparator.size());
    if (first + lines > offset_) take_lines(text, first, lines, characters_max, window);
    if (window.lines > lines_before) window.files.push_back(to_valid_utf8(path));
    first += lines;
  }
  window.out_of_reach = window.lines == 0 && all.lines > offset_;
  return window;
}

// Those of the lines of one file that lie in the window.
void GrepResults::take_lines(std::string_view text, std::size_t first, std::size_t lines, std::size_t characters_max,
                             Window& window) const {
  for (std::size_t at = first; at < first + lines && at < lines_max_; ++at) {
    if (text.empty()) {  // it had more than was kept
      window.was_cut = true;
      return;
    }
    const std::size_t length = text.find('\n') + 1;
    const std::string line = to_valid_utf8(text.substr(0, length));
    text.remove_prefix(length);
    if (at < offset_) continue;
    window.characters += count_characters(line);
    if (window.characters > characters_max) {
      window.was_cut = true;
      return;
    }
    window.text += line;
    ++window.lines;
  }
}

GrepResults::Totals GrepResults::totals() const {
  const std::lock_guard lock(mutex_);
  Totals totals = totals_;
  if (separated_ && totals.files > 0) --totals.lines;  // before the first file there is no separator
  return totals;
}

}  // namespace deft
