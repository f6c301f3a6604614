#include "deft/base/utf8.h"

#include <gtest/gtest.h>

namespace deft {
namespace {

TEST(Utf8, RefusesOverlongSurrogateAndTooLargeForms) {
  for (const char* bad : {"\xC0\x80", "\xE0\x80\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xF5", "\x80", "\xE2\x82"}) {
    EXPECT_FALSE(is_utf8(bad));
  }
  EXPECT_TRUE(is_utf8("a\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80"));
}

TEST(Utf8, PrefixesEndBetweenCharacters) {
  const std::string_view text = "a\xE2\x82\xAC\xF0\x9F\x98\x80";
  EXPECT_EQ(utf8_prefix(text, 3), "a");
  EXPECT_EQ(utf8_prefix(text, 4), "a\xE2\x82\xAC");
  EXPECT_EQ(utf8_prefix(text, 7), "a\xE2\x82\xAC");
  EXPECT_EQ(utf8_prefix(text, 8), text);
  EXPECT_EQ(first_characters(text, 2), "a\xE2\x82\xAC");
  EXPECT_EQ(count_characters(text), 3U);
}

TEST(Utf8, StrayBytesBecomeReplacementCharacters) { EXPECT_EQ(to_valid_utf8("a\xFFz"), "a\xEF\xBF\xBDz"); }

}  // namespace
}  // namespace deft
