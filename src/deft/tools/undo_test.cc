#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "deft/os/disk_files.h"
#include "deft/os/file_changes.h"
#include "deft/testing/temp_folder.h"
#include "deft/testing/tool_bench.h"
#include "deft/tools/edit.h"
#include "deft/tools/notebook_edit.h"
#include "deft/tools/read.h"
#include "deft/tools/write.h"

// What Edit, Write and NotebookEdit leave behind, so that their changes can be undone.

namespace deft {
namespace {

constexpr std::string_view kNotebook =
    R"({"cells":[{"cell_type":"code","id":"c1","metadata":{},"source":["1"],"outputs":[],"execution_count":null}],)"
    R"("metadata":{},"nbformat":4,"nbformat_minor":5})";

class UndoTest : public ::testing::Test {
 protected:
  UndoTest() { bench.use(changes); }
  Result<ToolResult> call(const std::shared_ptr<Tool>& tool, JsonObject input) { return bench.call(*tool, input); }
  void read(const std::string& path) { ASSERT_TRUE(call(make_read_tool(), {{"file_path", path}}).has_value()); }

  TempFolder folder;
  TempFolder session;
  DiskFiles disk{Survives::killed};
  FileChanges changes{session.path()};
  ToolBench bench{disk};
};

TEST_F(UndoTest, EveryToolThatChangesAFileCanBeUndone) {
  const std::string text = folder.put("a.txt", "one\r\ntwo\xE9\r\n");
  const std::string notebook = folder.put("n.ipynb", kNotebook);
  const std::string created = folder / "new/file";
  read(text);
  read(notebook);
  ASSERT_TRUE(call(make_edit_tool(), {{"file_path", text}, {"old_string", "one"}, {"new_string", "1"}}));
  ASSERT_TRUE(call(make_write_tool(), {{"file_path", text}, {"content", "all new\n"}}));
  ASSERT_TRUE(call(make_write_tool(), {{"file_path", created}, {"content", "x"}}));
  ASSERT_TRUE(call(make_notebook_edit_tool(), {{"notebook_path", notebook}, {"cell_id", "c1"}, {"new_source", "2"}}));
  for (const std::string& path : {text, text, created, notebook}) {
    const auto undone = undo_last_change(changes, path, disk);
    EXPECT_TRUE(undone.has_value()) << path << ": " << undone.error().message;
  }
  EXPECT_EQ(folder.bytes("a.txt"), "one\r\ntwo\xE9\r\n");
  EXPECT_EQ(folder.bytes("n.ipynb"), kNotebook);
  EXPECT_FALSE(folder.bytes("new/file").has_value());
}

TEST_F(UndoTest, AResultSaysWhenTheChangeCannotBeUndone) {
  FileChanges full{session.path(), 4};
  bench.use(full);
  const std::string path = folder.put("a", "longer than that\n");
  read(path);
  const auto result = call(make_edit_tool(), {{"file_path", path}, {"old_string", "longer"}, {"new_string", "more"}});
  ASSERT_TRUE(result.has_value());
  EXPECT_TRUE(result->text.starts_with(
      "Edited " + path + ". It cannot be undone: the session keeps at most 4 B of old contents. It now reads:"))
      << result->text;
  EXPECT_EQ(folder.bytes("a"), "more than that\n");
}

TEST_F(UndoTest, WhereverAKillHitsTheOldContentIsKeptOnceTheFileIsNew) {
  constexpr int kKills = 40;
  const std::string path = folder.put("a", "version 0\n");
  for (int kill = 0; kill < kKills; ++kill) {
    const pid_t writer = ::fork();
    ASSERT_GE(writer, 0);
    if (writer == 0) {
      for (int version = 0;; ++version) {
        (void)call(make_read_tool(), {{"file_path", path}});
        (void)call(make_write_tool(),
                   {{"file_path", path}, {"content", "version " + std::to_string(kill * 100'000 + version) + "\n"}});
      }
    }
    ::usleep(static_cast<unsigned>(300 + 97 * kill));  // not to wait for something, but to hit it anywhere
    ASSERT_EQ(::kill(writer, SIGKILL), 0);
    int status = 0;
    ASSERT_EQ(::waitpid(writer, &status, 0), writer);
    const std::string now = folder.bytes("a").value();
    if (now == "version 0\n") continue;
    const auto undone = undo_last_change(changes, path, disk);
    ASSERT_TRUE(undone.has_value()) << undone.error().message;
    EXPECT_TRUE(folder.bytes("a")->starts_with("version "));
    EXPECT_NE(folder.bytes("a"), now);
  }
}

}  // namespace
}  // namespace deft
