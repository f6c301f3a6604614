#include "deft/core/page_range.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>

namespace deft {

namespace {

std::optional<std::size_t> page_number(std::string_view word) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc{} || end != word.data() + word.size() || number == 0) return std::nullopt;
  return number;
}

std::string pages(std::size_t count) { return std::to_string(count) + (count == 1 ? " page" : " pages"); }

}  // namespace

Result<PageRange> parse_page_range(std::string_view words, std::size_t page_count) {
  if (words.empty()) {
    if (page_count <= kPagesUnaskedMax) return PageRange{1, page_count};
    return fail(Errc::invalid_input, "It has " + pages(page_count) + ", too many for one look: give pages, at most " +
                                         std::to_string(kPagesAtOnceMax) + " at once, for example \"1-5\".");
  }
  const std::size_t dash = words.find('-');
  const auto first = page_number(words.substr(0, dash));
  const auto last = dash == std::string_view::npos ? first : page_number(words.substr(dash + 1));
  if (!first || !last || *last < *first) {
    return fail(Errc::invalid_input,
                "pages must be one page or a range, counted from 1, for example \"3\" or \"1-5\".");
  }
  if (*first > page_count)
    return fail(Errc::invalid_input, "It has only " + pages(page_count) + ": give earlier ones.");
  const PageRange range{*first, std::min(*last, page_count)};
  if (range.last - range.first >= kPagesAtOnceMax) {
    return fail(Errc::invalid_input, "At most " + std::to_string(kPagesAtOnceMax) +
                                         " pages are shown at once: give \"" + std::to_string(range.first) + "-" +
                                         std::to_string(range.first + kPagesAtOnceMax - 1) + "\", then the rest.");
  }
  return range;
}

}  // namespace deft
