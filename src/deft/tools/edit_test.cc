#include "deft/tools/edit.h"

#include <gtest/gtest.h>

#include "deft/testing/any_session.h"
#include "deft/testing/fake_files.h"
#include "deft/testing/tool_bench.h"
#include "deft/tools/read.h"
#include "deft/tools/write.h"

namespace deft {
namespace {

using namespace std::string_view_literals;

class EditToolTest : public testing::Test {
 protected:
  Result<ToolResult> read(std::string_view path, JsonObject more = {}) {
    JsonObject input = {{"file_path", path}};
    for (const auto& [key, value] : more) input[key] = value;
    return bench.call(*read_tool, input);
  }
  static Json edit_input(std::string_view path, std::string_view old_string, std::string_view new_string,
                         bool all = false) {
    JsonObject input = {{"file_path", path}, {"old_string", old_string}, {"new_string", new_string}};
    if (all) input["replace_all"] = true;
    return input;
  }
  Result<ToolResult> edit(std::string_view path, std::string_view old_string, std::string_view new_string,
                          bool all = false) {
    return bench.call(*tool, edit_input(path, old_string, new_string, all));
  }
  std::string error(const Result<ToolResult>& result) {
    return result ? "no error" : std::string(to_string(result.error().code)) + ": " + result.error().message;
  }
  static std::string lines(int first, int last) {
    std::string out;
    for (int i = first; i <= last; ++i) out += "line " + std::to_string(i) + "\n";
    return out;
  }

