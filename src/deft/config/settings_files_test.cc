#include "deft/config/settings_files.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "deft/testing/temp_folder.h"

namespace deft {
namespace {

namespace fs = std::filesystem;

class LocalSettings : public ::testing::Test {
 protected:
  void write(const std::string& path, const std::string& text) const {
    fs::create_directories(fs::path(folder / path).parent_path());
    std::ofstream(folder / path) << text;
  }
  // As `git worktree add` leaves it.
  void link_worktree() const {
    fs::create_directories(folder / "main/.git/worktrees/w");
    write("main/.git/worktrees/w/commondir", "../..\n");
    write("main/.git/worktrees/w/gitdir", folder.path() + "/tree/.git\n");
    write("tree/.git", "gitdir: " + folder.path() + "/main/.git/worktrees/w\n");
  }
  std::string root_from(const std::string& directory, const std::string& home = "/nowhere") const {
    return local_settings_root({.directory = folder / directory, .home = home, .config_home = {}, .claude_home = {}});
  }

  const TempFolder folder;
};

TEST_F(LocalSettings, StandAtTheRootOfTheRepository) {
  fs::create_directories(folder / "p/.git");
  fs::create_directories(folder / "p/a/b");
  fs::create_directories(folder / "q/a");
  EXPECT_EQ(root_from("p/a/b"), folder / "p");
  EXPECT_EQ(root_from("q/a"), folder / "q/a") << "no repository";
  EXPECT_EQ(root_from("p/a/b", folder / "p"), folder / "p/a/b") << "the home is no project";
}

TEST_F(LocalSettings, OfALinkedWorktreeStandInTheMainCheckout) {
  link_worktree();
  fs::create_directories(folder / "tree/sub");
  EXPECT_EQ(root_from("tree/sub"), folder / "main");
}

TEST_F(LocalSettings, APipeOrADeviceInsteadOfAFileStopsNobody) {
  fs::create_directories(folder / "fifo");
  ASSERT_EQ(::mkfifo((folder / "fifo/.git").c_str(), 0600), 0);
  EXPECT_EQ(root_from("fifo"), folder / "fifo");
  fs::create_directories(folder / "device");
  fs::create_symlink("/dev/zero", folder / "device/.git");
  EXPECT_EQ(root_from("device"), folder / "device");
  link_worktree();
  fs::remove(folder / "main/.git/worktrees/w/commondir");
  ASSERT_EQ(::mkfifo((folder / "main/.git/worktrees/w/commondir").c_str(), 0600), 0);
  EXPECT_EQ(root_from("tree"), folder / "tree");
}

TEST_F(LocalSettings, AFolderThatOnlyClaimsToBeAWorktreeIsNone) {
  link_worktree();
  write("evil/.git", "gitdir: " + folder.path() + "/main/.git/worktrees/w\n");
  EXPECT_EQ(root_from("evil"), folder / "evil");
}

}  // namespace
}  // namespace deft
