#include "deft/tools/shell_output.h"

#include <gtest/gtest.h>

#include "deft/base/utf8.h"
#include "deft/testing/temp_folder.h"
#include "deft/tools/plain_command.h"

namespace deft {
namespace {

TEST(ShellOutput, ShortOutputIsShownWholeAndMakesNoFile) {
  const TempFolder folder;
  ShellOutput output(folder / "r/out.txt");
  output.add("a\xFF");
  output.add("b\n");
  EXPECT_EQ(output.text(),
            "a\xEF\xBF\xBD"
            "b\n");
  EXPECT_TRUE(folder.names().empty());
}

TEST(ShellOutput, LongOutputShowsBothEndsAndKeepsAllInAFile) {
  const TempFolder folder;
  ShellOutput output(folder / "r/out.txt");
  std::string all;
  for (int i = 0; i < 20'000; ++i) all += "line " + std::to_string(i) + "\n";
  for (std::size_t at = 0; at < all.size(); at += 1000) output.add(std::string_view(all).substr(at, 1000));
  const std::string text = output.text();
  EXPECT_LE(count_characters(text), 31'000U);
  EXPECT_TRUE(text.starts_with("line 0\nline 1\n"));
  EXPECT_TRUE(text.ends_with("line 19998\nline 19999\n"));
  EXPECT_NE(text.find("Full output saved to: " + (folder / "r/out.txt")), std::string::npos);
  EXPECT_EQ(folder.bytes("r/out.txt"), all);
}

TEST(ShellOutput, EndlessOutputCostsBoundedMemoryAndDisk) {
  const TempFolder folder;
  ShellOutput output(folder / "r/out.txt");
  const std::string piece(std::size_t{1} << 20, 'x');
  for (int i = 0; i < 80; ++i) output.add(piece);
  EXPECT_EQ(folder.bytes("r/out.txt")->size(), kShellOutputFileBytesMax);
  EXPECT_NE(output.text().find("The first 64.0 MB are saved"), std::string::npos);
}

TEST(PlainCommand, OnlyTheFewKnownOnesInTheirPlainestForm) {
  for (const char* command :
       {"true", "pwd", "ls", "ls -la src", "cat a.txt b.txt", "wc -l a.txt", "echo hello", "sleep 0.3"}) {
    EXPECT_TRUE(plain_read_only_command(command)) << command;
  }
  for (const char* command : {"",      "rm a",       "cat a > b", "ls; rm a", "ls $(rm a)",  "cat `x`", "echo \"a\"",
                              "ls *",  "ls --color", "cat",       "ls ~",     "cat a\nrm b", "A=1 ls",  "tail -f a",
                              "pwd x", "/bin/ls",    "ls -Z",     "ls {a,b}", "cat a|b",     "cat a&",  "ls -"}) {
    EXPECT_FALSE(plain_read_only_command(command)) << command;
  }
  EXPECT_EQ(plain_read_only_command("cat a /b")->paths, (std::vector<std::string>{"a", "/b"}));
}

}  // namespace
}  // namespace deft
