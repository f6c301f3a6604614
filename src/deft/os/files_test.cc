#include "deft/os/files.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "deft/base/content_hash.h"
#include "deft/os/disk_files.h"
#include "deft/testing/fake_files.h"
#include "deft/testing/temp_folder.h"

// What every implementation of Files promises, on the real disk and on the fake one.

namespace deft {
namespace {

struct RealStage {
  TempFolder folder;
  DiskFiles disk{Survives::killed};
  Files& files() { return disk; }
  std::string at(std::string_view name) const { return folder / name; }
  void put(std::string_view name, std::string_view bytes) { folder.put(name, bytes); }
  void put_folder(std::string_view name) { std::filesystem::create_directories(at(name)); }
  void put_link(std::string_view name, std::string_view target) {
    ASSERT_EQ(::symlink(std::string(target).c_str(), at(name).c_str()), 0);
  }
  void put_hard_link(std::string_view name, std::string_view existing) {
    ASSERT_EQ(::link(at(existing).c_str(), at(name).c_str()), 0);
  }
  void put_fifo(std::string_view name) { ASSERT_EQ(::mkfifo(at(name).c_str(), 0600), 0); }
  std::optional<std::string> bytes(std::string_view name) { return folder.bytes(name); }
};

struct FakeStage {
  FakeFiles fake;
  Files& files() { return fake; }
  std::string at(std::string_view name) const { return "/stage/" + std::string(name); }
  void put(std::string_view name, std::string_view bytes) { fake.put(at(name), bytes); }
  void put_folder(std::string_view name) { fake.put_folder(at(name)); }
  void put_link(std::string_view name, std::string_view target) { fake.put_link(at(name), target); }
  void put_hard_link(std::string_view name, std::string_view existing) { fake.put_hard_link(at(name), at(existing)); }
  void put_fifo(std::string_view name) { fake.put_special(at(name), FileKind::fifo); }
  std::optional<std::string> bytes(std::string_view name) { return fake.bytes(at(name)); }
};

template <class Stage>
class FilesPromise : public testing::Test {
 protected:
  Stage stage_;
};
using Stages = testing::Types<RealStage, FakeStage>;
TYPED_TEST_SUITE(FilesPromise, Stages);

TYPED_TEST(FilesPromise, TheCanonicalPathHasNoLinksAndKeepsWhatIsMissing) {
  auto& stage = this->stage_;
  stage.put("real/a", "a");
  stage.put_folder("real/inner");
  stage.put_link("link", "real");
  stage.put_link("absolute", stage.at("real/inner"));
  stage.put_link("dangling", "real/not/there");
  struct Case {
    const char* path;
    const char* canonical;
  };
  const Case cases[] = {
      {"real/a", "real/a"},
      {"link/a", "real/a"},
      {"./real//a", "real/a"},
      {"link/../real/a", "real/a"},
      {"absolute/../a", "real/a"},  // ".." of where the link leads, not of where it lies
      {"dangling", "real/not/there"},
      {"real/missing/x", "real/missing/x"},
      {"real/missing/../../link/a", "real/a"},  // a detour through nothing hides no link
      {"link/missing", "real/missing"},
      {"real/a/below-a-file", "real/a/below-a-file"},
  };
  for (const Case& c : cases) {
    const auto canonical = stage.files().canonical(stage.at(c.path));
    ASSERT_TRUE(canonical.has_value()) << c.path << ": " << canonical.error().message;
    EXPECT_EQ(*canonical, stage.at(c.canonical)) << c.path;
  }
  EXPECT_EQ(stage.files().canonical("/").value(), "/");
  EXPECT_EQ(stage.files().canonical("/../..").value(), "/");
}

TYPED_TEST(FilesPromise, ALoopOfLinksAndAPathThatIsNoneAreErrors) {
  auto& stage = this->stage_;
  stage.put_folder("d");
  stage.put_link("d/one", "two");
  stage.put_link("d/two", "one");
  stage.put_link("d/self", "self/x");
  for (const std::string& path : {stage.at("d/one"), stage.at("d/self"), std::string("relative"), std::string(),
                                  std::string("/zero\0byte", 10), "/" + std::string(5000, 'x')}) {
    const auto canonical = stage.files().canonical(path);
    ASSERT_FALSE(canonical.has_value()) << path;
    EXPECT_EQ(canonical.error().code, Errc::invalid_input) << path;
  }
}

TYPED_TEST(FilesPromise, StatusTellsTheKindAndDoesNotFollowLinks) {
  auto& stage = this->stage_;
  stage.put("a", "12345");
  stage.put_hard_link("same", "a");
  stage.put_folder("d");
  stage.put_link("l", "a");
  stage.put_fifo("f");
  const auto a = stage.files().status(stage.at("a"));
  EXPECT_EQ(a->kind, FileKind::regular);
  EXPECT_EQ(a->size, 5U);
  EXPECT_EQ(a->mode, 0644U);
  EXPECT_EQ(a->links, 2U);
  EXPECT_GT(a->modified_ns, 0);
  EXPECT_EQ(stage.files().status(stage.at("same"))->inode, a->inode);
  EXPECT_EQ(stage.files().status(stage.at("d"))->kind, FileKind::directory);
  EXPECT_EQ(stage.files().status(stage.at("l"))->kind, FileKind::symlink);
  EXPECT_EQ(stage.files().status(stage.at("f"))->kind, FileKind::fifo);
  EXPECT_EQ(stage.files().status(stage.at("none"))->kind, FileKind::missing);
  EXPECT_EQ(stage.files().status(stage.at("a/below"))->kind, FileKind::missing);
}

TYPED_TEST(FilesPromise, ReadGivesAllBytesOrSaysWhyNot) {
  auto& stage = this->stage_;
  const std::string odd("a\0\xFF\r\n", 5);
  stage.put("odd", odd);
  stage.put("empty", "");
  stage.put_folder("d");
  stage.put_fifo("f");
  stage.put_link("l", "odd");
  EXPECT_EQ(stage.files().read(stage.at("odd"), 5)->bytes, odd);
  EXPECT_EQ(stage.files().read(stage.at("odd"), 5)->status.size, 5U);
  EXPECT_EQ(stage.files().read(stage.at("empty"), 0)->bytes, "");
  EXPECT_EQ(stage.files().read(stage.at("odd"), 4).error().code, Errc::limit);
  EXPECT_EQ(stage.files().read(stage.at("none"), 9).error().code, Errc::not_found);
  EXPECT_EQ(stage.files().read(stage.at("d"), 9).error().code, Errc::unsupported);
  EXPECT_EQ(stage.files().read(stage.at("f"), 9).error().code, Errc::unsupported);
  EXPECT_EQ(stage.files().read(stage.at("l"), 9).error().code, Errc::stale);
}

TYPED_TEST(FilesPromise, ALinkPutInTheWayAfterTheCheckIsRefused) {
  auto& stage = this->stage_;
  stage.put("secret/a", "secret");
  stage.put_link("project", "secret");
  const std::string swapped = stage.at("project/a");
  EXPECT_EQ(stage.files().read(swapped, 100).error().code, Errc::stale);
  EXPECT_EQ(stage.files().replace(swapped, "x", content_id("secret")).error().code, Errc::stale);
  EXPECT_EQ(stage.files().replace(stage.at("project/new"), "x", std::nullopt).error().code, Errc::stale);
  EXPECT_EQ(stage.bytes("secret/a"), "secret");
  EXPECT_EQ(stage.bytes("secret/new"), std::nullopt);
}

TYPED_TEST(FilesPromise, ListGivesTheNamesInOrder) {
  auto& stage = this->stage_;
  stage.put("d/b", "");
  stage.put("d/a", "");
  stage.put("d/.hidden", "");
  stage.put("d/sub/x", "");
  EXPECT_EQ(stage.files().list(stage.at("d"), 10).value(), (std::vector<std::string>{".hidden", "a", "b", "sub"}));
  EXPECT_EQ(stage.files().list(stage.at("d"), 2)->size(), 2U);
  EXPECT_EQ(stage.files().list(stage.at("none"), 2).error().code, Errc::not_found);
}

TYPED_TEST(FilesPromise, ANewFileIsMadeWithItsFoldersAndOnlyWhereNothingIs) {
  auto& stage = this->stage_;
  stage.put("there", "old");
  const auto made = stage.files().replace(stage.at("x/y/new"), "hello", std::nullopt);
  ASSERT_TRUE(made.has_value()) << made.error().message;
  EXPECT_EQ(made->in_place_because, "");
  EXPECT_EQ(made->status.size, 5U);
  EXPECT_EQ(stage.bytes("x/y/new"), "hello");
  EXPECT_EQ(stage.files().replace(stage.at("there"), "new", std::nullopt).error().code, Errc::stale);
  EXPECT_EQ(stage.bytes("there"), "old");
}

TYPED_TEST(FilesPromise, AFileIsReplacedOnlyIfItHasTheExpectedContent) {
  auto& stage = this->stage_;
  stage.put("a", "old");
  stage.put_folder("d");
  stage.put_fifo("f");
  EXPECT_EQ(stage.files().replace(stage.at("a"), "new", content_id("odd")).error().code, Errc::stale);
  EXPECT_EQ(stage.files().replace(stage.at("a"), "new", content_id("longer")).error().code, Errc::stale);
  EXPECT_EQ(stage.files().replace(stage.at("none"), "new", content_id("old")).error().code, Errc::stale);
  EXPECT_EQ(stage.files().replace(stage.at("d"), "new", content_id("")).error().code, Errc::unsupported);
  EXPECT_EQ(stage.files().replace(stage.at("f"), "new", content_id("")).error().code, Errc::unsupported);
  EXPECT_EQ(stage.files().replace("/", "new", std::nullopt).error().code, Errc::unsupported);
  EXPECT_EQ(stage.bytes("a"), "old");
  EXPECT_EQ(stage.bytes("none"), std::nullopt);

  const auto before = stage.files().status(stage.at("a"));
  const auto replaced = stage.files().replace(stage.at("a"), "newer", content_id("old"));
  ASSERT_TRUE(replaced.has_value()) << replaced.error().message;
  EXPECT_EQ(stage.bytes("a"), "newer");
  EXPECT_EQ(replaced->in_place_because, "");
  EXPECT_EQ(replaced->status.modified_ns, stage.files().status(stage.at("a"))->modified_ns);
  EXPECT_NE(replaced->status.inode, before->inode);
}

TYPED_TEST(FilesPromise, AFileWithOtherHardLinksIsWrittenInPlaceAndItIsSaid) {
  auto& stage = this->stage_;
  stage.put("a", "old content");
  stage.put_hard_link("b", "a");
  const auto replaced = stage.files().replace(stage.at("a"), "new", content_id("old content"));
  ASSERT_TRUE(replaced.has_value()) << replaced.error().message;
  EXPECT_EQ(replaced->in_place_because, "it has other hard links");
  EXPECT_EQ(stage.bytes("a"), "new");
  EXPECT_EQ(stage.bytes("b"), "new");
  EXPECT_EQ(stage.files().replace(stage.at("b"), "x", content_id("wrong")).error().code, Errc::stale);
  EXPECT_EQ(stage.bytes("a"), "new");
}

}  // namespace
}  // namespace deft
