#include "deft/tools/shell_output.h"

#include <gtest/gtest.h>

#include "deft/base/utf8.h"
#include "deft/testing/temp_folder.h"

namespace deft {
namespace {

std::shared_ptr<OutputFolder> outputs_in(const TempFolder& folder) {
  return std::make_shared<OutputFolder>(folder / "r");
}

TEST(ShellOutput, ShortOutputIsShownWholeAndMakesNoFile) {
  const TempFolder folder;
  ShellOutput output(outputs_in(folder), "out", ShellOutput::Keep::long_output);
  output.add("a\xFF");
  output.add("b\n");
  EXPECT_EQ(output.text(),
            "a\xEF\xBF\xBD"
            "b\n");
  EXPECT_TRUE(folder.names().empty());
}

TEST(ShellOutput, LongOutputShowsBothEndsAndKeepsAllInAFile) {
  const TempFolder folder;
  ShellOutput output(outputs_in(folder), "out", ShellOutput::Keep::long_output);
  std::string all;
  for (int i = 0; i < 20'000; ++i) all += "line " + std::to_string(i) + "\n";
  for (std::size_t at = 0; at < all.size(); at += 1000) output.add(std::string_view(all).substr(at, 1000));
  EXPECT_EQ(folder.bytes("r/out.txt"), std::nullopt) << "not before it is whole";
  output.finish();
  const std::string text = output.text();
  EXPECT_LE(count_characters(text), 31'000U);
  EXPECT_TRUE(text.starts_with("line 0\nline 1\n"));
  EXPECT_TRUE(text.ends_with("line 19998\nline 19999\n"));
  EXPECT_NE(text.find("Full output saved to: " + (folder / "r/out.txt")), std::string::npos);
  EXPECT_EQ(folder.bytes("r/out.txt"), all);
}

TEST(ShellOutput, EndlessOutputCostsBoundedMemoryAndDisk) {
  const TempFolder folder;
  ShellOutput output(outputs_in(folder), "out", ShellOutput::Keep::long_output);
  const std::string piece(std::size_t{1} << 20, 'x');
  for (int i = 0; i < 80; ++i) output.add(piece);
  output.finish();
  EXPECT_EQ(folder.bytes("r/out.txt")->size(), std::size_t{64} << 20);
  EXPECT_NE(output.text().find("The first 64.0 MB are saved"), std::string::npos);
}

TEST(ShellOutput, CharactersCountAndNotBytes) {
  const TempFolder folder;
  ShellOutput output(outputs_in(folder), "out", ShellOutput::Keep::long_output);
  std::string all;
  for (int i = 0; i < 30'000; ++i) all += "\xE2\x82\xAC";
  output.add(all);
  output.finish();
  EXPECT_FALSE(output.is_long());
  EXPECT_EQ(output.text(), all);
  EXPECT_TRUE(folder.names().empty());
}

TEST(ShellOutput, ALineThatNeverEndsIsLongToo) {
  const TempFolder folder;
  ShellOutput output(outputs_in(folder), "out", ShellOutput::Keep::long_output);
  output.add(std::string(40'000, 'x'));
  output.finish();
  EXPECT_TRUE(output.is_long());
  EXPECT_EQ(folder.bytes("r/out.txt"), std::string(40'000, 'x'));
  const LongOutput shown = output.long_output();
  EXPECT_EQ(shown.characters, 40'000U);
  EXPECT_EQ(shown.path, folder / "r/out.txt");
  EXPECT_EQ(shown.problem, "");
}

TEST(ShellOutput, WhatCannotBeKeptIsSaid) {
  const TempFolder folder;
  const auto outputs = std::make_shared<OutputFolder>(folder / "r", OutputQuota{.folder_bytes_max = 1'000});
  ShellOutput output(outputs, "out", ShellOutput::Keep::long_output);
  output.add(std::string(40'000, 'x'));
  output.finish();
  EXPECT_NE(output.text().find("The full output could not be saved: this session may keep 1000 B"), std::string::npos);
  EXPECT_TRUE(output.long_output().path.empty());
  EXPECT_TRUE(folder.names("r").empty());
}

TEST(ShellOutput, TheModelSeesCleanTextAndTheFileKeepsEveryByte) {
  const TempFolder folder;
  ShellOutput output(outputs_in(folder), "out", ShellOutput::Keep::all);
  std::string all;
  for (int i = 0; i <= 10'000; ++i) all += "\x1B[32m" + std::to_string(i) + " done\x1B[0m\r";
  output.add(all);
  EXPECT_EQ(output.text(), "10000 done");
  EXPECT_EQ(folder.bytes("r/out.txt"), all);
}

TEST(ShellOutput, WhatIsNewIsGivenOnce) {
  const TempFolder folder;
  ShellOutput output(outputs_in(folder), "out", ShellOutput::Keep::all);
  output.add("one\n");
  EXPECT_EQ(output.take_new(), "one\n");
  EXPECT_EQ(output.take_new(), "");
  output.add("two\nthr");
  EXPECT_EQ(output.take_new(), "two\nthr");
  output.add("ee\n");
  EXPECT_EQ(output.take_new(), "three\n");  // the line was not complete before
  EXPECT_EQ(output.text(), "one\ntwo\nthree\n");
}

TEST(ShellOutput, AFileCanBeAskedForInTheMiddle) {
  const TempFolder folder;
  ShellOutput output(outputs_in(folder), "out", ShellOutput::Keep::long_output);
  output.add("one\n");
  EXPECT_FALSE(output.has_file());
  output.keep_all();
  output.add("two\n");
  EXPECT_EQ(folder.bytes("r/out.txt"), "one\ntwo\n");
}

}  // namespace
}  // namespace deft
