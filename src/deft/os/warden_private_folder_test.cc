// Where a read-only command may write all the same: its private temporary folder, and one file if the caller names it.

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "deft/os/warden_link.h"
#include "deft/os/warden_processes.h"
#include "deft/testing/real_processes.h"
#include "deft/testing/temp_folder.h"

namespace deft {
namespace {

class ReadOnlyFolder : public ::testing::Test {
 protected:
  std::string run(std::string script) {
    Command command{.argv = {"/bin/bash", "--noprofile", "--norc", "-c", std::move(script)},
                    .environment = {"PATH=/usr/bin:/bin"},
                    .restriction = Restriction::read_only};
    std::string output;
    const auto end = processes_.run(command, [&](OutputStream, std::string_view bytes) { output += bytes; }, {});
    return end ? output : end.error().message;
  }
  SystemClock clock_;
  WardenProcesses processes_{clock_};
};

TEST_F(ReadOnlyFolder, IsEmptiedAfterTheCommandWhateverIsInIt) {
  const std::string folder =
      run("cd $TMPDIR; mkdir -p a/b/c; mkdir -m 0 d; ln -s / root; ln -s /etc/passwd link; mkfifo fifo; echo x > "
          "a/b/c/file\n"
          "deep=$(printf 'deep/%.0s' {1..20}); mkdir -p $deep; echo x > $deep/file; printf %s $TMPDIR");
  ASSERT_TRUE(folder.starts_with("/tmp/shell-")) << folder;
  EXPECT_TRUE(std::filesystem::is_empty(folder));
  EXPECT_TRUE(std::filesystem::exists("/etc/passwd"));
}

TEST_F(ReadOnlyFolder, CommandsThatRunAtOnceHaveDifferentOnes) {
  Command command{.argv = {"/bin/bash", "-c", "printf '%s\\n' $TMPDIR; sleep 1000"},
                  .restriction = Restriction::read_only};
  const auto child = processes_.start(command, {});
  ASSERT_TRUE(child) << child.error().message;
  char first[300];
  const auto got = (*child)->read(OutputStream::output, first, {});
  ASSERT_TRUE(got && *got > 0);
  const std::string second = run("echo $TMPDIR");
  EXPECT_NE(second, std::string(first, *got));
  EXPECT_EQ(std::filesystem::path(second).parent_path(), std::filesystem::path(std::string(first, *got)).parent_path());
}

TEST_F(ReadOnlyFolder, OneFileMoreMayBeWrittenIfTheCallerSaysSo) {
  const TempFolder folder;
  const std::string named = folder.put("named", "");
  const std::string other = folder.put("other", "");
  Command command{.argv = {"/bin/bash", "-c", "echo x >> named; echo x >> other; rm named; echo x > new; true"},
                  .environment = {"PATH=/usr/bin:/bin"},
                  .directory = folder.path(),
                  .restriction = Restriction::read_only,
                  .writable_file = named};
  const auto end = processes_.run(command, {}, {});
  ASSERT_TRUE(end) << end.error().message;
  EXPECT_EQ(folder.bytes("named"), "x\n");
  EXPECT_EQ(folder.bytes("other"), "");
  EXPECT_EQ(folder.names(), (std::vector<std::string>{"named", "other"}));
}

TEST(ReadOnlyFolders, AreThereBeforeTheFirstCommandIfOneMayComeSoon) {
  const TempFolder parent;
  {
    warden::StartRequest request;
    parent.path().copy(request.temporary_parent, parent.path().size());
    WardenLink link;
    link.prepare(request);
    EXPECT_TRUE(testing::eventually([&] { return parent.names().size() == 1; }));
  }
  EXPECT_EQ(parent.names(), std::vector<std::string>()) << "the warden leaves nothing";
}

TEST(ReadOnlyFolders, TheWardensOwnEndsWithIt) {
  std::string folder;
  {
    const SystemClock clock;
    WardenProcesses processes(clock);
    Command command{.argv = {"/bin/bash", "-c", "printf %s $TMPDIR"}, .restriction = Restriction::read_only};
    ASSERT_TRUE(processes.run(command, [&](OutputStream, std::string_view bytes) { folder += bytes; }, {}));
    EXPECT_TRUE(std::filesystem::exists(std::filesystem::path(folder).parent_path()));
  }
  EXPECT_FALSE(std::filesystem::exists(std::filesystem::path(folder).parent_path()));
}

}  // namespace
}  // namespace deft
