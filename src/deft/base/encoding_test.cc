#include "deft/base/encoding.h"

#include <gtest/gtest.h>

#include "deft/base/legacy_encoding.h"
#include "deft/base/utf8.h"
#include "deft/testing/legacy_samples.h"

namespace deft {
namespace {

using namespace std::string_view_literals;

TEST(Encoding, IsToldByMarksZeroBytesAndWhatDecodes) {
  struct Case {
    std::string_view bytes;
    std::optional<TextEncoding> encoding;
  };
  const Case cases[] = {
      {"", TextEncoding{Encoding::utf8, false}},
      {"plain\n", TextEncoding{Encoding::utf8, false}},
      {"gr\xC3\xBC\xC3\x9F"sv, TextEncoding{Encoding::utf8, false}},
      {"\xEF\xBB\xBFx"sv, TextEncoding{Encoding::utf8, true}},
      {"\xFF\xFEh\0i\0"sv, TextEncoding{Encoding::utf16_le, true}},
      {"\xFE\xFF\0h\0i"sv, TextEncoding{Encoding::utf16_be, true}},
      {"\xFF\xFE"sv, TextEncoding{Encoding::utf16_le, true}},
      {"h\0e\0l\0l\0o\0\n\0"sv, TextEncoding{Encoding::utf16_le, false}},
      {"\0h\0e\0l\0l\0o\0\n"sv, TextEncoding{Encoding::utf16_be, false}},
      {"caf\xE9 na\xEFve"sv, TextEncoding{Encoding::windows_1252, false}},
      {"\x93quoted\x94 \x80"sv, TextEncoding{Encoding::windows_1252, false}},
      {"\xC3\xBC\xC3\x9F\xC3\xA4 damaged \xFF"sv, TextEncoding{Encoding::utf8, false}},
      {"\x1B[31mred\x1B[0m\f\n"sv, TextEncoding{Encoding::utf8, false}},
      {"\x7F\x45LF\x02\x01\x01\0\0\0"sv, std::nullopt},
      {"text with a zero \0 byte"sv, std::nullopt},
      {"\x01\x02\x03\x04"sv, std::nullopt},
      {"\xFF\xFE\0\0h\0\0\0"sv, std::nullopt},
      {"\xE9\x01\x02 caf\xE9"sv, std::nullopt},
  };
  for (const Case& c : cases) {
    const auto found = detect_encoding(c.bytes);
    EXPECT_EQ(found.has_value(), c.encoding.has_value()) << ::testing::PrintToString(c.bytes);
    EXPECT_TRUE(found == c.encoding) << ::testing::PrintToString(c.bytes);
  }
}

TEST(Encoding, WhatWasDecodedIsEncodedToTheSameBytes) {
  for (const Encoding encoding : {Encoding::utf16_le, Encoding::utf16_be, Encoding::windows_1252}) {
    std::string bytes;
    for (int i = 1; i < 256; ++i) {
      if (encoding == Encoding::utf16_be) bytes += '\x21';
      bytes += static_cast<char>(i);
      if (encoding == Encoding::utf16_le) bytes += '\x21';
    }
    if (encoding == Encoding::utf16_le) bytes += "\x3D\xD8\x00\xDE"sv;  // a pair of surrogates
    if (encoding == Encoding::utf16_be) bytes += "\xD8\x3D\xDE\x00"sv;
    std::string utf8;
    for (std::string_view rest = bytes; !rest.empty();) {
      const DecodedCharacter c = decode_character(rest, encoding);
      EXPECT_FALSE(c.is_stray);
      append_utf8(utf8, c.code_point);
      rest.remove_prefix(c.bytes);
    }
    EXPECT_EQ(encode_text(utf8, encoding).value(), bytes) << to_string(encoding);
  }
}

std::string decoded(std::string_view bytes, Encoding encoding) {
  std::string utf8;
  while (!bytes.empty()) {
    const DecodedCharacter c = decode_character(bytes, encoding);
    append_utf8(utf8, c.code_point);
    bytes.remove_prefix(c.bytes);
  }
  return utf8;
}

TEST(Encoding, OlderEncodingsAreRecognisedAndReadAndWritten) {
  for (const testing::LegacySample& sample : testing::kLegacySamples) {
    std::string file = "# a comment\n";
    for (const testing::LegacyLine& line : sample.lines) {
      file += std::string(line.bytes) + "\n";
      EXPECT_EQ(decoded(line.bytes, sample.encoding), line.text) << to_string(sample.encoding);
      EXPECT_EQ(encode_text(line.text, sample.encoding).value(), line.bytes) << to_string(sample.encoding);
    }
    const auto found = detect_encoding(file);
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(to_string(found->encoding), to_string(sample.encoding));
  }
}

TEST(Encoding, OneByteThatDoesNotFitMakesItBytesThatAreKept) {
  const auto& japanese = testing::kLegacySamples[0];
  ASSERT_EQ(japanese.encoding, Encoding::shift_jis);
  std::string file;
  for (const auto& line : japanese.lines) file += std::string(line.bytes) + "\n";
  // Half a character; and one of those that Shift_JIS has twice, in the place that nobody writes.
  for (const char* odd : {"\x83\n", "\x87\x90\n"}) {
    EXPECT_EQ(detect_encoding(file + odd)->encoding, Encoding::windows_1252) << ::testing::PrintToString(odd);
  }
}

TEST(Encoding, FourByteCharactersOfGb18030GoBothWays) {
  const std::string_view utf8 = "ß€😀\U0010FFFF";
  const auto bytes = encode_text(utf8, Encoding::gb18030);
  ASSERT_TRUE(bytes.has_value()) << bytes.error().message;
  EXPECT_EQ(*bytes, "\x81\x30\x89\x38\xA2\xE3\x94\x39\xFC\x36\xE3\x32\x9A\x35"sv);
  EXPECT_EQ(decoded(*bytes, Encoding::gb18030), utf8);
}

TEST(Encoding, EveryTableGoesBothWays) {
  for (int i = 0; i <= static_cast<int>(Encoding::tis_620); ++i) {
    const auto encoding = static_cast<Encoding>(i);
    const CharacterTable* table = legacy_table(encoding);
    EXPECT_EQ(table != nullptr, i > static_cast<int>(Encoding::windows_1252)) << to_string(encoding);
    EXPECT_FALSE(to_string(encoding).empty());
    std::size_t characters = 0;
    for (char32_t c = 0; table && c < 0x10000; ++c) {
      const auto bytes = table->encode(c);
      if (!bytes) continue;
      ++characters;
      const auto back = table->decode(*bytes);
      ASSERT_TRUE(back && back->code_point == c && back->bytes == bytes->size()) << to_string(encoding);
    }
    EXPECT_EQ(characters > 200, table != nullptr) << to_string(encoding);
  }
}

TEST(Encoding, ACharacterThatTheEncodingLacksIsNamed) {
  const auto encoded = encode_text("a Ω", Encoding::windows_1252);
  ASSERT_FALSE(encoded.has_value());
  EXPECT_EQ(encoded.error().message, "the character “Ω” does not exist in Windows-1252");
  EXPECT_EQ(encode_text("日本 é", Encoding::shift_jis).error().message,
            "the character “é” does not exist in Shift_JIS");
}

TEST(Encoding, HalfASurrogatePairAndHalfACharacterAreStray) {
  EXPECT_TRUE(decode_character("\x3D\xD8"sv, Encoding::utf16_le).is_stray);
  EXPECT_TRUE(decode_character("\x3D\xD8x\0"sv, Encoding::utf16_le).is_stray);
  EXPECT_TRUE(decode_character("\x00\xDE"sv, Encoding::utf16_le).is_stray);
  EXPECT_EQ(decode_character("x"sv, Encoding::utf16_be).bytes, 1U);
}

}  // namespace
}  // namespace deft
