#include "deft/base/visible_text.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace deft {
namespace {

TEST(VisibleText, DropsWhatNobodySeesAndKeepsWhatShapesLetters) {
  using namespace std::string_literals;
  const std::vector<std::pair<std::string, std::string>> table = {
      {"", ""},
      {"plain\ttext\n", "plain\ttext\n"},
      {"a\r\nb\rc\n", "a\nb\nc\n"},
      {"a\0b\x1B[31mred\x07\x7F\b"s, "ab[31mred"},
      {"a\u009B31mb\u0085c", "a31mbc"},                                          // controls of one byte, in UTF-8
      {"user\u202Egnp.exe\u202C \u2066x\u2069", "usergnp.exe x"},                // turned around
      {"Hi\U000E0049\U000E0067\U000E006E\U000E006F\U000E0072\U000E0065", "Hi"},  // "Ignore" in tags
      {"e\U000E0100\U000E0101", "e"},                                            // bytes in variants
      {"Do\u00ADnau\u200Bdampf\uFEFF\u2060\u3164", "Donaudampf"},
      {"\u0645\u06CC\u200C\u062E\u0648\u0627\u0647\u0645 \u200Fx",
       "\u0645\u06CC\u200C\u062E\u0648\u0627\u0647\u0645 \u200Fx"},  // Persian needs its joiner
      {"\U0001F468\u200D\U0001F469 \u2764\uFE0F caf\u00E9 \u20AC \u3000",
       "\U0001F468\u200D\U0001F469 \u2764\uFE0F caf\u00E9 \u20AC \u3000"},
      {"stray \xC2 \xF3", "stray \xC2 \xF3"},
  };
  for (const auto& [text, expected] : table) EXPECT_EQ(visible_text(text), expected) << text;
}

}  // namespace
}  // namespace deft
