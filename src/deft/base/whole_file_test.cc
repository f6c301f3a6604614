#include "deft/base/whole_file.h"

#include <gtest/gtest.h>

#include "deft/testing/temp_folder.h"

namespace deft {
namespace {

TEST(WholeFile, IsReadUpToItsLimit) {
  const TempFolder folder;
  folder.put("a", "hello");
  EXPECT_EQ(read_whole_file(folder.path() + "/a", 5).value(), "hello");
  const auto longer = read_whole_file(folder.path() + "/a", 4);
  ASSERT_FALSE(longer);
  EXPECT_EQ(longer.error().code, Errc::limit);
}

TEST(WholeFile, EveryByteOfALargeOneIsThere) {
  const TempFolder folder;
  const std::string large(300'001, 'x');
  folder.put("a", large);
  EXPECT_EQ(read_whole_file(folder.path() + "/a", 1'000'000).value(), large);
}

TEST(WholeFile, AFolderAMissingFileAndOneWithoutEndAreErrorsThatNameThem) {
  const TempFolder folder;
  const auto of_folder = read_whole_file(folder.path(), 100);
  ASSERT_FALSE(of_folder);
  EXPECT_EQ(of_folder.error().message, folder.path() + " is a folder, not a file");
  const auto missing = read_whole_file(folder.path() + "/no", 100);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, Errc::not_found);
  EXPECT_NE(missing.error().message.find(folder.path() + "/no"), std::string::npos);
  const auto endless = read_whole_file("/dev/zero", 100);
  ASSERT_FALSE(endless);
  EXPECT_EQ(endless.error().code, Errc::limit);
}

}  // namespace
}  // namespace deft
