#include "deft/ui/file_looks.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "deft/testing/temp_folder.h"

namespace deft {
namespace {

TEST(FileLooks, StayTheSameWhileNothingHappens) {
  const TempFolder folder;
  const std::string file = folder.put("a.json", "{}");
  const FileLooks looks({file, folder / "missing.json", folder / "missing/b.json", folder / "missing/c.json", ""});
  EXPECT_TRUE(looks.are_unchanged());
  folder.put("other.json", "{}");
  EXPECT_TRUE(looks.are_unchanged()) << "nobody has asked for that one";
}

TEST(FileLooks, NoticeAChangedFileALostOneAndAnotherInItsPlace) {
  const TempFolder folder;
  const std::string file = folder.put("a.json", "{}");
  const FileLooks before({file});
  folder.put("a.json", "{\"a\":1}");
  EXPECT_FALSE(before.are_unchanged());
  const FileLooks changed({file});
  folder.put("b.json", "{\"a\":2}");
  std::filesystem::rename(folder / "b.json", file);
  EXPECT_FALSE(changed.are_unchanged());
  const FileLooks replaced({file});
  std::filesystem::remove(file);
  EXPECT_FALSE(replaced.are_unchanged());
}

TEST(FileLooks, NoticeAFileThatComesAndOneInAFolderThatCame) {
  const TempFolder folder;
  const FileLooks looks({folder / "a.json"});
  const FileLooks deep({folder / "deep/a.json", folder / "deep/b.json"});
  const FileLooks deeper({folder / "deep/er/a.json"});
  EXPECT_TRUE(looks.are_unchanged() && deep.are_unchanged() && deeper.are_unchanged());
  folder.put("a.json", "{}");
  EXPECT_FALSE(looks.are_unchanged());
  std::filesystem::create_directories(folder / "deep/er");
  folder.put("deep/b.json", "{}");
  EXPECT_FALSE(deep.are_unchanged());
  EXPECT_FALSE(deeper.are_unchanged());
}

TEST(FileLooks, NoticeWhatIsAddedToAFolder) {
  const TempFolder folder;
  std::filesystem::create_directory(folder / "many");
  const FileLooks looks({folder / "many"});
  folder.put("many/a.json", "{}");
  EXPECT_FALSE(looks.are_unchanged());
}

}  // namespace
}  // namespace deft
