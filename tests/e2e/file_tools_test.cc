#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "deft_exec.h"

// Read, Write and Edit beside each other and beside commands.

namespace deft::testing {
namespace {

constexpr int kEdits = 20;

std::string numbered(std::string_view prefix, int i) { return std::string(prefix) + std::to_string(i); }

// Holds back whatever follows it until the file `go` is there.
void hold_back(DeftExec& deft) { deft.bash("hold back", "until test -e go; do sleep 0.01; done"); }

TEST(ExecFileTools, EditsOfDifferentFilesOverlap) {
  const TempFolder folder;
  for (int i = 0; i < kEdits; ++i) folder.put(numbered("file", i), "old\n");
  DeftExec deft(folder, kBypassWithEvents);
  for (int i = 0; i < kEdits; ++i) deft.read(numbered("read ", i), numbered("file", i));
  hold_back(deft);
  for (int i = 0; i < kEdits; ++i) deft.edit(numbered("edit ", i), numbered("file", i), "old", numbered("new", i));
  deft.stage(numbered("edit ", kEdits - 1), "schema");  // all are there, and none can have started
  folder.put("go", "");
  EXPECT_EQ(deft.finish(), 0);

  std::vector<std::string> started;
  for (const Json& state : deft.lines("state")) {
    if (find_array(state, "started")->empty()) continue;
    const std::string first(find_array(state, "started")->front().get_string());
    if (first == "edit 0") {
      for (const Json& id : *find_array(state, "started")) started.emplace_back(id.get_string());
    }
  }
  EXPECT_EQ(started.size(), 10U) << "as many as there are slots begin at once";
  for (int i = 0; i < kEdits; ++i) EXPECT_EQ(folder.bytes(numbered("file", i)), numbered("new", i) + "\n");
}

TEST(ExecFileTools, EditsOfOneFileAreAllAppliedInOrder) {
  const TempFolder folder;
  folder.put("file", "step 0\n");
  DeftExec deft(folder, kBypassWithEvents);
  deft.read("read", "file");
  for (int i = 0; i < kEdits; ++i) {
    deft.edit(numbered("edit ", i), "file", numbered("step ", i) + "\n",
              numbered("step ", i) + ".\n" + numbered("step ", i + 1) + "\n");
  }
  deft.read("after", "file");
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_EQ(number_of(deft.lines().back(), "errors"), 0);
  std::string expected;
  for (int i = 0; i < kEdits; ++i) expected += numbered("step ", i) + ".\n";
  EXPECT_EQ(folder.bytes("file"), expected + numbered("step ", kEdits) + "\n");
  EXPECT_NE(content(deft.result("after")).find(numbered("step ", kEdits)), std::string::npos);
}

TEST(ExecFileTools, OneFileUnderTwoNamesIsOneFile) {
  const TempFolder folder;
  folder.put("file", "a b\n");
  std::filesystem::create_symlink("file", folder / "link");
  DeftExec deft(folder, kBypass);
  deft.read("read", "file");
  for (int i = 0; i < kEdits; ++i) {
    deft.edit(numbered("edit ", i), i % 2 == 0 ? "file" : "link", "b", "bb");
    deft.edit(numbered("back ", i), i % 2 == 0 ? "link" : "file", "bb", "b");
  }
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_EQ(number_of(deft.lines().back(), "errors"), 0);
  EXPECT_EQ(folder.bytes("file"), "a b\n");
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
}

TEST(ExecFileTools, AReadSeesTheWriteBeforeItAndACommandSeesBoth) {
  const TempFolder folder;
  DeftExec deft(folder, kBypass);
  deft.write("write", "new/folder/file", "hello\n");
  deft.read("read", "new/folder/file");
  deft.edit("edit", "new/folder/file", "hello", "goodbye");
  deft.bash("cat", "cat new/folder/file");
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_NE(content(deft.result("read")).find("hello"), std::string::npos);
  EXPECT_EQ(content(deft.result("cat")), "goodbye");
}

TEST(ExecFileTools, AFileThatWasNotReadIsNotEdited) {
  const TempFolder folder;
  folder.put("file", "old\n");
  DeftExec deft(folder, kBypass);
  deft.edit("edit", "file", "old", "new");
  deft.write("write", "file", "new");
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_EQ(text_of(deft.result("edit"), "code"), "not_read");
  EXPECT_EQ(text_of(deft.result("write"), "code"), "not_read");
  EXPECT_EQ(folder.bytes("file"), "old\n");
}

TEST(ExecFileTools, AFileThatACommandChangedSinceItWasReadIsNotEdited) {
  const TempFolder folder;
  folder.put("file", "old\n");
  DeftExec deft(folder, kBypass);
  deft.read("read", "file");
  deft.bash("change", "echo more >> file");
  deft.edit("edit", "file", "old", "new");
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_EQ(text_of(deft.result("edit"), "code"), "stale");
  EXPECT_EQ(folder.bytes("file"), "old\nmore\n");
}

TEST(ExecFileTools, ARelativePathFollowsTheWorkingDirectory) {
  const TempFolder folder;
  folder.put("file", "outer\n");
  folder.put("inner/file", "inner\n");
  DeftExec deft(folder, kBypass);
  deft.read("before", "file");
  deft.bash("cd", "cd inner");
  deft.read("after", "file");
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_NE(content(deft.result("before")).find("outer"), std::string::npos);
  EXPECT_NE(content(deft.result("after")).find("inner"), std::string::npos);
}

TEST(ExecFileTools, WhatOneMessageReadTheNextOneMayEdit) {
  const TempFolder folder;
  folder.put("file", "old\n");
  DeftExec deft(folder, kBypass);
  deft.read("read", "file");
  deft.send_line(R"({"type":"end"})");
  deft.edit("edit", "file", "old", "new");
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_EQ(folder.bytes("file"), "new\n");
}

TEST(ExecFileTools, AWriteThatIsNotFinishedIsNeverSeen) {
  const TempFolder folder;
  const std::string big(std::size_t{4} << 20, 'x');
  folder.put("file", "old\n");
  DeftExec deft(folder, kBypass);
  deft.read("read", "file");
  deft.write("write", "file", big);
  ASSERT_TRUE(eventually([&] {
    const std::string now = folder.bytes("file").value_or("gone");
    EXPECT_TRUE(now == "old\n" || now.size() == big.size()) << now.size();
    return now.size() == big.size();
  }));
  EXPECT_EQ(deft.finish(), 0);
  EXPECT_EQ(folder.names(), std::vector<std::string>{"file"});
}

}  // namespace
}  // namespace deft::testing
