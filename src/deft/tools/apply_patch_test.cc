#include "deft/tools/apply_patch.h"

#include <gtest/gtest.h>

#include "deft/os/disk_files.h"
#include "deft/os/file_changes.h"
#include "deft/testing/fake_files.h"
#include "deft/testing/temp_folder.h"
#include "deft/testing/tool_bench.h"
#include "deft/tools/read.h"

namespace deft {
namespace {

Json patch_input(std::string_view body) {
  return JsonObject{{"input", "*** Begin Patch\n" + std::string(body) + "*** End Patch\n"}};
}

class ApplyPatchToolTest : public testing::Test {
 protected:
  void read(std::string_view path, JsonObject more = {}) {
    JsonObject input = {{"file_path", path}};
    for (const auto& [key, value] : more) input[key] = value;
    ASSERT_TRUE(bench.call(*read_tool, input).has_value());
  }
  std::string apply(std::string_view body) {
    const auto result = bench.call(*tool, patch_input(body));
    return result ? result->text : std::string(to_string(result.error().code)) + ": " + result.error().message;
  }

  FakeFiles files;
  ToolBench bench{files, "/p"};
  std::shared_ptr<Tool> tool = make_apply_patch_tool();
  std::shared_ptr<Tool> read_tool = make_read_tool();
};

TEST_F(ApplyPatchToolTest, ChangesSeveralFilesInOneCall) {
  files.put("/p/a", "one\ntwo\nthree\n");
  files.put("/p/old", "gone\n");
  files.put("/p/tool.sh", "#!/bin/sh\necho a\n", 0755);
  read("/p/a");
  read("/p/old");
  read("/p/tool.sh");
  EXPECT_EQ(apply("*** Update File: a\n one\n-two\n+2\n"
                  "*** Add File: sub/new\n+x\n+y\n"
                  "*** Delete File: old\n"
                  "*** Update File: /p/tool.sh\n*** Move to: bin/tool\n-echo a\n+echo b\n"),
            "Edited /p/a. It now reads:\n     1\tone\n     2\t2\n     3\tthree\n"
            "Created /p/sub/new.\n"
            "Deleted /p/old.\n"
            "Moved /p/tool.sh to /p/bin/tool. It now reads:\n     1\t#!/bin/sh\n     2\techo b");
  EXPECT_EQ(files.bytes("/p/a"), "one\n2\nthree\n");
  EXPECT_EQ(files.bytes("/p/sub/new"), "x\ny\n");
  EXPECT_EQ(files.bytes("/p/old"), std::nullopt);
  EXPECT_EQ(files.bytes("/p/tool.sh"), std::nullopt);
  EXPECT_EQ(files.bytes("/p/bin/tool"), "#!/bin/sh\necho b\n");
  EXPECT_EQ(files.status("/p/bin/tool")->mode, 0755U) << "a file that is moved keeps its mode";
  EXPECT_EQ(apply("*** Update File: bin/tool\n-echo b\n+echo c\n"
                  "*** Update File: sub/new\n-x\n+X\n")
                .substr(0, 17),
            "Edited /p/bin/too")
      << "what the patch wrote counts as seen";
}

TEST_F(ApplyPatchToolTest, ChangesNothingIfOneFileDoesNotFit) {
  files.put("/p/a", "one\n");
  files.put("/p/b", "two\n");
  read("/p/a");
  read("/p/b");
  EXPECT_EQ(
      apply("*** Update File: a\n-one\n+1\n*** Update File: b\n-three\n+3\n*** Add File: a\n+x\n"),
      "not_found: b: The chunk at line 6 of the patch was not found in the file: read the file again and copy the "
      "text exactly.\na exists already: change it with *** Update File.\nNo file was changed.");
  EXPECT_EQ(files.bytes("/p/a"), "one\n");
}

TEST_F(ApplyPatchToolTest, TakesEverythingBackIfTheDiskFailsInTheMiddle) {
  files.put("/p/a", "one\n");
  files.put("/p/gone", "old\n", 0750);
  files.put("/p/z", "two\n");
  for (const char* path : {"/p/a", "/p/gone", "/p/z"}) read(path);
  files.deny("/p/n/new");
  const std::string text = apply(
      "*** Update File: a\n-one\n+1\n*** Delete File: gone\n*** Update File: z\n*** Move to: y\n-two\n+2\n"
      "*** Add File: n/new\n+x\n");
  EXPECT_EQ(text, "io: cannot write /p/n/new: Permission denied No file was changed.");
  EXPECT_EQ(files.bytes("/p/a"), "one\n");
  EXPECT_EQ(files.bytes("/p/gone"), "old\n");
  EXPECT_EQ(files.status("/p/gone")->mode, 0750U);
  EXPECT_EQ(files.bytes("/p/z"), "two\n");
  EXPECT_EQ(files.bytes("/p/y"), std::nullopt);
  EXPECT_EQ(files.bytes("/p/n/new"), std::nullopt);
}

TEST_F(ApplyPatchToolTest, NamesWhatCouldNotBeTakenBack) {
  files.put("/p/a", "one\n");
  files.put("/p/b", "two\n");
  read("/p/a");
  read("/p/b");
  const Json input = patch_input("*** Update File: a\n-one\n+1\n*** Update File: b\n-two\n+2\n");
  ASSERT_TRUE(bench.validate(*tool, input).has_value());
  const std::size_t before = files.operations();
  ASSERT_TRUE(bench.validate(*tool, input).has_value());
  const std::size_t planning = files.operations() - before;
  files.fail_operation(planning + 2, {Errc::io, "The disk is broken."});
  files.fail_operation(planning + 3, {Errc::io, "The disk is still broken."});
  const auto result = bench.run(*tool, input);
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().message,
            "The disk is broken. These files were changed before that and could not be brought back: /p/a: The disk is "
            "still broken. Look at them before you go on.");
}

TEST_F(ApplyPatchToolTest, FilesMustHaveBeenReadAndBeUnchanged) {
  files.put("/p/a", "one\ntwo\nthree\n");
  EXPECT_EQ(apply("*** Delete File: a\n"),
            "not_read: /p/a has not been read in this session: read it before you change it.");
  read("/p/a", {{"offset", 1}, {"limit", 1}});
  EXPECT_EQ(apply("*** Update File: a\n-three\n+3\n"),
            "not_read: Of a only line 1 was shown, and the change touches line 3: read those lines first.");
  EXPECT_TRUE(apply("*** Update File: a\n-one\n+1\n").starts_with("Edited"));
  files.put("/p/a", "other\n");
  EXPECT_TRUE(apply("*** Update File: a\n-one\n+1\n").starts_with("stale: /p/a has changed since you read it"));
}

TEST_F(ApplyPatchToolTest, APathIsNamedOnceWhateverItsSpelling) {
  files.put("/p/a", "one\n");
  files.put_link("/p/link", "/p/a");
  read("/p/a");
  EXPECT_EQ(apply("*** Update File: a\n-one\n+1\n*** Delete File: link\n"),
            "invalid_input: The patch names link twice (as a too): put all its changes below one header.\nNo file was "
            "changed.");
  EXPECT_EQ(apply("*** Add File: x\n+1\n*** Update File: a\n*** Move to: x\n"),
            "invalid_input: The patch names x twice: put all its changes below one header.\nNo file was changed.");
}

TEST_F(ApplyPatchToolTest, AMoveNeedsAFreePlace) {
  files.put("/p/a", "one\n");
  files.put("/p/b", "two\n");
  read("/p/a");
  EXPECT_EQ(apply("*** Update File: a\n*** Move to: b\n"), "invalid_input: b exists already: nothing is moved there.");
  EXPECT_EQ(apply("*** Update File: a\n*** Move to: ./a\n-one\n+1\n"), "Edited /p/a. It now reads:\n     1\t1")
      << "to where it is: only a change";
}

TEST_F(ApplyPatchToolTest, ChangesNothingWhenItWasCancelled) {
  files.put("/p/a", "one\n");
  read("/p/a");
  bench.stop().request_stop();
  EXPECT_EQ(apply("*** Delete File: a\n"), "cancelled: Cancelled; no file was changed.");
  EXPECT_EQ(files.bytes("/p/a"), "one\n");
}

TEST_F(ApplyPatchToolTest, DeclaresEachPathThatItTouches) {
  const SessionState state{.working_directory = "/p", .directories = {"/p"}, .files = {}};
  const SessionView session(state, {});
  const auto footprint = tool->footprint(
      patch_input("*** Update File: a\n*** Move to: /b\n*** Add File: /c\n*** Delete File: d/../e\n"), session);
  ASSERT_TRUE(footprint.has_value());
  EXPECT_EQ(*footprint, Footprint::writes("/p/a")
                            .and_reads("/p/a")
                            .and_session(Footprint::Use::read)
                            .and_writes("/b")
                            .and_writes("/c")
                            .and_writes("/p/e")
                            .and_reads("/p/e"));
  EXPECT_TRUE(tool->footprint(JsonObject{{"input", "nonsense"}}, session)->is_everything());
  EXPECT_EQ(
      tool->render_use(patch_input("*** Update File: a\n*** Move to: b\n*** Delete File: c\n*** Delete File: d\n")),
      "apply_patch(a, b, c, and 1 more)");
}

TEST(ApplyPatchOnDisk, EveryKindOfChangeCanBeUndone) {
  const TempFolder folder;
  const TempFolder session;
  folder.put("a", "one\n");
  folder.put("gone", "old\n");
  folder.put("from", "moved\n");
  DiskFiles files(Survives::killed, session.path());
  FileChanges changes(session.path());
  ToolBench bench(files, folder.path());
  bench.use(changes);
  const auto read = make_read_tool();
  for (const char* name : {"a", "gone", "from"}) {
    ASSERT_TRUE(bench.call(*read, JsonObject{{"file_path", folder.path() + "/" + name}}).has_value());
  }
  const auto result = bench.call(
      *make_apply_patch_tool(), patch_input("*** Update File: a\n-one\n+1\n*** Delete File: gone\n*** Add File: n/new\n"
                                            "+x\n*** Update File: from\n*** Move to: to\n-moved\n+there\n"));
  ASSERT_TRUE(result.has_value()) << result.error().message;
  EXPECT_EQ(folder.bytes("to"), "there\n");
  for (const char* name : {"a", "gone", "n/new", "to", "from"}) {
    const auto undone = undo_last_change(changes, folder.path() + "/" + name, files);
    EXPECT_TRUE(undone.has_value()) << name << ": " << undone.error().message;
  }
  EXPECT_EQ(folder.bytes("a"), "one\n");
  EXPECT_EQ(folder.bytes("gone"), "old\n");
  EXPECT_EQ(folder.bytes("from"), "moved\n");
  EXPECT_EQ(files.status(folder.path() + "/n/new")->kind, FileKind::missing);
  EXPECT_EQ(files.status(folder.path() + "/to")->kind, FileKind::missing);
}

TEST(ApplyPatchOnDisk, LeavesNoFoldersBehindWhenItIsTakenBack) {
  const TempFolder folder;
  const TempFolder session;
  DiskFiles files(Survives::killed, session.path());
  ToolBench bench(files, folder.path());
  const auto tool = make_apply_patch_tool();
  const Json input = patch_input("*** Add File: k/z\n+x\n*** Add File: n/m/new\n+x\n*** Add File: n/m/new/x\n+x\n");
  const auto result = bench.run(*tool, input);
  ASSERT_FALSE(result.has_value());
  EXPECT_TRUE(result.error().message.ends_with("No file was changed.")) << result.error().message;
  EXPECT_EQ(files.status(folder.path() + "/n")->kind, FileKind::missing);
  EXPECT_EQ(files.status(folder.path() + "/k")->kind, FileKind::missing);
}

TEST(PatchModels, AreToldByTheirName) {
  for (const char* model : {"gpt-5", "gpt-5.1-codex", "openai/gpt-4.1-mini", "o3", "o4-mini", "codex-mini-latest"}) {
    EXPECT_TRUE(is_trained_on_patches(model)) << model;
  }
  for (const char* model : {"claude-opus-4-6", "gpt-4o", "qwen3-coder", "o30", ""}) {
    EXPECT_FALSE(is_trained_on_patches(model)) << model;
  }
}

}  // namespace
}  // namespace deft
