#include "deft/tools/grep.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "deft/base/utf8.h"
#include "deft/os/disk_files.h"
#include "deft/testing/any_session.h"
#include "deft/testing/temp_folder.h"
#include "deft/testing/tool_bench.h"

// What Grep answers to which input. Which lines match, and of which files: tests/e2e/grep_against_ripgrep_test.cc.

namespace deft {
namespace {

class GrepTest : public ::testing::Test {
 protected:
  Result<ToolResult> run(std::string_view input) { return bench.call(*tool, *parse_json(input)); }
  std::string text(std::string_view input) {
    const auto result = run(input);
    return result ? result->text : "ERROR " + result.error().message;
  }
  JsonObject details(std::string_view input) { return run(input)->details.get_object(); }

  TempFolder folder;
  DiskFiles files;
  ToolBench bench{files, folder.path()};
  std::shared_ptr<Tool> tool = make_grep_tool();
};

TEST_F(GrepTest, NamesTheFilesThatMatchInTheOrderOfAWalk) {
  folder.put("b", "foo\n");
  folder.put("a.txt", "foo\n");
  folder.put("a/z", "foo\n");
  folder.put("c", "bar\n");
  EXPECT_EQ(text(R"({"pattern":"foo"})"), "Found 3 files\na/z\na.txt\nb");
  EXPECT_EQ(details(R"({"pattern":"foo"})"),
            parse_json(R"({"mode":"files_with_matches","numFiles":3,"filenames":["a/z","a.txt","b"],"totalFiles":3})")
                ->get_object());
  EXPECT_EQ(text(R"({"pattern":"nothing"})"), "No files found");
}

TEST_F(GrepTest, CountsMatchingLines) {
  folder.put("a", "foo foo\nfoo\n");
  folder.put("b", "foo\n");
  EXPECT_EQ(text(R"({"pattern":"foo","output_mode":"count"})"), "Found 3 matching lines in 2 files\na:2\nb:1");
  EXPECT_EQ(text(R"({"pattern":"foo","output_mode":"count","-o":true})"), "Found 4 matches in 2 files\na:3\nb:1");
  EXPECT_EQ(text(R"({"pattern":"x","output_mode":"count"})"), "No matches found");
  EXPECT_EQ(details(R"({"pattern":"foo","output_mode":"count"})"),
            parse_json(R"({"mode":"count","numFiles":2,"filenames":["a","b"],"content":"a:2\nb:1\n","numMatches":3,
                           "totalFiles":2})")
                ->get_object());
}

TEST_F(GrepTest, ShowsLinesWithWhatStandsAroundThem) {
  folder.put("a", "1\n2 foo\n3\n4\n5\n6 foo\n");
  folder.put("b", "foo\n");
  EXPECT_EQ(text(R"({"pattern":"foo","output_mode":"content"})"), "a:2:2 foo\na:6:6 foo\nb:1:foo");
  EXPECT_EQ(text(R"({"pattern":"foo","output_mode":"content","-n":false})"), "a:2 foo\na:6 foo\nb:foo");
  EXPECT_EQ(text(R"({"pattern":"foo","output_mode":"content","-C":1})"),
            "a-1-1\na:2:2 foo\na-3-3\n--\na-5-5\na:6:6 foo\n--\nb:1:foo");
  EXPECT_EQ(text(R"({"pattern":"foo","output_mode":"content","context":1,"-A":0})"),
            "a-1-1\na:2:2 foo\n--\na-5-5\na:6:6 foo\n--\nb:1:foo");
  EXPECT_EQ(text(R"({"pattern":"fo+","output_mode":"content","-o":true})"), "a:2:foo\na:6:foo\nb:1:foo");
  EXPECT_EQ(details(R"({"pattern":"foo","output_mode":"content"})"),
            parse_json(R"({"mode":"content","numFiles":2,"filenames":["a","b"],
                           "content":"a:2:2 foo\na:6:6 foo\nb:1:foo\n","numLines":3,"totalLines":3,"numMatches":3,
                           "totalFiles":2})")
                ->get_object());
}

TEST_F(GrepTest, PagesByLimitAndOffset) {
  for (const char* name : {"a", "b", "c"}) folder.put(name, "foo\nfoo\n");
  const std::string first = text(R"({"pattern":"foo","output_mode":"content","head_limit":3})");
  EXPECT_TRUE(first.starts_with("a:1:foo\na:2:foo\nb:1:foo\n[lines 1 to 3 of 6 are shown. To go on, set offset to 3"))
      << first;
  EXPECT_EQ(text(R"({"pattern":"foo","output_mode":"content","head_limit":3,"offset":3})"),
            "b:2:foo\nc:1:foo\nc:2:foo");
  EXPECT_EQ(text(R"({"pattern":"foo","output_mode":"content","offset":9})"),
            "[There are only 6 lines: use a smaller offset.]");
  const JsonObject page = details(R"({"pattern":"foo","head_limit":1,"offset":1})");
  EXPECT_EQ(page.at("filenames"), (JsonArray{"b"}));
  EXPECT_EQ(page.at("totalFiles"), 3);
  EXPECT_EQ(page.at("appliedLimit"), 1);
  EXPECT_EQ(page.at("appliedOffset"), 1);
  EXPECT_FALSE(details(R"({"pattern":"foo","head_limit":3})").contains("appliedLimit"));
}

