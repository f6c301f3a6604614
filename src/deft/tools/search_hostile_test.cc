#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>

#include "deft/base/utf8.h"
#include "deft/os/disk_files.h"
#include "deft/testing/temp_folder.h"
#include "deft/testing/tool_bench.h"
#include "deft/tools/glob_tool.h"
#include "deft/tools/grep.h"
#include "deft/tools/grep_file.h"

// Trees that want to hang a search, make it swell, or lead it elsewhere.

namespace deft {
namespace {

constexpr uid_t kNobody = 65'534;

// Root may read everything; nobody may not. Holds for this thread and those that it starts.
class AsNobody {
 public:
  AsNobody() : is_root_(::geteuid() == 0) {
    if (is_root_) ::setfsuid(kNobody);
  }
  ~AsNobody() {
    if (is_root_) ::setfsuid(0);
  }
  AsNobody(const AsNobody&) = delete;

 private:
  const bool is_root_;
};

// In kB, of this process.
std::size_t memory(std::string_view name) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(name)) return std::stoul(line.substr(name.size()));
  }
  return 0;
}

class HostileTreeTest : public ::testing::Test {
 protected:
  using Denied = decltype(SearchOptions::denied);

  std::string grep(std::string_view input, Denied denied = {}) {
    return text(bench.call(*make_grep_tool({.denied = std::move(denied)}), *parse_json(input)));
  }
  std::string glob(std::string_view input, Denied denied = {}) {
    return text(bench.call(*make_glob_tool({.denied = std::move(denied)}), *parse_json(input)));
  }
  static std::string text(const Result<ToolResult>& result) {
    return result ? result->text : "ERROR " + result.error().message;
  }

  TempFolder folder;
  DiskFiles files;
  ToolBench bench{files, folder.path()};
};

TEST_F(HostileTreeTest, LinksArePassedByAndLoopsEnd) {
  const TempFolder elsewhere;
  elsewhere.put("secret", "foo\n");
  folder.put("a/file", "foo\n");
  std::filesystem::create_symlink("..", folder / "a/up");
  std::filesystem::create_symlink("self", folder / "self");
  std::filesystem::create_symlink(elsewhere.path(), folder / "out");
  std::filesystem::create_symlink(elsewhere / "secret", folder / "secret");
  EXPECT_EQ(grep(R"({"pattern":"foo"})"), "Found 1 file\na/file");
  EXPECT_EQ(glob(R"({"pattern":"**/file"})"), "a/file");
}

TEST_F(HostileTreeTest, PipesAreNeverOpened) {
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  folder.put("file", "foo\n");
  EXPECT_EQ(grep(R"({"pattern":"foo"})"), "Found 1 file\nfile");
  EXPECT_EQ(glob(R"({"pattern":"*"})"), "file");
  EXPECT_TRUE(grep(R"({"pattern":"foo","path":"pipe"})").starts_with("ERROR "));
  EXPECT_TRUE(grep(R"({"pattern":"foo","path":"/dev/zero"})").starts_with("ERROR "));
}

TEST_F(HostileTreeTest, WhatCannotBeReadIsSaid) {
  std::filesystem::permissions(folder.path(), std::filesystem::perms(0755));
  folder.put("open", "foo\n");
  folder.put("closed file", "foo\n", 0);
  folder.put("closed/file", "foo\n");
  std::filesystem::permissions(folder / "closed", std::filesystem::perms::none);
  {
    const AsNobody nobody;
    EXPECT_EQ(grep(R"({"pattern":"foo"})"), "Found 1 file\nopen\n[Could not read 1 folder (" + (folder / "closed") +
                                                ") and 1 file: what is in there was not searched.]");
    EXPECT_EQ(glob(R"({"pattern":"**/o*"})"),
              "open\n[Could not read 1 folder (" + (folder / "closed") + "): what is in there was not searched.]");
  }
  std::filesystem::permissions(folder / "closed", std::filesystem::perms(0755));
}

// The question whether a path may be read comes just before it is: the right moment to change what is there.
TEST_F(HostileTreeTest, FilesThatVanishOrTurnIntoSomethingElseAreLeftOut) {
  const TempFolder elsewhere;
  elsewhere.put("secret", "foo secret\n");
  for (const char* name : {"gone", "link", "pipe", "stays"}) folder.put(name, "foo\n");
  folder.put("folder/inside", "foo\n");
  const auto change = [&](std::string_view path, bool) {
    if (path.ends_with("/stays")) return false;
    std::filesystem::remove_all(path);
    if (path.ends_with("/link")) std::filesystem::create_symlink(elsewhere / "secret", path);
    if (path.ends_with("/folder")) std::filesystem::create_directory_symlink(elsewhere.path(), path);
    if (path.ends_with("/pipe")) ::mkfifo(std::string(path).c_str(), 0600);
    return false;
  };
  EXPECT_EQ(grep(R"({"pattern":"foo"})", change), "Found 1 file\nstays");
}

TEST_F(HostileTreeTest, NamesOfAnyBytesAreOneValidLine) {
  folder.put("not \xFF utf8", "foo\n");
  folder.put("new\nline", "foo\n");
  folder.put("es\x1B[31mcape", "foo\n");
  const std::string found = grep(R"({"pattern":"foo"})");
  EXPECT_EQ(found, "Found 3 files\nes?[31mcape\nnew?line\nnot \uFFFD utf8");
  EXPECT_EQ(grep(R"({"pattern":"foo","path":"not \uFFFD utf8","output_mode":"content"})"), "not \uFFFD utf8:1:foo");
  EXPECT_TRUE(is_utf8(glob(R"({"pattern":"*"})")));
}

