#include "deft/os/file_changes.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "deft/os/disk_files.h"
#include "deft/testing/file_size_limit.h"
#include "deft/testing/temp_folder.h"

namespace deft {
namespace {

class FileChangesTest : public ::testing::Test {
 protected:
  FileChangesTest() { std::filesystem::create_directory(project / "p"); }

  // As a tool does it.
  std::string change(const std::string& path, std::string_view bytes) {
    const auto before = disk.read(path, 1 << 20);
    FileChange record{.path = path, .after = content_id(bytes), .mode = 0644, .call_id = "call_1"};
    if (before) record.before = content_id(before->bytes);
    const std::string why_not = changes.keep(record, before ? before->bytes : "");
    EXPECT_TRUE(disk.replace(path, bytes, record.before).has_value());
    return why_not;
  }
  std::string undo(const std::string& path) {
    const auto undone = undo_last_change(changes, path, disk);
    if (!undone) return std::string(to_string(undone.error().code));
    return "change " + std::to_string(undone->number) + (undone->was_removed ? " removed" : " restored");
  }
  std::string text(std::string_view name) { return project.bytes(name).value_or("(missing)"); }
  static unsigned mode_of(const std::string& path) {
    struct stat found{};
    return ::stat(path.c_str(), &found) == 0 ? found.st_mode & 07777 : 0;
  }

