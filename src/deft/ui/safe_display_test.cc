#include "deft/ui/safe_display.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

#include "deft/base/utf8.h"

namespace deft {
namespace {

// What stands behind a text as it is shown.
std::string original_of(std::string_view shown) {
  std::string out;
  const auto number = [&](std::size_t digits) {
    const std::string text(shown.substr(2, digits));
    shown.remove_prefix(2 + digits);
    return static_cast<char32_t>(std::strtoul(text.c_str(), nullptr, 16));
  };
  while (!shown.empty()) {
    const bool is_escape = shown[0] == '\\' && shown.size() > 1;
    if (is_escape && shown[1] == 'x') {
      out += static_cast<char>(number(2));
    } else if (is_escape && shown[1] == 'u') {
      append_utf8(out, number(4));
    } else if (is_escape && shown[1] == 'U') {
      append_utf8(out, number(8));
    } else {
      out += shown[0];
      shown.remove_prefix(is_escape && shown[1] == '\\' ? 2 : 1);
    }
  }
  return out;
}

TEST(SafeDisplay, PlainTextStandsForItself) {
  EXPECT_EQ(safe_display(R"(grep -n 'a\.b' *.cc | sed s/\n/x/)"), R"(grep -n 'a\.b' *.cc | sed s/\n/x/)");
  EXPECT_EQ(safe_display("naïve 日本語 🙂"), "naïve 日本語 🙂");
}

TEST(SafeDisplay, WhatATerminalWouldObeyIsVisible) {
  EXPECT_EQ(safe_display("\x1B[2Jx\r\b\a\x7F\t"), R"(\x1b[2Jx\x0d\x08\x07\x7f\x09)");
  EXPECT_EQ(safe_display(std::string_view("\0", 1)), R"(\x00)");
  EXPECT_EQ(safe_display("\u009B31m"), R"(\u009b31m)") << "the eight-bit form of ESC [";
  EXPECT_EQ(safe_display("\x9B"), R"(\x9b)") << "no UTF-8";
}

TEST(SafeDisplay, WhatHidesOrReordersIsVisible) {
  EXPECT_EQ(safe_display("a\u202Eb\u2066c\u200Bd\uFEFFe\u00ADf\u00A0g"),
            R"(a\u202eb\u2066c\u200bd\ufeffe\u00adf\u00a0g)");
  EXPECT_EQ(safe_display("\u05D0\u0627"), R"(\u05d0\u0627)");
  EXPECT_EQ(safe_display("\U000E0041"), R"(\U000e0041)");
}

TEST(SafeDisplay, WhatOnlyLooksLikeAnEscapeLooksDifferent) {
  EXPECT_EQ(safe_display(R"(\x1b)"), R"(\\x1b)");
  EXPECT_EQ(safe_display(R"(\u202e)"), R"(\\u202e)");
  EXPECT_EQ(safe_display("\\\x1B"), R"(\\\x1b)");
  EXPECT_EQ(safe_display(R"(a\\b)"), R"(a\\\b)");
}

TEST(SafeDisplay, LineEndsAreKeptOnlyWhereTheyMayBe) {
  EXPECT_EQ(safe_display("a\nb"), R"(a\x0ab)");
  EXPECT_EQ(safe_display("a\nb\r", LineEnds::kept), "a\nb\\x0d");
}

TEST(SafeDisplay, AnyBytesAreHarmlessAndCanBeReadBack) {
  std::mt19937 random(6);
  const std::string_view pieces[] = {"\\",   "x1b",  "u202e", "U0001f642", "\x1B", "\u202E",
                                     "\xE2", "\x80", "a",     "\n",        "é"};
  for (int run = 0; run < 20'000; ++run) {
    std::string text;
    for (auto count = random() % 12; count > 0; --count) {
      if (random() % 2 == 0) {
        text += pieces[random() % std::size(pieces)];
      } else {
        text += static_cast<char>(random());
      }
    }
    const std::string shown = safe_display(text);
    ASSERT_EQ(original_of(shown), text) << shown;
    ASSERT_TRUE(is_utf8(shown));
    for (const char c : shown) ASSERT_TRUE(static_cast<unsigned char>(c) >= 0x20 && c != 0x7F) << shown;
  }
}

}  // namespace
}  // namespace deft
