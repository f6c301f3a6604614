#include "deft/tools/read.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "deft/base/content_hash.h"
#include "deft/base/utf8.h"
#include "deft/os/disk_files.h"
#include "deft/testing/any_session.h"
#include "deft/testing/fake_files.h"
#include "deft/testing/temp_folder.h"
#include "deft/testing/tool_bench.h"
#include "deft/tools/write.h"

namespace deft {
namespace {

using namespace std::string_literals;
using namespace std::string_view_literals;

class ReadTest : public testing::Test {
 protected:
  Result<ToolResult> read(std::string_view path, JsonObject more = {}) {
    JsonObject input = {{"file_path", path}};
    for (const auto& [key, value] : more) input[key] = value;
    return bench.call(*tool, input);
  }
  std::string text(std::string_view path, JsonObject more = {}) {
    const auto result = read(path, std::move(more));
    return result ? result->text : "ERROR " + result.error().message;
  }
  std::string lines(int first, int last) {
    std::string out;
    for (int i = first; i <= last; ++i) out += "line " + std::to_string(i) + "\n";
    return out;
  }

  FakeFiles files;
  ToolBench bench{files};
  std::shared_ptr<Tool> tool = make_read_tool();
};

TEST_F(ReadTest, ShowsNumberedLines) {
  files.put("/p/a", "first\n\tsecond\n\nlast without end");
  const auto result = read("/p/a");
  EXPECT_EQ(result->text, "     1\tfirst\n     2\t\tsecond\n     3\t\n     4\tlast without end");
  EXPECT_EQ(to_json(result->details),
            R"({"type":"text","file":{"filePath":"/p/a","content":"first\n\tsecond\n\nlast without end",)"
            R"("numLines":4,"startLine":1,"totalLines":4}})");
  EXPECT_FALSE(result->is_error());
}

TEST_F(ReadTest, OffsetAndLimitChooseLinesAndANoticeSaysHowToGoOn) {
  files.put("/p/a", lines(1, 10));
  EXPECT_EQ(text("/p/a", {{"offset", 3}, {"limit", 2}}),
            "     3\tline 3\n     4\tline 4\n\n[Lines 3 to 4 of 10. Go on with offset 5.]");
  EXPECT_EQ(text("/p/a", {{"offset", 9}}), "     9\tline 9\n    10\tline 10");
  EXPECT_EQ(text("/p/a", {{"offset", 0}, {"limit", 1}}),
            "     1\tline 1\n\n[Lines 1 to 1 of 10. Go on with offset 2.]");
  EXPECT_EQ(text("/p/a", {{"offset", 11}}), "ERROR /p/a has only 10 lines: give a smaller offset.");
  EXPECT_TRUE(text("/p/a", {{"limit", 1'000'000'000'000}}).ends_with("\n    10\tline 10"));
}

TEST_F(ReadTest, TheSameLinesAgainAreSaidToBeUnchanged) {
  files.put("/p/a", lines(1, 10));
  text("/p/a", {{"offset", 3}, {"limit", 4}});
  EXPECT_EQ(text("/p/a", {{"offset", 3}, {"limit", 4}}),
            "Unchanged since you read it: lines 3 to 6 are as shown before.");
  EXPECT_EQ(text("/p/a", {{"offset", 5}, {"limit", 1}}), "Unchanged since you read it: line 5 is as shown before.");
  EXPECT_EQ(text("/p/a", {{"offset", 6}, {"limit", 2}}),
            "     6\tline 6\n     7\tline 7\n\n[Lines 6 to 7 of 10. Go on with offset 8.]");
  const auto again = read("/p/a", {{"offset", 3}, {"limit", 5}});
  EXPECT_EQ(again->text, "Unchanged since you read it: lines 3 to 7 are as shown before.");
  EXPECT_EQ(find_string(*find(again->details, "file"), "content"), "line 3\nline 4\nline 5\nline 6\nline 7");
  files.touch("/p/a");
  EXPECT_EQ(text("/p/a", {{"offset", 5}, {"limit", 1}}), "Unchanged since you read it: line 5 is as shown before.");
  files.put("/p/a", lines(1, 9));
  EXPECT_EQ(text("/p/a", {{"offset", 9}}), "     9\tline 9");
  // What was cut before, or only written by us, was not read.
  files.put("/p/b", std::string(3'000, 'x') + "\n");
  text("/p/b");
  EXPECT_FALSE(text("/p/b", {{"limit", 1}}).starts_with("Unchanged"));
  files.put("/p/empty", "");
  text("/p/empty");
  EXPECT_EQ(text("/p/empty"), "The file exists but is empty.");
}

TEST_F(ReadTest, WhatASessionWroteItselfIsShownWhenItIsRead) {
  ASSERT_TRUE(bench.call(*make_write_tool(), JsonObject{{"file_path", "/p/new"}, {"content", "x\n"}}));
  EXPECT_EQ(text("/p/new"), "     1\tx");
}

TEST_F(ReadTest, TwoThousandLinesComeAtOnce) {
  files.put("/p/a", lines(1, 2'500));
  const std::string shown = text("/p/a");
  EXPECT_NE(shown.find("\n  2000\tline 2000\n\n[Lines 1 to 2000 of 2500. Go on with offset 2001.]"), std::string::npos);
  EXPECT_EQ(shown.find("line 2001"), std::string::npos);
  EXPECT_NE(text("/p/a", {{"limit", 2'400}}).find("line 2400"), std::string::npos);
}

TEST_F(ReadTest, LongLinesAreCutAndCanBeReadAlone) {
  const std::string umlauts = [] {
    std::string out;
    for (int i = 0; i < 3'000; ++i) out += "ü";
    return out;
  }();
  files.put("/p/a", "short\n" + umlauts + "\nend\n");
  const std::string shown = text("/p/a");
  EXPECT_NE(shown.find("ü … [cut: 2000 of 3000 characters; offset 2 with limit 1 shows more]\n     3\tend"),
            std::string::npos);
  EXPECT_LT(count_characters(shown), 2'200U);
  EXPECT_NE(text("/p/a", {{"offset", 2}, {"limit", 1}}).find(umlauts), std::string::npos);
  files.put("/p/huge", std::string(300'000, 'x'));
  EXPECT_LE(count_characters(text("/p/huge", {{"limit", 1}})), kReadCharactersMax);
}

TEST_F(ReadTest, TheWholeResultIsBounded) {
  std::string wide;
  for (int i = 0; i < 1'000; ++i) wide += std::string(1'000, 'w') + "\n";
  files.put("/p/a", wide);
  const auto result = read("/p/a");
  EXPECT_LE(count_characters(result->text), kReadCharactersMax);
  EXPECT_GT(count_characters(result->text), kReadCharactersMax - 2'000);
  EXPECT_EQ(find_bool(*find(result->details, "file"), "truncatedByTokenCap"), true);
  const auto shown = find_int(*find(result->details, "file"), "numLines").value();
  EXPECT_TRUE(result->text.ends_with("Go on with offset " + std::to_string(shown + 1) + ".]"));
}

TEST_F(ReadTest, ForeignEncodingsAndLineEndsAreShownAsText) {
  files.put("/p/bom", "\xEF\xBB\xBFhello\r\nworld\r\n");
  files.put("/p/utf16", "\xFF\xFEh\0\xFC\0\r\0\n\0x\0"sv);
  files.put("/p/latin", "caf\xE9\n");
  EXPECT_EQ(text("/p/bom"), "     1\thello\n     2\tworld");
  EXPECT_EQ(text("/p/utf16"), "     1\thü\n     2\tx");
  EXPECT_EQ(text("/p/latin"), "     1\tcafé");
}

TEST_F(ReadTest, EveryThingThatIsNoTextHasItsOwnMessage) {
  files.put("/p/empty", "");
  files.put("/p/src/main.cc", "");
  files.put("/p/binary", "\x7F\x45LF\0\0"sv);
  files.put("/p/secret", "x");
  files.deny("/p/secret");
  files.put_special("/p/fifo", FileKind::fifo);
  files.put_special("/p/device", FileKind::device);
  files.put_special("/p/socket", FileKind::socket);
  files.put_link("/p/loop", "loop");
  files.put("/p/large", std::string((64 << 20) + 1, 'x'));
  struct Case {
    const char* path;
    const char* text;
  };
  const Case cases[] = {
      {"/p/empty", "The file exists but is empty."},
      {"/p/src", "ERROR /p/src is a directory: list what is in it, then name a file."},
      {"/p/src/mian.cc", "ERROR /p/src/mian.cc does not exist. Did you mean /p/src/main.cc?"},
      {"/p/scr/main.cc", "ERROR /p/scr/main.cc does not exist: there is no /p/scr. Did you mean /p/src?"},
      {"/p/src/utterly-else", "ERROR /p/src/utterly-else does not exist; look for the right path first."},
      {"/p/binary",
       "ERROR /p/binary is binary (6 B), not text: look at it with a command such as file, strings or xxd."},
      {"/p/secret", "ERROR cannot open /p/secret: Permission denied"},
      {"/p/fifo", "ERROR /p/fifo is a FIFO, which has no content of its own: name a regular file."},
      {"/p/device", "ERROR /p/device is a device, which may never end: name a regular file."},
      {"/p/socket", "ERROR /p/socket is a socket, which has no content of its own: name a regular file."},
      {"/p/loop", "ERROR /p/loop goes through a loop of symbolic links: use another path."},
      {"/p/large",
       "ERROR /p/large is too large (64.0 MB, at most 64.0 MB can be read at once): search it, or cut the part out "
       "that "
       "you need with a command such as head, tail or sed -n."},
      {"relative", "ERROR The path must be absolute: begin it with a slash."},
  };
  for (const Case& c : cases) EXPECT_EQ(text(c.path), c.text);
}

TEST_F(ReadTest, WhatTheModelHasSeenIsRecordedUnderTheCanonicalPath) {
  files.put("/p/a", lines(1, 10));
  files.put_link("/p/link", "a");
  read("/p/link", {{"offset", 2}, {"limit", 2}});
  const FileSeen* seen = bench.session().files.find("/p/a");
  ASSERT_NE(seen, nullptr);
  EXPECT_FALSE(seen->whole);
  EXPECT_EQ(seen->lines, (std::vector<LineRange>{{2, 3}}));
  EXPECT_EQ(seen->content_hash, content_hash(lines(1, 10)));
  EXPECT_EQ(seen->modified_ns, files.status("/p/a")->modified_ns);
  EXPECT_EQ(seen->size, lines(1, 10).size());
  EXPECT_EQ(bench.session().files.find("/p/link"), nullptr);

  read("/p/a", {{"offset", 4}, {"limit", 1}});
  EXPECT_EQ(bench.session().files.find("/p/a")->lines, (std::vector<LineRange>{{2, 4}}));
  read("/p/a");
  EXPECT_TRUE(bench.session().files.find("/p/a")->whole);
}

TEST_F(ReadTest, ALineThatWasCutWasNotSeenUntilItIsReadAlone) {
  files.put("/p/a", "1\n" + std::string(2'001, 'x') + "\n3\n");
  read("/p/a");
  EXPECT_FALSE(bench.session().files.find("/p/a")->whole);
  EXPECT_EQ(bench.session().files.find("/p/a")->lines, (std::vector<LineRange>{{1, 1}, {3, 3}}));
  read("/p/a", {{"offset", 2}, {"limit", 1}});
  EXPECT_EQ(bench.session().files.find("/p/a")->lines, (std::vector<LineRange>{{1, 3}}));
}

TEST_F(ReadTest, AFailedReadRecordsNothing) {
  files.put("/p/binary", "\0"sv);
  read("/p/binary");
  EXPECT_EQ(bench.session().files.find("/p/binary"), nullptr);
}

TEST_F(ReadTest, PicturesComeAsPicturesWhateverTheyAreCalled) {
  std::string png = "\x89PNG\r\n\x1A\n\0\0\0\x0DIHDR\0\0\0\x11\0\0\0\x09\x08\x02\0\0\0"s;
  files.put("/p/picture.txt", png);
  const auto result = read("/p/picture.txt");
  ASSERT_TRUE(result.has_value()) << result.error().message;
  EXPECT_EQ(to_json(result->blocks), R"([{"type":"image","source":{"type":"base64","media_type":"image/png",)"
                                     R"("data":"iVBORw0KGgoAAAANSUhEUgAAABEAAAAJCAIAAAA="}}])");
  EXPECT_EQ(to_json(result->details),
            R"({"type":"image","file":{"base64":"iVBORw0KGgoAAAANSUhEUgAAABEAAAAJCAIAAAA=","type":"image/png",)"
            R"("originalSize":29,"dimensions":{"originalWidth":17,"originalHeight":9,"displayWidth":17,)"
            R"("displayHeight":9}}})");
  files.put("/p/damaged.png", png.substr(0, 12));
  EXPECT_EQ(text("/p/damaged.png"), "ERROR /p/damaged.png (image/png) is damaged: its header gives no size.");
}

TEST_F(ReadTest, AHookMayReplaceWhatIsShown) {
  files.put("/p/a", "password\nx\n");
  auto result = read("/p/a");
  result->details.as_object()["file"].as_object()["content"] = "********\nx";
  tool->map_result(JsonObject{{"file_path", "/p/a"}}, *result);
  EXPECT_EQ(result->text, "     1\t********\n     2\tx");
}

TEST_F(ReadTest, ACancelledReadSaysSo) {
  files.put("/p/a", "x");
  bench.stop().request_stop();
  EXPECT_EQ(read("/p/a").error().code, Errc::cancelled);
}

TEST_F(ReadTest, DeclaresThatItOnlyReadsItsFile) {
  const Json input = JsonObject{{"file_path", "/p/a"}};
  EXPECT_TRUE(tool->is_read_only(input, any_session()));
  EXPECT_TRUE(tool->is_concurrency_safe(input, any_session()));
  EXPECT_EQ(tool->footprint(input, any_session())->paths(),
            (std::vector<Footprint::PathAccess>{{"/p/a", Footprint::PathUse::read}}));
  EXPECT_EQ(tool->spec().on_interrupt, OnInterrupt::cancel);
  EXPECT_EQ(tool->spec().result_characters_max, kUnlimited);
}

TEST(ReadOnDisk, HostilePathsNeverHang) {
  const TempFolder folder;
  DiskFiles files;
  ToolBench bench(files);
  const auto tool = make_read_tool();
  ASSERT_EQ(::mkfifo((folder / "fifo").c_str(), 0600), 0);
  ASSERT_EQ(::symlink("b", (folder / "a").c_str()), 0);
  ASSERT_EQ(::symlink("a", (folder / "b").c_str()), 0);
  folder.put("sparse", "");
  ASSERT_EQ(::truncate((folder / "sparse").c_str(), off_t{2} << 30), 0);
  for (const std::string& path : {folder / "fifo", folder / "a", folder / "sparse", std::string("/dev/zero"),
                                  std::string("/proc/self/mem"), std::string("/proc/self/environ"), std::string("/"),
                                  std::string("/dev/stdin"), folder / std::string(300, 'n')}) {
    EXPECT_FALSE(bench.call(*tool, JsonObject{{"file_path", path}}).has_value()) << path;
  }
}

// A small file that is at hand; everything else is for a worker.
TEST_F(ReadTest, IsBriefOnlyWhereNothingCanTakeLong) {
  files.put("/p/a", "one\ntwo\n");
  const auto brief = bench.run_briefly(*tool, JsonObject{{"file_path", "/p/a"}});
  ASSERT_TRUE(brief && *brief);
  EXPECT_EQ((*brief)->text, text("/p/a"));

  files.put_link("/p/link", "/p/a");
  files.put("/p/large", std::string((256 << 10) + 1, 'x'));
  files.put("/p/document", "%PDF-1.4\n");
  files.put("/p/picture", "\x89PNG\r\n\x1A\n\0\0\0\x0DIHDR\0\0\0\x11\0\0\0\x09\x08\x02\0\0\0"s);
  files.put("/p/book.ipynb", "{}");
  for (const char* path : {"/p/link", "/p/large", "/p/document", "/p/picture", "/p/book.ipynb", "/p/missing", "/p",
                           "/p/../p/a", "/p//a"}) {
    EXPECT_FALSE(bench.run_briefly(*tool, JsonObject{{"file_path", path}})) << path;
  }
}

}  // namespace
}  // namespace deft
