#include "deft/os/folder_ignores.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "deft/os/unique_fd.h"
#include "deft/testing/temp_folder.h"

namespace deft {
namespace {

constexpr bool kFile = false;
constexpr bool kFolder = true;

TEST(GlobalExcludes, AreWhereTheConfigurationSays) {
  EXPECT_EQ(global_excludes_path("", "", "/h", ""), "/h/.config/git/ignore");
  EXPECT_EQ(global_excludes_path("", "", "/h", "/x"), "/x/git/ignore");
  EXPECT_EQ(global_excludes_path("[core]\n excludesfile = ~/mine\n", "", "/h", ""), "/h/mine");
  EXPECT_EQ(global_excludes_path("", "[core]\nexcludesFile = /abs\n", "/h", ""), "/abs");
  EXPECT_EQ(global_excludes_path("[core]\nexcludesFile=/own\n", "[core]\nexcludesFile = /other\n", "/h", ""), "/own");
  EXPECT_EQ(global_excludes_path("", "", "", ""), "");
}

class FolderIgnoresTest : public ::testing::Test {
 protected:
  // The rules that hold in a folder of the tree.
  FolderIgnores::Ptr rules_in(std::string_view name) {
    const std::string path = name.empty() ? folder.path() : folder / name;
    auto outer = FolderIgnores::around(path, folder / "home", "");
    const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    return FolderIgnores::inside(outer, fd.get(), path, FolderIgnores::look_for(fd.get()));
  }
  bool ignored(std::string_view in, std::string_view path, bool is_folder = kFile) {
    return rules_in(in)->ignores(folder / path, is_folder);
  }
  TempFolder folder;
};

TEST_F(FolderIgnoresTest, GitsRulesHoldOnlyInARepository) {
  folder.put("p/.gitignore", "*.o\n");
  folder.put("p/.ignore", "*.log\n");
  EXPECT_FALSE(ignored("p", "p/a.o"));
  EXPECT_TRUE(ignored("p", "p/a.log"));
  std::filesystem::create_directory(folder / "p/.git");
  EXPECT_TRUE(ignored("p", "p/a.o"));
}

TEST_F(FolderIgnoresTest, TheInnermostFileThatHasARuleDecides) {
  std::filesystem::create_directories(folder / "p/.git");
  folder.put("p/.gitignore", "*.o\n/top\n");
  folder.put("p/sub/.gitignore", "!keep.o\n");
  EXPECT_FALSE(ignored("p/sub", "p/sub/keep.o"));
  EXPECT_TRUE(ignored("p/sub", "p/sub/other.o"));
  EXPECT_TRUE(ignored("p", "p/top"));
  EXPECT_FALSE(ignored("p/sub", "p/sub/top"));
}

TEST_F(FolderIgnoresTest, OneKindOfFileCountsBeforeTheNext) {
  std::filesystem::create_directories(folder / "p/.git/info");
  folder.put("p/.git/info/exclude", "a\nb\nc\nd\n");
  folder.put("p/.gitignore", "!b\n");
  folder.put("p/.ignore", "c\n!a\n");
  folder.put("p/.rgignore", "!c\n");
  EXPECT_FALSE(ignored("p", "p/a"));
  EXPECT_FALSE(ignored("p", "p/b"));
  EXPECT_FALSE(ignored("p", "p/c"));
  EXPECT_TRUE(ignored("p", "p/d"));
}

TEST_F(FolderIgnoresTest, GlobalExcludesHoldInRepositories) {
  folder.put("home/.gitconfig", "[core]\n\texcludesFile = ~/mine\n");
  folder.put("home/mine", "*.swp\n");
  folder.put("p/x", "");
  EXPECT_FALSE(ignored("p", "p/a.swp"));
  std::filesystem::create_directory(folder / "p/.git");
  EXPECT_TRUE(ignored("p", "p/a.swp"));
}

TEST_F(FolderIgnoresTest, ARepositoryInsideAnotherKnowsOnlyItsOwnRules) {
  std::filesystem::create_directories(folder / "p/.git");
  std::filesystem::create_directories(folder / "p/inner/.git");
  folder.put("p/.gitignore", "*.o\n");
  folder.put("p/.ignore", "*.log\n");
  EXPECT_FALSE(ignored("p/inner", "p/inner/a.o"));
  EXPECT_TRUE(ignored("p/inner", "p/inner/a.log"));
}

TEST_F(FolderIgnoresTest, AWorktreeHasTheExcludesOfItsRepository) {
  folder.put("repo/.git/info/exclude", "*.tmp\n");
  folder.put("repo/.git/worktrees/w/commondir", "../..\n");
  folder.put("w/.git", "gitdir: " + (folder / "repo/.git/worktrees/w") + "\n");
  EXPECT_TRUE(ignored("w", "w/a.tmp"));
}

TEST_F(FolderIgnoresTest, RulesAreReadNeitherThroughLinksNorFromPipes) {
  folder.put("elsewhere", "*\n");
  std::filesystem::create_directories(folder / "p/.git");
  std::filesystem::create_symlink(folder / "elsewhere", folder / "p/.gitignore");
  ASSERT_EQ(::mkfifo((folder / "p/.ignore").c_str(), 0600), 0);
  EXPECT_FALSE(ignored("p", "p/a"));
  EXPECT_FALSE(ignored("p", "p/a", kFolder));
}

}  // namespace
}  // namespace deft