TEST_F(HostileTreeTest, DeniedPathsAreNeitherReadNorNamed) {
  folder.put("a", "foo\n");
  folder.put("secret/b", "foo\n");
  folder.put("c.key", "foo\n");
  const auto denied = [](std::string_view path, bool is_folder) {
    return is_folder ? path.ends_with("/secret") : path.ends_with(".key");
  };
  EXPECT_EQ(grep(R"({"pattern":"foo"})", denied), "Found 1 file\na");
  EXPECT_EQ(glob(R"({"pattern":"**"})", denied), "a");
  EXPECT_TRUE(grep(R"({"pattern":"foo","path":"c.key"})", denied).starts_with("ERROR "));
}

TEST_F(HostileTreeTest, AnEndlessLineTakesLittleMemory) {
  constexpr std::size_t kLineBytes = std::size_t{64} << 20;
  constexpr std::size_t kMemoryMax = 48 << 10;  // kB; sanitizers need several times as much
  {
    std::ofstream out(folder / "line", std::ios::binary);
    const std::string piece(1 << 20, 'x');
    for (std::size_t written = 0; written < kLineBytes; written += piece.size()) out << piece;
    out << "needle\nfoo\n";
  }
  std::ofstream("/proc/self/clear_refs") << 5;  // the peak is measured from here on
  const std::size_t before = memory("VmRSS:");
  const std::string found = grep(R"({"pattern":"x+needle$","output_mode":"content","-A":1})");
  EXPECT_LT(memory("VmHWM:"), before + kMemoryMax);
  EXPECT_TRUE(found.starts_with("line:1:xxxx")) << found.substr(0, 100);
  EXPECT_TRUE(found.ends_with("x… [cut; the line has 64.0 MB]\nline-2-foo")) << found.substr(found.size() - 100);
}

TEST_F(HostileTreeTest, WhatIsTooLargeToBeHeldAsAWholeIsSaid) {
  folder.put("large", "");
  std::filesystem::resize_file(folder / "large", kGrepWholeFileBytesMax + 1);
  folder.put("small", "needle\nfoo\n");
  EXPECT_EQ(grep(R"({"pattern":"needle\\nfoo","multiline":true})"),
            "Found 1 file\nsmall\n"
            "[1 file larger than 64.0 MB left out: such files can be searched only without multiline.]");
}

TEST_F(HostileTreeTest, AFolderOfVeryManyFilesIsWalkedToTheEnd) {
  constexpr int kFiles = 1'500;  // more than one reading of the folder gives
  const int fd = ::open(folder.path().c_str(), O_DIRECTORY);
  for (int i = 0; i < kFiles; ++i) {
    const std::string name = "long" + std::string(200, 'x') + std::to_string(i);
    ::close(::openat(fd, name.c_str(), O_CREAT | O_WRONLY, 0600));
  }
  ::close(fd);
  folder.put("zz", "foo\n");
  EXPECT_EQ(grep(R"({"pattern":"foo"})"), "Found 1 file\nzz");
  const std::string found = glob(R"({"pattern":"*long*"})");
  EXPECT_NE(found.find("[The newest 100 of 1500 files are shown"), std::string::npos) << found;
}

TEST_F(HostileTreeTest, ADeepTreeIsWalkedToTheEnd) {
  constexpr int kDepth = 300;  // more folders than are kept open
  std::string path;
  for (int i = 0; i < kDepth; ++i) path += "d/";
  folder.put(path + "file", "foo\n");
  EXPECT_EQ(grep(R"({"pattern":"foo"})"), "Found 1 file\n" + path + "file");
}

TEST_F(HostileTreeTest, ACancelledSearchEndsWhereverItIs) {
  constexpr int kFiles = 600;
  for (int i = 0; i < kFiles; ++i) {
    folder.put("d" + std::to_string(i % 30) + "/f" + std::to_string(i), "foo\n");
  }
  std::atomic<int> asked = 0;
  const auto cancel_soon = [&](std::string_view, bool) {
    if (++asked == 40) bench.stop().request_stop();
    return false;
  };
  EXPECT_EQ(grep(R"({"pattern":"foo"})", cancel_soon), "ERROR The search was cancelled.");
  EXPECT_LT(asked, kFiles / 2);
}

TEST_F(HostileTreeTest, PatternsThatExplodeElsewhereDoNotHere) {
  folder.put("a", std::string(200'000, 'a') + "\n");
  EXPECT_EQ(grep(R"j({"pattern":"(a*)*(a*)*(a*)*b"})j"), "No files found");
  EXPECT_EQ(grep(R"j({"pattern":"(a?){50}a{50}$","output_mode":"count"})j"), "Found 1 matching line in 1 file\na:1");
  EXPECT_EQ(grep(R"j({"pattern":"[ab]*a[ab]{12}c"})j"), "No files found");  // 2^12 states
  EXPECT_EQ(grep(R"j({"pattern":"(x+x+)+y","multiline":true})j"), "No files found");
}

}  // namespace
}  // namespace deft
