#include "deft/agent/stale_files.h"

#include <gtest/gtest.h>

#include "deft/os/disk_files.h"
#include "deft/testing/temp_folder.h"
#include "deft/tools/file_access.h"

namespace deft {
namespace {

class StaleFiles : public ::testing::Test {
 protected:
  void read(const std::string& name) {
    const auto file = files.read(folder / name, kFileBytesMax);
    session.files.record(seen_wholly(folder / name, file->status, file->bytes));
  }
  // As after a call.
  ToolResult look(const Footprint& footprint = Footprint::everything(), ToolResult result = {}) {
    note_stale_files(footprint, SessionView(session, {}), files, /*in_details=*/true, result);
    for (const Modifier& modifier : result.modifiers) session.apply(modifier);
    return result;
  }
  // Another time, too: two writes may come within one tick of the disk's clock.
  void change(const std::string& name, std::string_view bytes) {
    folder.put(name, bytes);
    std::filesystem::last_write_time(folder / name,
                                     std::filesystem::file_time_type::clock::now() + std::chrono::hours(++hours_));
  }

  TempFolder folder;
  DiskFiles files;
  SessionState session;

 private:
  int hours_ = 0;
};

TEST_F(StaleFiles, AChangedFileIsNamedOnceForEachChange) {
  folder.put("a", "one");
  folder.put("b", "one");
  read("a");
  read("b");
  EXPECT_EQ(look().note, "");
  change("a", "two");
  const ToolResult told = look();
  const std::string hint = "Changed since you read them: " + (folder / "a") +
                           ". Read them again before you rely on what you saw or edit them.";
  EXPECT_EQ(told.note, "\n\n" + hint);
  EXPECT_EQ(find_string(told.details, "staleReadFileStateHint"), hint);
  EXPECT_EQ(look().note, "");
  change("a", "three");
  EXPECT_EQ(look().note, "\n\n" + hint);
}

TEST_F(StaleFiles, ANewTimeWithTheSameContentIsNoChange) {
  folder.put("a", "one");
  read("a");
  change("a", "one");
  EXPECT_EQ(look().note, "");
}

TEST_F(StaleFiles, ARemovedFileIsNamed) {
  folder.put("a", "one");
  read("a");
  std::filesystem::remove(folder / "a");
  EXPECT_NE(look().note, "");
  EXPECT_EQ(look().note, "");
}

TEST_F(StaleFiles, OnlyWhatTheCallMayWriteIsLookedAt) {
  folder.put("a", "one");
  folder.put("sub/b", "one");
  read("a");
  read("sub/b");
  change("a", "two");
  change("sub/b", "two");
  EXPECT_EQ(look(Footprint::reads_everything()).note, "");
  const ToolResult told = look(Footprint::writes(folder / "sub"));
  EXPECT_NE(told.note.find(folder / "sub/b"), std::string::npos);
  EXPECT_EQ(told.note.find(folder / "a,"), std::string::npos);
}

TEST_F(StaleFiles, WhatTheCallWroteIsKnownUnlessAHookChangedItAfterwards) {
  folder.put("a", "one");
  const auto file = files.read(folder / "a", kFileBytesMax);
  ToolResult edit{.modifiers = {FileWasSeen{seen_wholly(folder / "a", file->status, file->bytes)}}};
  EXPECT_EQ(look(Footprint::writes(folder / "a"), edit).note, "");
  change("a", "formatted");
  EXPECT_NE(look(Footprint::writes(folder / "a"), edit).note, "");
}

TEST_F(StaleFiles, ManyAreCounted) {
  for (int i = 10; i < 30; ++i) {
    folder.put(std::to_string(i), "one");
    read(std::to_string(i));
    change(std::to_string(i), "two");
  }
  EXPECT_NE(look().note.find(" and 10 more. Read"), std::string::npos);
}

}  // namespace
}  // namespace deft