  FakeFiles files;
  ToolBench bench{files};
  std::shared_ptr<Tool> tool = make_edit_tool();
  std::shared_ptr<Tool> read_tool = make_read_tool();
  std::shared_ptr<Tool> write_tool = make_write_tool();
};

TEST_F(EditToolTest, ReplacesTheTextAndShowsWhatItReadsNow) {
  files.put("/p/a", lines(1, 9), 0755);
  read("/p/a");
  const auto result = edit("/p/a", "line 5\n", "five\nand a half\n");
  ASSERT_TRUE(result.has_value()) << error(result);
  EXPECT_EQ(files.bytes("/p/a"), lines(1, 4) + "five\nand a half\n" + lines(6, 9));
  EXPECT_EQ(files.status("/p/a")->mode, 0755U);
  EXPECT_EQ(result->text,
            "Edited /p/a. It now reads:\n     2\tline 2\n     3\tline 3\n     4\tline 4\n     5\tfive\n"
            "     6\tand a half\n     7\tline 6\n     8\tline 7\n     9\tline 8");
  EXPECT_EQ(to_json(result->details),
            R"({"filePath":"/p/a","oldString":"line 5\n","newString":"five\nand a half\n","originalFile":)" +
                json_quote(lines(1, 9)) +
                R"(,"structuredPatch":[{"oldStart":2,"oldLines":7,"newStart":2,"newLines":8,"lines":)"
                R"([" line 2"," line 3"," line 4","-line 5","+five","+and a half"," line 6"," line 7"," line 8"]}],)"
                R"("userModified":false,"replaceAll":false,"replacements":1})");
}

TEST_F(EditToolTest, ReplacesEveryPlaceIfAskedTo) {
  files.put("/p/a", "x\n" + lines(1, 9) + "x\n");
  read("/p/a");
  EXPECT_EQ(error(edit("/p/a", "x", "y")),
            "invalid_input: old_string occurs 2 times, on lines 1, 11: add lines around it until it is unique, or set "
            "replace_all to change all of them.");
  const auto result = edit("/p/a", "x", "y", true);
  EXPECT_EQ(files.bytes("/p/a"), "y\n" + lines(1, 9) + "y\n");
  EXPECT_TRUE(result->text.starts_with("Edited /p/a in 2 places. It now reads:\n     1\ty\n     2\tline 1\n"));
  EXPECT_NE(result->text.find("     4\tline 3\n   ...\n     8\tline 7"), std::string::npos) << result->text;
}

TEST_F(EditToolTest, AnEmptyOldStringMakesANewFileAndNothingElse) {
  const auto made = edit("/p/new/file", "", "content\n");
  ASSERT_TRUE(made.has_value()) << error(made);
  EXPECT_EQ(files.bytes("/p/new/file"), "content\n");
  EXPECT_EQ(made->text, "Created /p/new/file.");
  EXPECT_TRUE(find(made->details, "originalFile")->is_null());
  EXPECT_EQ(error(edit("/p/new/file", "", "other")),
            "invalid_input: old_string is empty, but /p/new/file exists: give the text to be replaced, or use Write.");
  EXPECT_EQ(error(edit("/p/new", "", "x")),
            "unsupported: /p/new is a directory: list what is in it, then name a file.");
  EXPECT_TRUE(edit("/p/new/file", "content", "more").has_value()) << "what we wrote counts as read";
}

TEST_F(EditToolTest, EveryRefusalSaysWhatToDo) {
  files.put("/p/a", "a\nb\n");
  files.put("/p/unread", "a\n");
  files.put_folder("/p/folder");
  read("/p/a");
  EXPECT_EQ(error(edit("/p/a", "b", "b")),
            "invalid_input: old_string and new_string are the same: there is nothing to change.");
  EXPECT_EQ(error(edit("/p/a", "c", "d")),
            "not_found: old_string was not found in the file: read the file again and copy the text exactly.");
  EXPECT_EQ(error(edit("/p/unread", "a", "b")),
            "not_read: /p/unread has not been read in this session: read it before you change it.");
  EXPECT_EQ(error(edit("/p/b", "a", "b")), "not_found: /p/b does not exist. Did you mean /p/a?");
  EXPECT_EQ(error(edit("/p/folder", "a", "b")),
            "unsupported: /p/folder is a directory: list what is in it, then name a file.");
  files.put("/p/a", "a\nB\n");
  EXPECT_EQ(error(edit("/p/a", "a", "b")),
            "stale: /p/a has changed since you read it, by a command or by someone else: read it again before you "
            "change it.");
  files.take_away("/p/a");
  EXPECT_EQ(error(edit("/p/a", "a", "b")).substr(0, 30), "not_found: /p/a does not exist");
}

TEST_F(EditToolTest, ATouchedFileIsUnchangedAndAChangedFileIsNot) {
  files.put("/p/a", "one\n");
  read("/p/a");
  files.touch("/p/a");
  EXPECT_TRUE(edit("/p/a", "one", "two").has_value());
  files.put("/p/a", "owt\n");  // the same size
  EXPECT_EQ(edit("/p/a", "owt", "x").error().code, Errc::stale);
}

TEST_F(EditToolTest, APartThatWasShownMayBeChangedAndNoOther) {
  files.put("/p/a", lines(1, 20));
  read("/p/a", {{"offset", 5}, {"limit", 6}});
  EXPECT_EQ(error(edit("/p/a", "line 11", "x")),
            "not_read: Of /p/a only lines 5-10 were shown, and the change touches line 11: read those lines first.");
  EXPECT_EQ(edit("/p/a", "line 4\nline 5", "x").error().code, Errc::not_read);
  EXPECT_EQ(edit("/p/a", "line", "x", true).error().code, Errc::not_read);
  ASSERT_TRUE(edit("/p/a", "line 5\n", "5a\n5b\n5c\n").has_value());
  // The lines that were shown have moved; what was not shown is still unknown.
  EXPECT_EQ(bench.session().files.find("/p/a")->lines, (std::vector<LineRange>{{5, 12}}));
  EXPECT_TRUE(edit("/p/a", "line 10", "ten").has_value());
  EXPECT_TRUE(edit("/p/a", "5b\n", "").has_value());
  EXPECT_EQ(edit("/p/a", "line 11", "x").error().code, Errc::not_read);
  EXPECT_EQ(bench.call(*write_tool, JsonObject{{"file_path", "/p/a"}, {"content", "x"}}).error().code, Errc::not_read);
}

TEST_F(EditToolTest, ALinkIsFollowedAndStaysALink) {
  files.put("/p/real", "one\n");
  files.put_link("/p/link", "real");
  read("/p/link");
  ASSERT_TRUE(edit("/p/link", "one", "two").has_value());
  EXPECT_EQ(files.bytes("/p/real"), "two\n");
  EXPECT_EQ(files.status("/p/link")->kind, FileKind::symlink);
  EXPECT_TRUE(edit("/p/real", "two", "three").has_value()) << "read under another name";
}

TEST_F(EditToolTest, AHardLinkedFileIsWrittenInPlaceAndTheResultSaysSo) {
  files.put("/p/a", "one\n");
  files.put_hard_link("/p/b", "/p/a");
  read("/p/a");
  EXPECT_TRUE(
      edit("/p/a", "one", "two")
          ->text.starts_with("Edited /p/a. It was written in place, because it has other hard links. It now reads:\n"));
  EXPECT_EQ(files.bytes("/p/b"), "two\n");
}

TEST_F(EditToolTest, WhatChangesBetweenTheCheckAndTheWriteIsNotOverwritten) {
  files.put("/p/a", "one\n");
  read("/p/a");
  const Json input = edit_input("/p/a", "one", "two");
  ASSERT_TRUE(bench.validate(*tool, input).has_value());
  files.put("/p/a", "one and more\n");
  EXPECT_EQ(bench.run(*tool, input).error().code, Errc::stale);
  EXPECT_EQ(files.bytes("/p/a"), "one and more\n");
}

TEST_F(EditToolTest, ADiskThatFailsAnywhereLeavesTheOldFileAndTheOldKnowledge) {
  files.put("/p/a", "one\n");
  read("/p/a");
  const FileSeen before = *bench.session().files.find("/p/a");
  files.set_disk_full(true);
  EXPECT_EQ(error(edit("/p/a", "one", "two")),
            "io: The disk is full; /p/a was left as it was: free some space, then try again.");
  files.set_disk_full(false);
  std::size_t failures = 0;
  for (std::size_t n = 1;; ++n) {
    const std::size_t operations = files.operations();
    files.fail_operation(n, {Errc::io, "input/output error"});
    const auto result = edit("/p/a", "one", "two");
    if (files.operations() - operations < n) {
      EXPECT_TRUE(result.has_value());
      break;
    }
    ++failures;
    EXPECT_EQ(error(result), "io: input/output error");
    EXPECT_EQ(files.bytes("/p/a"), "one\n");
    EXPECT_EQ(*bench.session().files.find("/p/a"), before);
  }
  EXPECT_GE(failures, 5U) << "look at the path and read it twice, then replace it";
  EXPECT_EQ(files.bytes("/p/a"), "two\n");
}

TEST_F(EditToolTest, ACancelledEditChangesNothing) {
  files.put("/p/a", "one\n");
  read("/p/a");
  bench.stop().request_stop();
  EXPECT_EQ(edit("/p/a", "one", "two").error().code, Errc::cancelled);
  EXPECT_EQ(files.bytes("/p/a"), "one\n");
}

TEST_F(EditToolTest, TheExcerptOfALargeChangeIsSmall) {
  files.put("/p/a", lines(1, 1'000));
  read("/p/a");
  const auto result = edit("/p/a", "line", std::string(1'000, 'x'), true);
  ASSERT_TRUE(result.has_value()) << error(result);
  EXPECT_LT(result->text.size(), 20'000U);
  EXPECT_TRUE(result->text.ends_with("[more lines changed than are shown here]"));
}

TEST_F(EditToolTest, DeclaresThatItReadsAndWritesItsFile) {
  const Json input = edit_input("/p/a", "x", "y");
  EXPECT_FALSE(tool->is_read_only(input, any_session()));
  EXPECT_EQ(
      tool->footprint(input, any_session())->paths(),
      (std::vector<Footprint::PathAccess>{{"/p/a", Footprint::PathUse::write}, {"/p/a", Footprint::PathUse::read}}));
}

}  // namespace
}  // namespace deft
