#include "deft/core/page_range.h"

#include <gtest/gtest.h>

namespace deft {
namespace {

std::string shown(std::string_view words, std::size_t page_count) {
  const auto range = parse_page_range(words, page_count);
  if (!range) return "ERROR " + range.error().message;
  return std::to_string(range->first) + " to " + std::to_string(range->last);
}

TEST(PageRange, IsOnePageOrSeveralAndEndsWithTheDocument) {
  EXPECT_EQ(shown("3", 5), "3 to 3");
  EXPECT_EQ(shown("2-4", 5), "2 to 4");
  EXPECT_EQ(shown("4-9", 5), "4 to 5");
  EXPECT_EQ(shown("81-100", 100), "81 to 100");
  EXPECT_EQ(shown("1-18446744073709551615", 7), "1 to 7");
}

TEST(PageRange, WithoutWordsAShortDocumentIsShownWhole) {
  EXPECT_EQ(shown("", 10), "1 to 10");
  EXPECT_EQ(shown("", 11),
            "ERROR It has 11 pages, too many for one look: give pages, at most 20 at once, for example \"1-5\".");
}

TEST(PageRange, SaysWhatToGiveInstead) {
  for (const std::string_view words :
       {"0", "0-3", "3-1", "a", "1-", "-3", "1-2-3", "1 - 2", "1,3", "99999999999999999999"}) {
    EXPECT_EQ(shown(words, 5), "ERROR pages must be one page or a range, counted from 1, for example \"3\" or \"1-5\".")
        << words;
  }
  EXPECT_EQ(shown("2", 1), "ERROR It has only 1 page: give earlier ones.");
  EXPECT_EQ(shown("5-25", 100), "ERROR At most 20 pages are shown at once: give \"5-24\", then the rest.");
}

}  // namespace
}  // namespace deft
