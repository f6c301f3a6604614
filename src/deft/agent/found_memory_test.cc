#include "deft/agent/found_memory.h"

#include <gtest/gtest.h>

#include "deft/os/disk_files.h"
#include "deft/testing/temp_folder.h"

namespace deft {
namespace {

TEST(FoundMemory, IsToldWithTheFirstFileThatIsReadThere) {
  const TempFolder folder;
  folder.put("CLAUDE.md", "of the project");
  folder.put("part/CLAUDE.md", "of the part");
  const std::string file = folder.put("part/a.txt", "a");
  DiskFiles files;
  FoundMemory memory({.places = {.directory = folder.path(), .system = folder / "etc"}, .excludes = {}}, files);
  EXPECT_TRUE(memory.after_reading(folder / "b.txt").empty());
  const std::vector<std::string> told = memory.after_reading(file);
  ASSERT_EQ(told.size(), 1U);
  EXPECT_NE(told[0].find("of the part"), std::string::npos);
  EXPECT_TRUE(memory.after_reading(file).empty());
  memory.forget();
  EXPECT_EQ(memory.after_reading(file).size(), 1U);
}

}  // namespace
}  // namespace deft
