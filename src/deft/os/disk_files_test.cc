#include "deft/os/disk_files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <csignal>
#include <cstring>

#include "deft/base/utf8.h"
#include "deft/os/open_without_links.h"
#include "deft/os/temporary_file.h"
#include "deft/testing/child_process.h"
#include "deft/testing/temp_folder.h"

namespace deft {
namespace {

constexpr std::size_t kBytesMax = 1 << 20;
using Names = std::vector<std::string>;

class DiskFilesTest : public testing::Test {
 protected:
  Result<Replaced> replace(std::string_view name, std::string_view old, std::string_view bytes) {
    return disk.replace(folder / name, bytes, content_id(old));
  }
  TempFolder folder;
  DiskFiles disk{Survives::killed};
};

TEST_F(DiskFilesTest, WhatHasNoEndOrNoContentIsRefusedAndNothingHangs) {
  ASSERT_EQ(::mkfifo((folder / "fifo").c_str(), 0600), 0);
  const UniqueFd sparse(::open((folder / "sparse").c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
  ASSERT_EQ(::ftruncate(sparse.get(), off_t{2} << 30), 0);
  const UniqueFd server(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, (folder / "socket").c_str(), sizeof address.sun_path - 1);
  ASSERT_EQ(::bind(server.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  struct Case {
    std::string path;
    Errc code;
  };
  const Case cases[] = {
      {folder / "fifo", Errc::unsupported}, {folder / "socket", Errc::unsupported},
      {folder / "sparse", Errc::limit},     {"/dev/zero", Errc::unsupported},
      {"/dev/tty", Errc::unsupported},      {"/proc/self/mem", Errc::denied},
      {"/proc/self/environ", Errc::denied}, {"/proc/thread-self/environ", Errc::denied},
      {"/proc/self/fd/0", Errc::not_found},
  };
  for (const Case& c : cases) {
    const auto path = disk.canonical(c.path);
    ASSERT_TRUE(path.has_value()) << c.path;
    // The descriptor 0 of a test may be anything; what matters is that it is not read through its magic link.
    if (c.code == Errc::not_found && disk.status(*path)->kind != FileKind::missing) continue;
    const auto content = disk.read(*path, kBytesMax);
    ASSERT_FALSE(content.has_value()) << c.path;
    EXPECT_EQ(content.error().code, c.code) << c.path << ": " << content.error().message;
  }
}

TEST_F(DiskFilesTest, FilesOfTheKernelThatClaimToBeEmptyAreReadAndBounded) {
  EXPECT_FALSE(disk.read("/proc/version", kBytesMax)->bytes.empty());
  EXPECT_EQ(disk.read("/proc/version", 3).error().code, Errc::limit);
}

TEST_F(DiskFilesTest, LargeFilesComeWhole) {
  std::string large;
  for (int i = 0; large.size() < 700'000; ++i) large += std::to_string(i) + "\n";
  folder.put("large", large);
  EXPECT_EQ(disk.read(folder / "large", kBytesMax)->bytes, large);
}

TEST_F(DiskFilesTest, WithoutOpenat2LinksAreRefusedJustTheSame) {
  folder.put("real/a", "a");
  ASSERT_EQ(::symlink("real", (folder / "link").c_str()), 0);
  ASSERT_EQ(::symlink("a", (folder / "real/last").c_str()), 0);
  EXPECT_TRUE(open_without_links_by_walking(folder / "real/a", O_RDONLY));
  EXPECT_TRUE(open_without_links_by_walking("/", O_PATH | O_DIRECTORY));
  EXPECT_FALSE(open_without_links_by_walking(folder / "link/a", O_RDONLY));
  EXPECT_FALSE(open_without_links_by_walking(folder / "real/last", O_RDONLY));
  EXPECT_FALSE(open_without_links_by_walking(folder / "none/a", O_RDONLY));
}

TEST_F(DiskFilesTest, APathIsItsOwnCanonicalFormOnlyWithoutLinksAnywhereInIt) {
  folder.put("real/a", "a");
  ASSERT_EQ(::symlink("real", (folder / "link").c_str()), 0);
  ASSERT_EQ(::symlink("a", (folder / "real/last").c_str()), 0);
  EXPECT_EQ(look_without_links(folder / "real/a"), 0);
  EXPECT_EQ(look_without_links(folder / "real"), 0);
  EXPECT_EQ(look_without_links(folder / "link/a"), ELOOP);
  EXPECT_EQ(look_without_links(folder / "link/none"), ELOOP);
  EXPECT_EQ(look_without_links(folder / "real/last"), ELOOP);
  EXPECT_EQ(look_without_links(folder / "none"), ENOENT);
  EXPECT_EQ(look_without_links(folder / "real/a/b"), ENOTDIR);
  ASSERT_EQ(::symlink("nowhere", (folder / "dangling").c_str()), 0);
  EXPECT_EQ(look_without_links(folder / "dangling"), ELOOP);
  EXPECT_EQ(disk.canonical(folder / "dangling").value(), folder / "nowhere");
  EXPECT_EQ(disk.canonical(folder / "link/none/more").value(), folder / "real/none/more");
  EXPECT_EQ(disk.canonical(folder / "real/none/more").value(), folder / "real/none/more");
  EXPECT_EQ(disk.canonical(folder / "real/a/below").value(), folder / "real/a/below");
  EXPECT_EQ(disk.canonical(folder / "link/last").value(), folder / "real/a");
  EXPECT_EQ(disk.canonical(folder / "link/../real/a").value(), folder / "real/a");
  EXPECT_EQ(disk.canonical(folder / "real/a/").value(), folder / "real/a");
}

TEST_F(DiskFilesTest, ANameThatIsNotUtf8IsFoundByTheWayItIsShown) {
  const std::string raw = "caf\xE9.txt";
  folder.put(raw, "x");
  EXPECT_EQ(disk.canonical(folder / to_valid_utf8(raw)).value(), folder / raw);
  EXPECT_EQ(disk.canonical(folder / raw).value(), folder / raw);
  folder.put("caf\xE8.txt", "y");
  EXPECT_EQ(disk.canonical(folder / to_valid_utf8(raw)).error().code, Errc::invalid_input);
  EXPECT_EQ(disk.canonical(folder / "new\xEF\xBF\xBD").value(), folder / "new\xEF\xBF\xBD");
}

TEST_F(DiskFilesTest, ReplacingKeepsModeAndAttributesAndLeavesNothingBehind) {
  for (const std::uint32_t mode : {0644U, 0600U, 0755U, 0664U, 04711U, 0400U | 0200U}) {
    folder.put("a", "old", mode);
    const bool has_attributes = ::setxattr((folder / "a").c_str(), "user.deft", "value", 5, 0) == 0;
    ASSERT_TRUE(replace("a", "old", "new"));
    EXPECT_EQ(disk.status(folder / "a")->mode, mode);
    EXPECT_EQ(folder.bytes("a"), "new");
    char value[8] = {};
    if (has_attributes) {
      EXPECT_EQ(::getxattr((folder / "a").c_str(), "user.deft", value, sizeof value), 5);
    }
    EXPECT_EQ(folder.names(), Names{"a"});
    std::filesystem::remove(folder / "a");
  }
}

TEST_F(DiskFilesTest, ANewFileGetsTheModeThatTheUmaskLeaves) {
  const mode_t before = ::umask(027);
  EXPECT_TRUE(disk.replace(folder / "sub/new", "x", std::nullopt));
  ::umask(before);
  EXPECT_EQ(disk.status(folder / "sub/new")->mode, 0640U);
  EXPECT_EQ(disk.status(folder / "sub")->mode, 0750U);
}

TEST_F(DiskFilesTest, AFileThatItsOwnerProtectedIsNotReplaced) {
  folder.put("a", "old", 0444);
  ASSERT_EQ(::chmod(folder.path().c_str(), 0777), 0);
  EXPECT_TRUE(in_child_as_plain_user([&] {
    const auto replaced = replace("a", "old", "new");
    return !replaced && replaced.error().code == Errc::io && replaced.error().message.ends_with("Permission denied");
  }));
  EXPECT_EQ(folder.bytes("a"), "old");
}

TEST_F(DiskFilesTest, InAFolderThatIsNotWritableTheFileIsWrittenInPlace) {
  folder.put("a", "old content", 0666);
  ASSERT_EQ(::chmod(folder.path().c_str(), 0555), 0);
  EXPECT_TRUE(in_child_as_plain_user([&] {
    const auto replaced = replace("a", "old content", "new");
    return replaced && replaced->in_place_because == "its folder is not writable";
  }));
  EXPECT_TRUE(in_child_as_plain_user([&] {
    const auto made = disk.replace(folder / "new", "x", std::nullopt);
    return !made && made.error().code == Errc::io;
  }));
  ASSERT_EQ(::chmod(folder.path().c_str(), 0755), 0);
  EXPECT_EQ(folder.bytes("a"), "new");
}

// A limit on the size of files stands for the full disk: the write fails half-way in the same place.
bool with_file_limit(rlim_t bytes, const std::function<bool()>& body) {
  return in_child_as_plain_user([&] {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{bytes, bytes};
    return ::setrlimit(RLIMIT_FSIZE, &limit) == 0 && body();
  });
}

TEST_F(DiskFilesTest, AWriteThatFailsHalfWayLeavesTheOldFileAndNothingElse) {
  ASSERT_EQ(::chmod(folder.path().c_str(), 0777), 0);
  folder.put("a", "old", 0666);
  folder.put("linked", "old", 0666);
  ASSERT_EQ(::link((folder / "linked").c_str(), (folder / "other").c_str()), 0);
  const std::string large(10'000, 'x');
  EXPECT_TRUE(with_file_limit(4'096, [&] { return !replace("a", "old", large); }));
  EXPECT_TRUE(with_file_limit(4'096, [&] { return !replace("linked", "old", large); }));
  EXPECT_TRUE(with_file_limit(4'096, [&] { return !disk.replace(folder / "x/y/new", large, std::nullopt); }));
  EXPECT_EQ(folder.bytes("a"), "old");
  EXPECT_EQ(folder.bytes("linked"), "old");
  EXPECT_EQ(folder.names(), (Names{"a", "linked", "other"}));
}

TEST_F(DiskFilesTest, ALongNameStillHasRoomForATemporaryOne) {
  const std::string name(255, 'n');
  folder.put(name, "old");
  EXPECT_TRUE(replace(name, "old", "new"));
  EXPECT_EQ(folder.bytes(name), "new");
  EXPECT_LE(temporary_name(name).size(), 255U);
}

TEST_F(DiskFilesTest, WhatACrashedWriterLeftIsSweptAndNothingElse) {
  const std::string dead = temporary_name("a");
  const std::string alive = temporary_name("b");
  const std::string fresh = temporary_name("c");
  for (const std::string& name : {dead, alive, fresh, std::string(".mine.deft-tmp-notes")}) {
    folder.put(name, "x");
    const timespec long_ago[2] = {{.tv_sec = 1'000'000'000, .tv_nsec = 0}, {.tv_sec = 1'000'000'000, .tv_nsec = 0}};
    if (name != fresh) {
      ASSERT_EQ(::utimensat(AT_FDCWD, (folder / name).c_str(), long_ago, 0), 0);
    }
  }
  const UniqueFd writer(::open((folder / alive).c_str(), O_RDWR | O_CLOEXEC));
  ASSERT_EQ(::flock(writer.get(), LOCK_EX), 0);

  ASSERT_TRUE(disk.replace(folder / "new", "x", std::nullopt));
  Names expected = {alive, fresh, ".mine.deft-tmp-notes", "new"};
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(folder.names(), expected);
}

TEST_F(DiskFilesTest, WhatADeadWriterLeftBesideAFileGoesHoweverYoungItIs) {
  const std::string dead = temporary_name("a");
  const std::string alive = temporary_name("a");
  const std::string other = temporary_name("ab");
  for (const std::string& name : {dead, alive, other}) folder.put(name, "x");
  const UniqueFd writer(::open((folder / alive).c_str(), O_RDWR | O_CLOEXEC));
  ASSERT_EQ(::flock(writer.get(), LOCK_EX), 0);
  remove_leftovers_of(folder / "a");
  Names expected = {alive, other};
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(folder.names(), expected);
}

TEST_F(DiskFilesTest, OnlyWhatIsOnADiskOfThisMachineIsAtHand) {
  folder.put("a", "content");
  const auto content = disk.read_at_hand(folder / "a", kBytesMax);
  ASSERT_TRUE(content) << content.error().message;
  EXPECT_EQ(content->bytes, "content");
  EXPECT_EQ(disk.read_at_hand(folder / "a", 3).error().code, Errc::limit);
  EXPECT_EQ(disk.read_at_hand(folder / "missing", kBytesMax).error().code, Errc::not_found);
  EXPECT_EQ(disk.read_at_hand("/proc/version", kBytesMax).error().code, Errc::unsupported);
}

}  // namespace
}  // namespace deft
