#include "deft/os/output_folder.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <thread>

#include "deft/testing/file_size_limit.h"
#include "deft/testing/temp_folder.h"

namespace deft {
namespace {

struct stat status_of(const std::string& path) {
  struct stat status{};
  EXPECT_EQ(::stat(path.c_str(), &status), 0) << path;
  return status;
}

TEST(OutputFolder, KeepsPrivateFilesUnderTheirIds) {
  const TempFolder folder;
  OutputFolder outputs(folder / "out");
  const auto kept = outputs.keep("toolu_1", ".txt", "hello");
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->path, folder / "out/toolu_1.txt");
  EXPECT_EQ(folder.bytes("out/toolu_1.txt"), "hello");
  EXPECT_EQ(status_of(folder / "out").st_mode & 0777U, 0700U);
  EXPECT_EQ(status_of(kept->path).st_mode & 0777U, 0600U);
}

TEST(OutputFolder, TheSameContentIsKeptOnceUnderEveryName) {
  const TempFolder folder;
  OutputFolder outputs(folder / "out");
  const auto first = outputs.keep("a", ".txt", "the same");
  const auto second = outputs.keep("b", ".json", "the same");
  const auto third = outputs.keep("c", ".txt", "another!");
  ASSERT_TRUE(first && second && third);
  EXPECT_EQ(second->path, folder / "out/b.json");
  EXPECT_EQ(status_of(first->path).st_ino, status_of(second->path).st_ino);
  EXPECT_NE(status_of(first->path).st_ino, status_of(third->path).st_ino);
  EXPECT_EQ(second->original, first->original);
  EXPECT_NE(third->original, first->original);

  OutputFolder later(folder / "out");  // after a resume
  const auto fourth = later.keep("d", ".txt", "the same");
  ASSERT_TRUE(fourth);
  EXPECT_EQ(status_of(fourth->path).st_ino, status_of(first->path).st_ino);
}

TEST(OutputFolder, NeverOverwritesAFile) {
  const TempFolder folder;
  OutputFolder outputs(folder / "out");
  const auto first = outputs.keep("a", ".txt", "one");
  const auto second = outputs.keep("a", ".txt", "two");
  ASSERT_TRUE(first && second);
  EXPECT_EQ(folder.bytes("out/a.txt"), "one");
  EXPECT_EQ(second->path, folder / "out/a-2.txt");
}

TEST(OutputFolder, AHostileIdWritesOnlyInside) {
  const TempFolder folder;
  folder.put("session/.keep", "");
  OutputFolder outputs(folder / "session/tool-results");
  const std::string ids[] = {
      "../../x", "/etc/passwd", std::string(4'096, 'x'), std::string("a\0b", 3), "\xF0\x9F\x98\x80/..", "..", ".", "",
      "a\nb",    "\xFF\xFE"};
  for (const std::string& id : ids) {
    const auto kept = outputs.keep(id, ".txt", "content of " + id);
    ASSERT_TRUE(kept) << id;
    EXPECT_EQ(kept->path.substr(0, kept->path.rfind('/')), folder / "session/tool-results");
  }
  EXPECT_EQ(folder.names(), std::vector<std::string>{"session"});
  EXPECT_EQ(folder.names("session/tool-results").size(), std::size(ids));
}

TEST(OutputFolder, ALinkInTheFoldersPlaceIsNotFollowed) {
  const TempFolder folder;
  folder.put("elsewhere/.keep", "");
  ASSERT_EQ(::symlink((folder / "elsewhere").c_str(), (folder / "out").c_str()), 0);
  OutputFolder outputs(folder / "out");
  EXPECT_FALSE(outputs.keep("a", ".txt", "x"));
  EXPECT_EQ(folder.names("elsewhere"), std::vector<std::string>{".keep"});
}

TEST(OutputFolder, ARemovedFolderIsMadeAgain) {
  const TempFolder folder;
  OutputFolder outputs(folder / "out");
  ASSERT_TRUE(outputs.keep("a", ".txt", "one"));
  std::filesystem::remove_all(folder / "out");
  ASSERT_TRUE(outputs.keep("b", ".txt", "two"));
  EXPECT_EQ(folder.bytes("out/b.txt"), "two");
}

TEST(OutputFolder, OneFileHasALimitAndKeepsTheBeginning) {
  const TempFolder folder;
  OutputFolder outputs(folder / "out", {.file_bytes_max = 10});
  const auto kept = outputs.keep("a", ".txt", "123456789\xE2\x82\xAC");
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->bytes, 9U) << "between characters";
  EXPECT_EQ(folder.bytes("out/a.txt"), "123456789");
}

TEST(OutputFolder, ASessionHasALimitThatIdenticalContentsDoNotUse) {
  const TempFolder folder;
  OutputFolder outputs(folder / "out", {.folder_bytes_max = 100});
  ASSERT_TRUE(outputs.keep("a", ".txt", std::string(80, 'a')));
  ASSERT_TRUE(outputs.keep("b", ".txt", std::string(80, 'a')));
  const auto refused = outputs.keep("c", ".txt", std::string(80, 'c'));
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("may keep 100 B of results"), std::string::npos) << refused.error().message;
  EXPECT_NE(refused.error().message.find("results.sessionMaxMb"), std::string::npos);
  EXPECT_TRUE(outputs.keep("d", ".txt", "short"));
  EXPECT_EQ(folder.names("out"), (std::vector<std::string>{"a.txt", "b.txt", "d.txt"}));

