#pragma once

#include <cstddef>
#include <string_view>

#include "deft/base/result.h"

namespace deft {

inline constexpr std::size_t kPagesAtOnceMax = 20;
inline constexpr std::size_t kPagesUnaskedMax = 10;  // a longer document is shown only by pages that are named

struct PageRange {
  std::size_t first = 1;  // from 1
  std::size_t last = 1;   // inclusive
  bool operator==(const PageRange&) const = default;
};

// "3" or "1-5", of a document with so many pages; an end beyond its last page means that one. Without words: all of
// it. Errors say what to give instead.
Result<PageRange> parse_page_range(std::string_view words, std::size_t page_count);

}  // namespace deft
