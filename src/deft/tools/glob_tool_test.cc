#include "deft/tools/glob_tool.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "deft/os/disk_files.h"
#include "deft/testing/any_session.h"
#include "deft/testing/temp_folder.h"
#include "deft/testing/tool_bench.h"

// What Glob answers. Which files a pattern is for: tests/e2e/glob_against_bash_test.cc.

namespace deft {
namespace {

class GlobToolTest : public ::testing::Test {
 protected:
  // The later, the newer.
  void put(std::string_view name) {
    const std::string path = folder.put(name, "");
    const timespec time{.tv_sec = 1'700'000'000 + ++age, .tv_nsec = 0};
    const timespec both[2] = {time, time};
    ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), both, 0), 0);
  }
  Result<ToolResult> run(std::string_view input) { return bench.call(*tool, *parse_json(input)); }
  std::string text(std::string_view input) {
    const auto result = run(input);
    return result ? result->text : "ERROR " + result.error().message;
  }

  TempFolder folder;
  DiskFiles files;
  ToolBench bench{files, folder.path()};
  std::shared_ptr<Tool> tool = make_glob_tool();
  int age = 0;
};

TEST_F(GlobToolTest, TheNewestComesFirst) {
  put("old.h");
  put("sub/middle.h");
  put("new.h");
  put("other.c");
  EXPECT_EQ(text(R"({"pattern":"**/*.h"})"), "new.h\nsub/middle.h\nold.h");
  JsonObject details = run(R"({"pattern":"**/*.h"})")->details.get_object();
  EXPECT_TRUE(details.contains("durationMs"));
  details.erase("durationMs");
  EXPECT_EQ(details, parse_json(R"({"numFiles":3,"filenames":["new.h","sub/middle.h","old.h"],"truncated":false,
                                    "totalMatches":3,"countIsComplete":true})")
                         ->get_object());
}

TEST_F(GlobToolTest, FilesOfTheSameAgeAreSortedByPath) {
  for (const char* name : {"b", "a.x", "a/z", "c"}) {
    age = 0;
    put(name);
  }
  EXPECT_EQ(text(R"({"pattern":"**"})"), "a/z\na.x\nb\nc");
}

TEST_F(GlobToolTest, MoreThanAHundredAreCountedAndSaid) {
  for (int i = 0; i < 120; ++i) put("f" + std::to_string(i));
  const auto result = run(R"({"pattern":"f*"})");
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->text.starts_with("f119\nf118\n")) << result->text;
  EXPECT_TRUE(result->text.ends_with(
      "\nf20\n[The newest 100 of 120 files are shown: use a narrower pattern or path to see others.]"))
      << result->text;
  EXPECT_EQ(find_int(result->details, "totalMatches"), 120);
  EXPECT_EQ(find_int(result->details, "numFiles"), 100);
  EXPECT_EQ(find_bool(result->details, "truncated"), true);
}

TEST_F(GlobToolTest, HiddenAndIgnoredFilesAreFoundButNotGitsOwn) {
  put(".gitignore");
  put(".git/config");
  folder.put(".ignore", "*.o\n");
  put("a.o");
  put(".hidden/b.o");
  EXPECT_EQ(text(R"({"pattern":"*.o"})"), ".hidden/b.o\na.o");
  EXPECT_EQ(text(R"({"pattern":"**/config"})"), "No files found");
  EXPECT_EQ(text(R"({"pattern":".git/*"})"), ".git/config");
  tool = make_glob_tool({.respect_ignore = true});
  EXPECT_EQ(text(R"({"pattern":"*.o"})"), "No files found");
}

TEST_F(GlobToolTest, PatternsMayLeadOutOfTheFolder) {
  put("src/a.h");
  put("lib/b.h");
  EXPECT_EQ(text(R"({"pattern":"../lib/*.h","path":"src"})"), "lib/b.h");
  EXPECT_EQ(text(R"({"pattern":")" + folder.path() + R"(/s*/*.h"})"), "src/a.h");
  EXPECT_EQ(text(R"({"pattern":"*.h","path":"src"})"), "src/a.h");
}

TEST_F(GlobToolTest, WhatGoesWrongIsExplained) {
  put("src/a.h");
  EXPECT_EQ(text(R"({"pattern":"src"})"), "No files found\n[src is a folder: use src/** for what is in it.]");
  EXPECT_TRUE(text(R"({"pattern":"[a"})").starts_with("ERROR The glob pattern is not valid at character 1"));
  EXPECT_TRUE(
      text(R"({"pattern":"*","path":"nowhere"})").starts_with("ERROR " + (folder / "nowhere") + " does not exist"));
}

TEST_F(GlobToolTest, ReadsTheTreeBelowWhereThePatternBegins) {
  const auto footprint = tool->footprint(JsonObject{{"pattern", "/p/src/**/*.h"}}, any_session());
  ASSERT_TRUE(footprint);
  EXPECT_TRUE(conflicts(*footprint, Footprint::writes("/p/src/deep/a.h")));
  EXPECT_FALSE(conflicts(*footprint, Footprint::writes("/p/lib/a.h")));
  EXPECT_FALSE(conflicts(*footprint, Footprint::reads_everything()));
}

}  // namespace
}  // namespace deft