  OutputFolder later(folder / "out", {.folder_bytes_max = 100});
  EXPECT_FALSE(later.keep("e", ".txt", std::string(80, 'e'))) << "what is there from before counts";
}

TEST(OutputFolder, SpaceOnTheDiskIsLeftForOthers) {
  const TempFolder folder;
  OutputFolder outputs(folder / "out", {.free_bytes_min = std::uint64_t{1} << 60});
  const auto refused = outputs.keep("a", ".txt", "x");
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("free on the disk"), std::string::npos);
  EXPECT_TRUE(folder.names("out").empty());
}

TEST(OutputFolder, AWriteThatFailsLeavesNothingBehind) {
  const TempFolder folder;
  OutputFolder outputs(folder / "out");
  {
    const FileSizeLimit limit(4'096);
    EXPECT_FALSE(outputs.keep("a", ".txt", std::string(100'000, 'x')));
  }
  EXPECT_TRUE(folder.names("out").empty());
  EXPECT_TRUE(outputs.keep("a", ".txt", std::string(100'000, 'x')));
}

TEST(OutputFolder, AGrowingFileHasItsNameOnlyWhenItIsWholeUnlessItIsPublished) {
  const TempFolder folder;
  OutputFolder outputs(folder / "out");
  const auto hidden = outputs.grow("a", ".txt");
  hidden->add("one ");
  EXPECT_EQ(folder.bytes("out/a.txt"), std::nullopt);
  hidden->add("two");
  ASSERT_TRUE(hidden->finish());
  EXPECT_EQ(folder.bytes("out/a.txt"), "one two");

  const auto open = outputs.grow("b", ".txt");
  open->publish();
  open->add("one ");
  EXPECT_EQ(folder.bytes("out/b.txt"), "one ");
  open->add("two");
  ASSERT_TRUE(open->finish());
  EXPECT_EQ(folder.bytes("out/b.txt"), "one two");
}

TEST(OutputFolder, AGrownFileThatIsThereAlreadySharesItsSpace) {
  const TempFolder folder;
  OutputFolder outputs(folder / "out");
  ASSERT_TRUE(outputs.keep("a", ".txt", "one two"));
  const auto grown = outputs.grow("b", ".txt");
  grown->add("one ");
  grown->add("two");
  const auto kept = grown->finish();
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->original, "a.txt");
  EXPECT_EQ(status_of(folder / "out/a.txt").st_nlink, 2U);
  EXPECT_EQ(folder.names("out"), (std::vector<std::string>{"a.txt", "b.txt"}));
}

TEST(OutputFolder, WhatIsAbandonedOrWasLeftByTheDeadIsRemoved) {
  const TempFolder folder;
  OutputFolder outputs(folder / "out");
  outputs.grow("a", ".txt")->add("half of it");
  EXPECT_TRUE(folder.names("out").empty());

  folder.put("out/b.part-999999999-1", "of a process that was killed");
  OutputFolder later(folder / "out");
  ASSERT_TRUE(later.keep("c", ".txt", "x"));
  EXPECT_EQ(folder.names("out"), std::vector<std::string>{"c.txt"});
}

TEST(OutputFolder, ManyThreadsMayKeepAtOnce) {
  const TempFolder folder;
  OutputFolder outputs(folder / "out");
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 8; ++thread) {
      threads.emplace_back([&, thread] {
        for (int i = 0; i < 20; ++i) {
          EXPECT_TRUE(outputs.keep("same-id", ".txt", "content " + std::to_string(i % 3)));
          EXPECT_TRUE(outputs.keep(std::to_string(thread) + "-" + std::to_string(i), ".txt", std::to_string(i)));
        }
      });
    }
  }
  EXPECT_EQ(folder.names("out").size(), 320U);
}

}  // namespace
}  // namespace deft
