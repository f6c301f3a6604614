#include "deft/os/sqlite.h"

#include <gtest/gtest.h>

#include "deft/testing/temp_folder.h"

namespace deft {
namespace {

// Who finds it so must not take it for broken and remove it.
TEST(Sqlite, ADatabaseThatSomebodyElseWritesIsInUse) {
  const TempFolder folder;
  auto writer = Sqlite::open(folder / "index.db");
  auto other = Sqlite::open(folder / "index.db");
  ASSERT_TRUE(writer && other);
  ASSERT_TRUE(other->execute("PRAGMA busy_timeout=0"));
  ASSERT_TRUE(writer->execute("BEGIN IMMEDIATE"));
  const auto begun = other->execute("BEGIN IMMEDIATE");
  ASSERT_FALSE(begun);
  EXPECT_EQ(begun.error().code, Errc::timeout);
  folder.put("broken.db", "this is no database, but it is long enough to be taken for one " + std::string(9000, 'x'));
  EXPECT_EQ(Sqlite::open(folder / "broken.db").error().code, Errc::io);
}

}  // namespace
}  // namespace deft
