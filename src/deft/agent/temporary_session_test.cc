#include "deft/agent/temporary_session.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "deft/testing/temp_folder.h"

namespace deft {
namespace {

TEST(TemporarySession, IsPrivateAndGoneAtItsEnd) {
  const TempFolder folder;
  {
    const auto session = TemporarySession::make(folder.path());
    ASSERT_TRUE(session) << session.error().message;
    const auto mode = std::filesystem::status(session->path()).permissions();
    EXPECT_EQ(mode, std::filesystem::perms::owner_all);
  }
  EXPECT_TRUE(folder.names().empty());
}

TEST(TemporarySession, RemovesThoseOfTheDeadAndNoOther) {
  const TempFolder folder;
  const pid_t dies = ::fork();
  if (dies == 0) {
    auto session = TemporarySession::make(folder.path());
    ::_exit(session ? 0 : 1);  // without any destructor, as if killed
  }
  int status = 0;
  ASSERT_EQ(::waitpid(dies, &status, 0), dies);
  ASSERT_EQ(status, 0);
  std::filesystem::create_directory(folder / "deft-session-notours");
  folder.put("deft-session-file", "");
  const auto living = TemporarySession::make(folder.path());
  ASSERT_TRUE(living);
  EXPECT_EQ(folder.names().size(), 4U);
  {
    const auto ends = TemporarySession::make(folder.path());
    ASSERT_TRUE(ends);
  }
  EXPECT_EQ(folder.names().size(), 3U);
  EXPECT_TRUE(std::filesystem::exists(living->path()));
}

TEST(TemporarySession, AFolderThatCannotBeMadeIsAnError) { EXPECT_FALSE(TemporarySession::make("/no/such/folder")); }

}  // namespace
}  // namespace deft