TEST_F(GrepTest, EveryPageTogetherIsTheWholeWhateverTheSizes) {
  for (int i = 0; i < 20; ++i)
    folder.put("f" + std::to_string(i), std::string(static_cast<std::size_t>(i), 'x') + "foo\n1\n2\n3\nfoo");
  const std::string options = R"("pattern":"foo","output_mode":"content","-A":1)";
  const auto whole = details("{" + options + R"(,"head_limit":0})");
  std::string together;
  for (std::int64_t offset = 0; offset < find_int(Json(whole), "totalLines").value_or(0); offset += 7) {
    const auto page = details("{" + options + R"(,"head_limit":7,"offset":)" + std::to_string(offset) + "}");
    together += page.at("content").get_string();
  }
  EXPECT_EQ(together, std::string(whole.at("content").get_string()));
}

TEST_F(GrepTest, TheResultIsBoundedWhateverMatches) {
  std::string many;
  for (int i = 0; i < 50'000; ++i) many += "foo " + std::to_string(i) + "\n";
  folder.put("many", many);
  folder.put("wide", std::string(3'000'000, 'x') + "foo\n");
  const auto result = run(R"({"pattern":"foo","output_mode":"content","head_limit":0})");
  ASSERT_TRUE(result);
  EXPECT_LE(count_characters(result->text), tool->spec().result_characters_max);
  EXPECT_NE(result->text.find(" of 50001 are shown. To go on, set offset to "), std::string::npos);
  const std::string wide = text(R"({"pattern":"foo","output_mode":"content","path":"wide"})");
  EXPECT_LT(wide.size(), 700U);
  EXPECT_TRUE(wide.ends_with("xfoo [cut; the line has 2.9 MB]")) << wide;
}

TEST_F(GrepTest, AMistakeIsExplained) {
  folder.put("a", "foo\n");
  EXPECT_EQ(
      text(R"j({"pattern":"a(b"})j"),
      "ERROR The regular expression is not valid at character 2, `(b`: a group that is never closed. Add a closing "
      "parenthesis, or write \\( to search for one.");
  EXPECT_TRUE(text(R"({"pattern":"foo","type":"nonsense"})").starts_with("ERROR There is no file type \"nonsense\"."));
  EXPECT_TRUE(text(R"({"pattern":"foo","glob":"{a"})").starts_with("ERROR The glob pattern is not valid"));
  EXPECT_EQ(
      text(R"({"pattern":"foo","path":"nowhere"})"),
      "ERROR " + (folder / "nowhere") +
          " does not exist: give a folder or a file that does, or leave path out to search the working directory " +
          folder.path() + ".");
}

TEST_F(GrepTest, ANamedFileIsSearchedWhateverWouldLeaveItOut) {
  folder.put(".ignore", "*.log\n");
  folder.put("a.log", "foo\n");
  EXPECT_EQ(text(R"({"pattern":"foo","path":"a.log","glob":"*.c","output_mode":"content"})"), "a.log:1:foo");
  folder.put("binary", std::string("foo\0foo", 7));
  EXPECT_EQ(text(R"({"pattern":"foo","path":"binary","output_mode":"content"})"),
            "binary: binary file matches (zero byte at offset 3)");
}

TEST_F(GrepTest, PathsOutsideTheWorkingDirectoryAreAbsolute) {
  const TempFolder other;
  other.put("a", "foo\n");
  EXPECT_EQ(text(R"({"pattern":"foo","path":")" + other.path() + R"("})"), "Found 1 file\n" + (other / "a"));
}

TEST_F(GrepTest, GlobsMayBeSeveralAndExclude) {
  for (const char* name : {"a.c", "b.h", "c.py", "sub/d.c", "sub/e.h"}) folder.put(name, "foo\n");
  EXPECT_EQ(text(R"({"pattern":"foo","glob":"*.c *.h"})"), "Found 4 files\na.c\nb.h\nsub/d.c\nsub/e.h");
  EXPECT_EQ(text(R"({"pattern":"foo","glob":"*.{c,h},!sub/**"})"), "Found 2 files\na.c\nb.h");
  EXPECT_EQ(text(R"({"pattern":"foo","glob":"sub/*.h","path":"sub"})"), "Found 1 file\nsub/e.h");
}

TEST_F(GrepTest, ReadsItsTreeAndTheRulesAroundIt) {
  const auto footprint = tool->footprint(JsonObject{{"pattern", "x"}, {"path", "/p/src"}}, any_session());
  ASSERT_TRUE(footprint);
  EXPECT_TRUE(conflicts(*footprint, Footprint::writes("/p/src/deep/a.cc")));
  EXPECT_TRUE(conflicts(*footprint, Footprint::writes("/p/.gitignore")));
  EXPECT_FALSE(conflicts(*footprint, Footprint::writes("/p/other/a.cc")));
  EXPECT_FALSE(conflicts(*footprint, Footprint::reads_everything()));
}

}  // namespace
}  // namespace deft