  TempFolder project;
  TempFolder session;
  DiskFiles disk{Survives::killed};
  FileChanges changes{session.path()};
};

TEST_F(FileChangesTest, ChangesAreUndoneOneByOneInReverse) {
  const std::string path = project.put("a", "first\n", 0755);
  EXPECT_EQ(change(path, "second\n"), "");
  EXPECT_EQ(change(path, "third\n"), "");
  EXPECT_EQ(undo(path), "change 2 restored");
  EXPECT_EQ(text("a"), "second\n");
  EXPECT_EQ(undo(path), "change 1 restored");
  EXPECT_EQ(text("a"), "first\n");
  EXPECT_EQ(mode_of(path), 0755U);
  EXPECT_EQ(undo(path), "not_found");
}

TEST_F(FileChangesTest, AChangeBackAndForthIsNotUndoneInCircles) {
  const std::string path = project.put("a", "A");
  change(path, "B");
  change(path, "A");
  EXPECT_EQ(undo(path), "change 2 restored");
  EXPECT_EQ(undo(path), "change 1 restored");
  EXPECT_EQ(undo(path), "not_found");
  EXPECT_EQ(text("a"), "A");
}

TEST_F(FileChangesTest, AFileThatWasCreatedIsRemoved) {
  const std::string path = project / "new";
  change(path, "x");
  EXPECT_EQ(undo(path), "change 1 removed");
  EXPECT_EQ(text("new"), "(missing)");
}

TEST_F(FileChangesTest, WhatSomebodyElseChangedSinceIsLeftAlone) {
  const std::string path = project.put("a", "first\n");
  change(path, "second\n");
  project.put("a", "by hand\n");
  EXPECT_EQ(undo(path), "stale");
  EXPECT_EQ(text("a"), "by hand\n");
  const std::string created = project / "new";
  change(created, "x");
  std::filesystem::remove(created);
  EXPECT_EQ(undo(created), "not_found");
}

TEST_F(FileChangesTest, AChangeThatWasRecordedButNeverMadeIsPassedOver) {
  const std::string path = project.put("a", "first\n");
  change(path, "second\n");
  change(path, "third\n");
  changes.keep({.path = path, .before = content_id("third\n"), .after = content_id("never"), .call_id = "x"},
               "third\n");
  EXPECT_EQ(undo(path), "change 2 restored");
  EXPECT_EQ(undo(path), "change 1 restored");
  EXPECT_EQ(text("a"), "first\n");
}

TEST_F(FileChangesTest, AnotherProcessCanUndoThem) {
  const std::string path = project.put("a\xFF.txt", "first\n");  // a name that is not UTF-8
  change(path, "second\n");
  FileChanges later{session.path()};
  const auto all = later.all();
  ASSERT_TRUE(all.has_value());
  ASSERT_EQ(all->size(), 1U);
  EXPECT_EQ(all->front().change.path, path);
  EXPECT_EQ(all->front().change.call_id, "call_1");
  EXPECT_EQ(all->front().change.mode, 0644U);
  ASSERT_TRUE(undo_last_change(later, path, disk).has_value());
  EXPECT_EQ(text("a\xFF.txt"), "first\n");
}

TEST_F(FileChangesTest, TheSameContentIsKeptOnceAndPrivately) {
  for (const char* name : {"a", "b", "c"}) change(project.put(name, "the same"), "new");
  std::vector<std::string> images;
  for (const auto& entry : std::filesystem::directory_iterator(session / "before")) images.push_back(entry.path());
  ASSERT_EQ(images.size(), 1U);
  EXPECT_EQ(mode_of(images.front()), 0600U);
  EXPECT_EQ(mode_of(session / "before"), 0700U);
  EXPECT_EQ(mode_of(session / "changes.jsonl"), 0600U);
}

TEST_F(FileChangesTest, BeyondTheQuotaChangesGoOnAndSaySo) {
  FileChanges small{session.path(), 10};
  const std::string path = project.put("a", "12345678");
  EXPECT_EQ(small.keep({.path = path, .before = content_id("12345678"), .after = content_id("x")}, "12345678"), "");
  project.put("a", "abcdefgh");
  EXPECT_EQ(small.keep({.path = path, .before = content_id("abcdefgh"), .after = content_id("y")}, "abcdefgh"),
            "the session keeps at most 10 B of old contents");
  project.put("a", "y");
  EXPECT_EQ(undo(path), "limit");
  EXPECT_EQ(text("a"), "y");
  // What is kept already costs nothing; and the quota holds for whoever opens the session later.
  FileChanges again{session.path(), 10};
  EXPECT_EQ(again.keep({.path = path, .before = content_id("12345678"), .after = content_id("x")}, "12345678"), "");
  EXPECT_NE(again.keep({.path = path, .before = content_id("zzzz"), .after = content_id("x")}, "zzzz"), "");
}

TEST_F(FileChangesTest, ATornLineAndAForgedHashHarmNothing) {
  const std::string path = project.put("a", "first\n");
  session.put("changes.jsonl",
              R"({"type":"change","number":1,"path":"/etc/passwd","before":{"size":1,"hash":"../../x"},"af)");
  change(path, "second\n");
  const auto all = changes.all();
  ASSERT_TRUE(all.has_value());
  ASSERT_EQ(all->size(), 1U);
  EXPECT_EQ(all->front().number, 2U);
  EXPECT_EQ(undo(path), "change 2 restored");
  session.put("changes.jsonl",
              R"({"type":"change","number":1,"path":"/p","before":{"size":1,"hash":"../../../etc/passwd"},)"
              R"("after":{"size":1,"hash":"../../../etc/passwd"},"kept":true})"
              "\n");
  EXPECT_TRUE(changes.all()->empty());
}

TEST_F(FileChangesTest, ALineThatAFullDiskHasCutSwallowsNoOther) {
  const std::string a = project.put("a", "first\n");
  const std::string b = project.put("b", "first\n");
  change(a, "second\n");
  {
    const FileSizeLimit full(session.bytes("changes.jsonl")->size() + 40);
    change(b, "second\n");
  }
  change(a, "third\n");
  EXPECT_EQ(undo(a), "change 2 restored");
  session.put("changes.jsonl", *session.bytes("changes.jsonl") + R"({"type":"chan)");
  FileChanges again(session.path());
  EXPECT_TRUE(undo_last_change(again, a, disk));
  EXPECT_EQ(undo(a), "not_found");
}

TEST_F(FileChangesTest, ABeforeImageThatLostItsBytesIsKeptAgain) {
  const std::string path = project.put("a", "first\n");
  change(path, "second\n");
  session.put("before/" + content_id("first\n").hash, "");
  const std::string other = project.put("b", "first\n");
  change(other, "second\n");
  EXPECT_EQ(undo(other), "change 2 restored");
  EXPECT_EQ(undo(path), "change 1 restored");
}

TEST_F(FileChangesTest, ADamagedBeforeImageIsNotPutInPlace) {
  const std::string path = project.put("a", "first\n");
  change(path, "second\n");
  session.put("before/" + content_id("first\n").hash, "fir5t\n");
  EXPECT_EQ(undo(path), "limit");
  EXPECT_EQ(text("a"), "second\n");
}

TEST_F(FileChangesTest, WhereNothingCanBeWrittenTheReasonIsGiven) {
  FileChanges nowhere{"/proc/no-such-session"};
  EXPECT_NE(nowhere.keep({.path = "/p", .after = content_id("x")}, ""), "");
}

}  // namespace
}  // namespace deft
