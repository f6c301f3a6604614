#include "deft/core/file_text.h"

#include <gtest/gtest.h>

namespace deft {
namespace {

using namespace std::string_view_literals;

TEST(FileText, IsSeenInUtf8WithPlainLineEnds) {
  struct Case {
    std::string_view bytes;
    std::string_view text;
    LineEnd line_end;
  };
  const Case cases[] = {
      {"a\nb\n", "a\nb\n", LineEnd::lf},
      {"a\r\nb\r\n", "a\nb\n", LineEnd::crlf},
      {"a\rb\r", "a\nb\n", LineEnd::cr},
      {"a\r\nb\nc\r\n", "a\nb\nc\n", LineEnd::crlf},
      {"a\r\nb\nc\n", "a\nb\nc\n", LineEnd::lf},
      {"progress\r100%\n", "progress\r100%\n", LineEnd::lf},
      {"a\r\r\nb", "a\r\nb", LineEnd::crlf},
      {"", "", LineEnd::lf},
      {"\xEF\xBB\xBF"
       "a\r\n"sv,
       "a\n", LineEnd::crlf},
      {"\xFF\xFE"
       "a\0\r\0\n\0\xE9\0"sv,
       "a\né", LineEnd::crlf},
      {"caf\xE9\r\n"sv, "café\n", LineEnd::crlf},
  };
  for (const Case& c : cases) {
    const auto file = FileText::of(c.bytes);
    ASSERT_TRUE(file.has_value()) << testing::PrintToString(c.bytes);
    EXPECT_EQ(file->text(), c.text) << testing::PrintToString(c.bytes);
    EXPECT_EQ(file->line_end(), c.line_end) << testing::PrintToString(c.bytes);
  }
  EXPECT_EQ(FileText::of("a\r\nb", FileText::LineEnds::exact)->text(), "a\r\nb");
}

TEST(FileText, KnowsWhereEachCharacterLiesInTheBytes) {
  const auto bytes =
      "\xFF\xFE"
      "a\0\r\0\n\0\xE9\0\x3D\xD8\x00\xDEz\0"sv;  // a, line end, é, an emoji, z
  const auto file = FileText::of(bytes);
  ASSERT_EQ(file->text(), "a\né😀z");
  EXPECT_EQ(file->byte_offsets({0, 1, 2, 4, 8, 9}), (std::vector<std::size_t>{2, 4, 8, 10, 14, 16}));
  EXPECT_EQ(file->byte_offsets({1, 1, 2}), (std::vector<std::size_t>{4, 4, 8}));
}

TEST(FileText, WritesNewTextTheWayTheFileIsWritten) {
  const auto file = FileText::of(
      "\xFF\xFE"
      "a\0\r\0\n\0"sv);
  EXPECT_EQ(file->encode("x\ny\r\n", LineEnd::crlf).value(), "x\0\r\0\n\0y\0\r\0\n\0"sv);
  EXPECT_EQ(file->encode("x\n", LineEnd::lf).value(), "x\0\n\0"sv);
  EXPECT_EQ(FileText::of("a\rb")->encode("x\ny", LineEnd::cr).value(), "x\ry");
  EXPECT_EQ(FileText::of("a\r\nb\nc")->line_end_between(0, 3), LineEnd::crlf);
  EXPECT_EQ(FileText::of("a\r\nb\nc")->line_end_between(3, 6), LineEnd::lf);
}

TEST(FileText, BytesThatAreNotTextAreMarked) {
  const auto file = FileText::of("\xC3\xBC\xC3\x9F \xFF\n"sv);
  EXPECT_EQ(file->text(), "üß \xEF\xBF\xBD\n");
  EXPECT_TRUE(file->has_stray_bytes());
  EXPECT_FALSE(FileText::of("üß")->has_stray_bytes());
  EXPECT_FALSE(FileText::of("a\0b"sv).has_value());
}

}  // namespace
}  // namespace deft
