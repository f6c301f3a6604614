#include "deft/tools/text_source.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include "deft/os/unique_fd.h"
#include "deft/testing/temp_folder.h"

namespace deft {
namespace {

using namespace std::string_literals;

// All of it, so many bytes at a time.
std::string read_all_of(std::string_view bytes, std::size_t at_once) {
  const TempFolder folder;
  const UniqueFd fd(::open(folder.put("f", bytes).c_str(), O_RDONLY | O_CLOEXEC));
  TextSource source(fd.get());
  std::string buffer(at_once, '\0');
  std::string text;
  for (std::ptrdiff_t got = 1; got > 0;) {
    got = source.read(buffer.data(), buffer.size());
    if (got < 0) return "ERROR";
    text.append(buffer, 0, static_cast<std::size_t>(got));
  }
  return text;
}

TEST(TextSource, GivesTextAsUtf8HoweverItIsRead) {
  const std::string long_text(100'000, 'x');
  std::string long_utf16 = "\xFF\xFE"s;
  for (const char c : long_text) long_utf16.append({c, '\0'});
  for (const std::size_t at_once : {4UL, 5UL, 64UL, 65'536UL}) {
    EXPECT_EQ(read_all_of("", at_once), "");
    EXPECT_EQ(read_all_of("plain\n", at_once), "plain\n");
    EXPECT_EQ(read_all_of("\xEF\xBB\xBF"
                          "marked",
                          at_once),
              "marked");
    EXPECT_EQ(read_all_of("\xEF\xBB\xBF", at_once), "");
    EXPECT_EQ(read_all_of("\xFF\xFE"s, at_once), "");
    EXPECT_EQ(read_all_of("\xFF\xFE"
                          "a\0\xE9\0"s,
                          at_once),
              "a\u00E9");
    EXPECT_EQ(read_all_of("\xFE\xFF"
                          "\0a\0\xE9"s,
                          at_once),
              "a\u00E9");
    EXPECT_EQ(read_all_of("\xFF\xFE\x3C\xD8\x33\xDF!\0"s, at_once), "\U0001F333!");
    EXPECT_EQ(read_all_of("\xFF\xFE"
                          "a\0b"s,
                          at_once),
              "a\uFFFD");  // half a character at the end
    EXPECT_EQ(read_all_of("stray \xFF byte", at_once), "stray \xFF byte");
    EXPECT_EQ(read_all_of(long_utf16, at_once), long_text);
  }
}

TEST(TextSource, SaysThatAFolderIsNoText) {
  const TempFolder folder;
  const UniqueFd fd(::open(folder.path().c_str(), O_RDONLY | O_CLOEXEC));
  std::string buffer(64, '\0');
  EXPECT_EQ(TextSource(fd.get()).read(buffer.data(), buffer.size()), -1);
}

}  // namespace
}  // namespace deft
