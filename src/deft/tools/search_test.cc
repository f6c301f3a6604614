#include <gtest/gtest.h>

#include "deft/testing/engine_bench.h"
#include "deft/tools/glob_tool.h"
#include "deft/tools/grep.h"

namespace deft {
namespace {

class SearchTest : public ::testing::Test {
 protected:
  SearchTest() {
    bench.add_tool(make_grep_tool());
    bench.add_tool(make_glob_tool());
    bench.folder.put("src/a.cc", "int one;\nint two; // Foo\n");
    bench.folder.put("src/b.h", "foo\nbar\nfoo bar\n");
    bench.folder.put("src/deep/c.cc", "nothing here\n");
    bench.folder.put("ignored/d.cc", "foo\n");
    bench.folder.put(".hidden/e.cc", "foo\n");
    bench.folder.put(".gitignore", "ignored/\n");
    bench.folder.put(".git/config", "foo\n");
    bench.folder.put("binary.bin", std::string("foo\0bar", 7));
  }
  std::string ask(const char* tool, std::string_view input) {
    const std::size_t answered = bench.answers().size();  // before the call: its answer may be quick
    bench.call("t" + std::to_string(answered), tool, *parse_json(input));
    bench.feed(MessageEnded{});
    return bench.frontend.wait_for<CallAnswered>(answered + 1).result.text;
  }
  EngineBench bench{{.mode = Mode::normal}};  // reading inside the directories needs no rule
};

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST_F(SearchTest, GrepFindsFilesAndLeavesOutWhatGitIgnores) {
  const std::string files = ask("Grep", R"({"pattern":"foo"})");
  EXPECT_TRUE(has(files, "src/b.h")) << files;
  EXPECT_TRUE(has(files, ".hidden/e.cc")) << files;
  EXPECT_FALSE(has(files, "ignored/d.cc")) << files;
  EXPECT_FALSE(has(files, ".git/config")) << files;
  EXPECT_FALSE(has(files, "src/a.cc")) << files;
}

TEST_F(SearchTest, GrepShowsLinesCountsContextAndIgnoresCaseOnRequest) {
  const std::string lines = ask("Grep", R"({"pattern":"foo","path":"src","output_mode":"content","-i":true})");
  EXPECT_TRUE(has(lines, "2:int two; // Foo")) << lines;
  EXPECT_TRUE(has(lines, "3:foo bar")) << lines;
  const std::string counts = ask("Grep", R"({"pattern":"foo","path":"src","output_mode":"count"})");
  EXPECT_TRUE(has(counts, "b.h:2")) << counts;
  const std::string context = ask("Grep", R"({"pattern":"^bar","path":"src/b.h","output_mode":"content","-C":1})");
  EXPECT_TRUE(has(context, "1-foo")) << context;
  const std::string typed = ask("Grep", R"({"pattern":"o","glob":"*.h"})");
  EXPECT_TRUE(has(typed, "b.h") && !has(typed, "a.cc")) << typed;
}

TEST_F(SearchTest, GrepSaysWhatIsWrongWithAPattern) {
  bench.call("x", "Grep", *parse_json(R"json({"pattern":"a(b"})json"));
  bench.finish();
  EXPECT_TRUE(bench.answers().at(0).result.is_error());
}

TEST_F(SearchTest, GlobFindsNamesAlsoIgnoredOnes) {
  const std::string found = ask("Glob", R"({"pattern":"**/*.{cc,h}"})");
  for (const char* name : {"src/a.cc", "src/b.h", "src/deep/c.cc", "ignored/d.cc", ".hidden/e.cc"}) {
    EXPECT_TRUE(has(found, name)) << name << " in " << found;
  }
  const std::string below = ask("Glob", R"({"pattern":"*.cc","path":"src"})");  // a bare name: at any depth, as in git
  EXPECT_TRUE(has(below, "a.cc") && has(below, "deep/c.cc") && !has(below, "d.cc")) << below;
}

TEST_F(SearchTest, NothingOutsideTheDirectoriesIsSearchedUnasked) {
  bench.call("x", "Grep", *parse_json(R"({"pattern":"root","path":"/etc"})"));
  bench.call("y", "Glob", *parse_json(R"({"pattern":"/etc/*"})"));
  bench.finish();
  EXPECT_EQ(bench.answers().at(0).result.error, Errc::denied);
  EXPECT_EQ(bench.answers().at(1).result.error, Errc::denied);
}

}  // namespace
}  // namespace deft
