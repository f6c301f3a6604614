#include "deft/core/source_lines.h"

#include <gtest/gtest.h>

#include <string>

namespace deft {
namespace {

constexpr ColumnUnit kUnits[] = {ColumnUnit::utf8, ColumnUnit::utf16, ColumnUnit::utf32};

TEST(SourceLines, EndWithAnyOfTheThreeEndsAndTheLastOneWithNone) {
  const SourceLines lines("a\nbc\r\n\rlast");
  ASSERT_EQ(lines.count(), 4U);
  EXPECT_EQ(lines.line(1), "a");
  EXPECT_EQ(lines.line(2), "bc");
  EXPECT_EQ(lines.line(3), "");
  EXPECT_EQ(lines.line(4), "last");
  EXPECT_EQ(lines.line(0), "");
  EXPECT_EQ(lines.line(5), "");
}

TEST(SourceLines, AnEmptyTextHasOneLineAndAnEndOfLineBeginsAnother) {
  EXPECT_EQ(SourceLines("").count(), 1U);
  EXPECT_EQ(SourceLines("\n").count(), 2U);
  EXPECT_EQ(SourceLines("a\r\n").count(), 2U);
  EXPECT_EQ(SourceLines("a\r\n").line(2), "");
}

TEST(SourceLines, ColumnsAreCharactersAndUnitsAreThoseOfTheEncoding) {
  // ä: 2 bytes, 1 unit. 😀: 4 bytes, 2 units. e and a combining accent: two characters. €: 3 bytes, 1 unit.
  const SourceLines lines("xä😀e\u0301€z");
  EXPECT_EQ(lines.units_before(1, 1, ColumnUnit::utf16), 0U);
  EXPECT_EQ(lines.units_before(1, 3, ColumnUnit::utf8), 3U);
  EXPECT_EQ(lines.units_before(1, 3, ColumnUnit::utf16), 2U);
  EXPECT_EQ(lines.units_before(1, 4, ColumnUnit::utf8), 7U);
  EXPECT_EQ(lines.units_before(1, 4, ColumnUnit::utf16), 4U);
  EXPECT_EQ(lines.units_before(1, 4, ColumnUnit::utf32), 3U);
  EXPECT_EQ(lines.units_before(1, 7, ColumnUnit::utf8), 13U);
  EXPECT_EQ(lines.units_before(1, 7, ColumnUnit::utf16), 7U);
}

TEST(SourceLines, EveryColumnComesBackFromItsUnits) {
  const std::string line = "a😀\u0301ß𝒳\t\u4e2d end";
  for (const ColumnUnit unit : kUnits) {
    for (std::size_t column = 1; column <= 11; ++column) {
      EXPECT_EQ(column_after(line, units_before(line, column, unit), unit), column) << column;
    }
  }
}

TEST(SourceLines, APlaceWithinACharacterIsItsBeginning) {
  EXPECT_EQ(column_after("a😀b", 2, ColumnUnit::utf16), 2U) << "between the two halves of a surrogate pair";
  EXPECT_EQ(column_after("a😀b", 3, ColumnUnit::utf16), 3U);
  EXPECT_EQ(column_after("ää", 1, ColumnUnit::utf8), 1U);
}

TEST(SourceLines, APlaceBehindTheEndOfALineIsItsEnd) {
  const SourceLines lines("ab\r\ncd");
  for (const ColumnUnit unit : kUnits) {
    EXPECT_EQ(lines.units_before(1, 99, unit), 2U) << "the end of line does not count";
    EXPECT_EQ(lines.column_after(1, 99, unit), 3U);
    EXPECT_EQ(lines.units_before(2, 99, unit), 2U) << "nor is there one behind the last line";
    EXPECT_EQ(lines.units_before(7, 3, unit), 0U);
    EXPECT_EQ(lines.column_after(7, 3, unit), 1U);
  }
}

TEST(SourceLines, AStrayByteCountsAsOneCharacter) {
  EXPECT_EQ(column_after("\xff\xfe!", 2, ColumnUnit::utf16), 3U);
  EXPECT_EQ(units_before("\xff\xfe!", 3, ColumnUnit::utf8), 2U);
}

}  // namespace
}  // namespace deft
