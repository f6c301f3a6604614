#include "deft/core/edit.h"

#include <gtest/gtest.h>

namespace deft {
namespace {

using namespace std::string_view_literals;

TEST(Edit, ChangesOnlyTheBytesOfThePlace) {
  struct Case {
    std::string_view bytes, old_text, new_text, after;
  };
  const Case cases[] = {
      {"a\nb\nc\n", "b", "B", "a\nB\nc\n"},
      {"a\r\nb\r\nc", "a\nb", "x\ny\nz", "x\r\ny\r\nz\r\nc"},    // line ends as the file has them
      {"a\r\nb\nc\r\n", "b\nc", "b\nx\nc", "a\r\nb\nx\nc\r\n"},  // mixed: as they are at the place
      {"a\r\nb\nc\r\n", "a\nb\nc", "y", "y\r\n"},                // and matched whatever they are
      {"a\r\nb\r\n", "a\r\nb", "a\nb", "a\nb\r\n"},              // written down: taken literally
      {"a\rb\rc", "b\n", "x\ny\n", "a\rx\ry\rc"},
      {"\xEF\xBB\xBF"
       "a\nb"sv,
       "a", "z", "\xEF\xBB\xBFz\nb"sv},
      {"\xFF\xFE"
       "a\0\n\0b\0"sv,
       "a\nb", "ü", "\xFF\xFE\xFC\0"sv},
      {"\xFE\xFF\0a\0\n\0b"sv, "a", "\n", "\xFE\xFF\0\n\0\n\0b"sv},
      {"caf\xE9 x"sv, "é x", "è €", "caf\xE8 \x80"sv},
      {"\xC3\xBC\xC3\x9F bad \xFF end"sv, "end", "END", "\xC3\xBC\xC3\x9F bad \xFF END"sv},
      {"no end", "end", "end\n", "no end\n"},
      {"end\n", "end\n", "end", "end"},
      {"aXbX", "aX", "X", "XbX"},
  };
  for (const Case& c : cases) {
    const auto edit = apply_edit(c.bytes, {.old_text = c.old_text, .new_text = c.new_text});
    ASSERT_TRUE(edit.has_value()) << c.old_text << ": " << edit.error().message;
    EXPECT_EQ(edit->bytes, c.after);
  }
}

TEST(Edit, ReplacesEveryPlaceOnlyIfAskedTo) {
  const auto bytes = "x = 1\ny = x\nz\nx\nx\n"sv;
  const auto refused = apply_edit(bytes, {.old_text = "x", .new_text = "w"});
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, Errc::invalid_input);
  EXPECT_EQ(refused.error().message,
            "old_string occurs 4 times, on lines 1, 2, 4, 5: add lines around it until it is unique, or set "
            "replace_all to change all of them.");
  const auto all = apply_edit(bytes, {.old_text = "x", .new_text = "w\nw", .replace_all = true});
  EXPECT_EQ(all->bytes, "w\nw = 1\ny = w\nw\nz\nw\nw\nw\nw\n");
  EXPECT_EQ(all->replaced, (std::vector<LineRange>{{1, 1}, {2, 2}, {4, 4}, {5, 5}}));
  EXPECT_EQ(apply_edit("aaa", {.old_text = "aa", .new_text = "b", .replace_all = true})->bytes, "ba");
  EXPECT_NE(apply_edit(std::string(50, 'x'), {.old_text = "x", .new_text = "y"}).error().message.find("1, …"),
            std::string::npos);
}

TEST(Edit, TheChangedLinesAreTheOnesThatDiffer) {
  struct Case {
    std::string_view bytes, old_text, new_text;
    std::vector<LineChange> changes;
  };
  const Case cases[] = {
      {"a\nb\nc\nd\n", "b\nc", "b\nC", {{2, 1, 2, 1}}},
      {"a\nb\nc\n", "b\n", "", {{1, 1, 1, 0}}},
      {"a\nb\nc\n", "b\n", "x", {{1, 2, 1, 1}}},
      {"a\nb\nc\n", "b\n", "b\nx\n", {{2, 0, 2, 1}}},
      {"a\nb", "b", "b\n", {{1, 1, 1, 1}}},
      {"a\nb\n", "b\n", "b", {{1, 1, 1, 1}}},
      {"a\nb\n", "a\nb\n", "", {{0, 2, 0, 0}}},
  };
  for (const Case& c : cases) {
    const auto edit = apply_edit(c.bytes, {.old_text = c.old_text, .new_text = c.new_text});
    EXPECT_EQ(edit->changes, c.changes) << testing::PrintToString(c.old_text);
  }
}

TEST(Edit, SaysWhyNothingMatches) {
  struct Case {
    std::string_view bytes, old_text, reason;
  };
  const Case cases[] = {
      {"x\n\tint a;\n", "    int a;", "it differs in white space (blanks, tabs, indentation) from the text at line 2"},
      {"x\nint  a;\n", "int a;", "differs in white space"},
      {"x\nsay “hi”\n", "say \"hi\"", "it differs in quotation marks, dashes or dots from the text at line 2"},
      {"a\nb\nc\n", "b\r\nc", "its line ends (carriage returns) are not those of the file at line 2"},
      {"a\nb\nc\n", "     2\tb\n     3\tc",
       "it contains the line numbers that Read shows; without them it is at line 2"},
      {"a\nb\tc\n", "a\\nb\\tc", "it is escaped once too often"},
      {"a\nHello\n", "hello", "it differs in upper and lower case from the text at line 2"},
      {"a\nb\nc\nd\n", "b\nc\ne\n", "its first 2 lines begin at line 2 of the file, but then line 4 is “d”, not “e”."},
      {"a\nb\n", "b\nc", "its first line is line 2 of the file, but then the file ends."},
      {"a\nb\n", "nothing like it", "read the file again and copy the text exactly"},
      {"\xC3\xBC\xC3\x9F bad \xFF end"sv, "bad \xEF\xBF\xBD", "stands for bytes of the file that are not text"},
  };
  for (const Case& c : cases) {
    const auto edit = apply_edit(c.bytes, {.old_text = c.old_text, .new_text = "new"});
    ASSERT_FALSE(edit.has_value()) << c.old_text;
    EXPECT_EQ(edit.error().code, Errc::not_found);
    EXPECT_NE(edit.error().message.find(c.reason), std::string::npos) << c.old_text << ": " << edit.error().message;
  }
}

TEST(Edit, RefusesWhatIsNotTextAndWhatTheEncodingLacks) {
  EXPECT_EQ(apply_edit("a\0b"sv, {.old_text = "a", .new_text = "c"}).error().code, Errc::unsupported);
  const auto edit = apply_edit("caf\xE9"sv, {.old_text = "caf", .new_text = "Ω"});
  EXPECT_EQ(edit.error().message,
            "new_string cannot be written into this file: the character “Ω” does not exist in Windows-1252.");
}

}  // namespace
}  // namespace deft
