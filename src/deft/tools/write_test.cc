#include "deft/tools/write.h"

#include <gtest/gtest.h>

#include "deft/testing/fake_files.h"
#include "deft/testing/tool_bench.h"
#include "deft/tools/edit.h"
#include "deft/tools/read.h"

namespace deft {
namespace {

using namespace std::string_view_literals;

class WriteToolTest : public testing::Test {
 protected:
  void read(std::string_view path, JsonObject more = {}) {
    JsonObject input = {{"file_path", path}};
    for (const auto& [key, value] : more) input[key] = value;
    const auto result = bench.call(*read_tool, input);
    EXPECT_TRUE(result.has_value()) << result.error().message;
  }
  Result<ToolResult> write(std::string_view path, std::string_view content) {
    return bench.call(*tool, JsonObject{{"file_path", path}, {"content", content}});
  }
  std::string error(const Result<ToolResult>& result) {
    return result ? "no error" : std::string(to_string(result.error().code)) + ": " + result.error().message;
  }

  FakeFiles files;
  ToolBench bench{files};
  std::shared_ptr<Tool> tool = make_write_tool();
  std::shared_ptr<Tool> read_tool = make_read_tool();
};

TEST_F(WriteToolTest, MakesANewFileWithItsFolders) {
  const auto result = write("/p/x/y/new", "hello\n");
  ASSERT_TRUE(result.has_value()) << error(result);
  EXPECT_EQ(files.bytes("/p/x/y/new"), "hello\n");
  EXPECT_EQ(result->text, "Created /p/x/y/new.");
  EXPECT_EQ(to_json(result->details),
            R"({"type":"create","filePath":"/p/x/y/new","content":"hello\n","structuredPatch":[],)"
            R"("originalFile":null,"userModified":false})");
  EXPECT_TRUE(write("/p/x/y/new", "again\n").has_value()) << "what we wrote counts as read";
}

TEST_F(WriteToolTest, ReplacesAFileThatWasReadWholly) {
  files.put("/p/a", "one\ntwo\n", 0600);
  read("/p/a");
  const auto result = write("/p/a", "one\n2\n");
  ASSERT_TRUE(result.has_value()) << error(result);
  EXPECT_EQ(files.bytes("/p/a"), "one\n2\n");
  EXPECT_EQ(files.status("/p/a")->mode, 0600U);
  EXPECT_EQ(result->text, "Wrote /p/a. What changed:\n     1\tone\n     2\t2");
  EXPECT_EQ(to_json(result->details),
            R"({"type":"update","filePath":"/p/a","content":"one\n2\n","structuredPatch":[{"oldStart":1,"oldLines":2,)"
            R"("newStart":1,"newLines":2,"lines":[" one","-two","+2"]}],"originalFile":"one\ntwo\n",)"
            R"("userModified":false})");
}

TEST_F(WriteToolTest, RefusesWhatWasNotReadOrHasChanged) {
  files.put("/p/a", "1\n2\n3\n");
  files.put_folder("/p/folder");
  files.put("/p/binary", "\0\x01"sv);
  EXPECT_EQ(error(write("/p/a", "x")),
            "not_read: /p/a has not been read in this session: read it before you change it.");
  read("/p/a", {{"offset", 2}, {"limit", 1}});
  EXPECT_EQ(error(write("/p/a", "x")),
            "not_read: Of /p/a only line 2 was shown, of 3 in all: read the rest before you replace the whole file, "
            "or change the lines that you have seen with Edit.");
  read("/p/a", {{"offset", 1}, {"limit", 1}});
  read("/p/a", {{"offset", 3}, {"limit", 1}});
  EXPECT_TRUE(bench.validate(*tool, JsonObject{{"file_path", "/p/a"}, {"content", "x"}}).has_value())
      << "read in parts, but all of it";
  files.put("/p/a", "1\n2\n4\n");
  EXPECT_EQ(write("/p/a", "x").error().code, Errc::stale);
  EXPECT_EQ(error(write("/p/folder", "x")),
            "unsupported: /p/folder is a directory: list what is in it, then name a file.");
  EXPECT_EQ(write("/p/binary", "x").error().code, Errc::not_read);
  EXPECT_EQ(files.bytes("/p/a"), "1\n2\n4\n");
}

TEST_F(WriteToolTest, KeepsTheWayTheOldFileIsWritten) {
  struct Case {
    std::string_view before, content, after, note;
  };
  const Case cases[] = {
      {"a\r\nb\r\n", "x\ny\n", "x\r\ny\r\n", "It still has CRLF line ends."},
      {"a\r\nb\r\n", "x\r\ny\n", "x\r\ny\r\n", "It still has CRLF line ends."},
      {"a\nb\n", "x\r\n", "x\r\n", ""},
      {"a\nb", "x", "x", ""},
      {"\xEF\xBB\xBF"
       "a"sv,
       "x", "\xEF\xBB\xBFx"sv, "It still is UTF-8 with a byte order mark."},
      {"\xEF\xBB\xBF"
       "a"sv,
       "\xEF\xBB\xBFx"sv, "\xEF\xBB\xBFx"sv, "It still is UTF-8 with a byte order mark."},
      {"\xFF\xFE"
       "a\0\r\0\n\0"sv,
       "é\n", "\xFF\xFE\xE9\0\r\0\n\0"sv, "It still is UTF-16LE with a byte order mark and has CRLF line ends."},
      {"caf\xE9\n"sv, "thé\n", "th\xE9\n"sv, "It still is Windows-1252."},
      {"", "x\n", "x\n", ""},
  };
  for (const Case& c : cases) {
    files.put("/p/a", c.before);
    read("/p/a");
    const auto result = write("/p/a", c.content);
    ASSERT_TRUE(result.has_value()) << error(result);
    EXPECT_EQ(files.bytes("/p/a"), c.after);
    EXPECT_EQ(find_string(result->details, "note").value_or(""), c.note);
    EXPECT_TRUE(write("/p/a", "again").has_value());
  }
}

TEST_F(WriteToolTest, ACharacterThatTheEncodingLacksIsAnErrorAndNotALoss) {
  files.put("/p/a", "caf\xE9\n"sv);
  read("/p/a");
  EXPECT_EQ(error(write("/p/a", "Ω\n")),
            "invalid_input: The content cannot be written into /p/a: the character “Ω” does not exist in Windows-1252; "
            "leave that out, or remove the file first to begin a new one in UTF-8.");
  EXPECT_EQ(files.bytes("/p/a"), "caf\xE9\n"sv);
}

TEST_F(WriteToolTest, AFullDiskLeavesTheOldFile) {
  files.put("/p/a", "old\n");
  read("/p/a");
  files.set_disk_full(true);
  EXPECT_EQ(error(write("/p/a", "new\n")),
            "io: The disk is full; /p/a was left as it was: free some space, then try again.");
  EXPECT_EQ(error(write("/p/new", "new\n")),
            "io: The disk is full; /p/new was left as it was: free some space, then try again.");
  EXPECT_EQ(files.bytes("/p/a"), "old\n");
  EXPECT_EQ(files.bytes("/p/new"), std::nullopt);
}

TEST_F(WriteToolTest, AFileThatAppearsAfterTheCheckIsNotOverwritten) {
  const Json input = JsonObject{{"file_path", "/p/new"}, {"content", "mine"}};
  ASSERT_TRUE(bench.validate(*tool, input).has_value());
  files.put("/p/new", "yours");
  EXPECT_EQ(bench.run(*tool, input).error().code, Errc::not_read);
  EXPECT_EQ(files.bytes("/p/new"), "yours");
}

}  // namespace
}  // namespace deft
