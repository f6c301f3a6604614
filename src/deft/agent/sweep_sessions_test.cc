#include "deft/agent/sweep_sessions.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <thread>

#include "deft/agent/journal.h"
#include "deft/os/unique_fd.h"
#include "deft/testing/temp_folder.h"

namespace deft {
namespace {

using namespace std::chrono_literals;
constexpr auto kMonth = std::chrono::hours(24 * 30);

TEST(SweepSessions, RemovesOnlySessionsThatNobodyHasUsedForLong) {
  const TempFolder folder;
  const auto now = std::chrono::system_clock::now();
  const auto session = [&](const std::string& name, std::chrono::hours ago) {
    const std::string journal = folder.put(name + "/journal.jsonl", "{}\n");
    folder.put(name + "/tool-results/1.txt", "result");
    const timespec times[] = {{std::chrono::system_clock::to_time_t(now - ago), 0},
                              {std::chrono::system_clock::to_time_t(now - ago), 0}};
    ::utimensat(AT_FDCWD, journal.c_str(), times, 0);
    return journal;
  };
  session("old", kMonth + 1h);
  session("recent", kMonth - 1h);
  const std::string live = session("live", 2 * kMonth);
  const UniqueFd lock(::open(live.c_str(), O_RDWR | O_CLOEXEC));
  ASSERT_EQ(::flock(lock.get(), LOCK_EX), 0);
  folder.put("notes/readme.txt", "no session");
  const std::string elsewhere = session("elsewhere/old", 2 * kMonth);
  ASSERT_EQ(::symlink((folder / "elsewhere/old").c_str(), (folder / "link").c_str()), 0);

  EXPECT_EQ(sweep_sessions(folder.path(), kMonth, now).removed, std::vector<std::string>{"old"});
  EXPECT_EQ(folder.names(), (std::vector<std::string>{"elsewhere", "link", "live", "notes", "recent"}));
  EXPECT_EQ(folder.names("elsewhere"), std::vector<std::string>{"old"});
}

// The fork's conversation says where they are.
TEST(SweepSessions, ResultsThatAForkWasToldOfStayAsLongAsTheForkIsUsed) {
  const TempFolder folder;
  for (const char* name : {"stored", "plain"}) {
    const timespec times[] = {{.tv_sec = 1'000'000'000, .tv_nsec = 0}, {.tv_sec = 1'000'000'000, .tv_nsec = 0}};
    const std::string journal = folder.put(std::string(name) + "/journal.jsonl", "{}\n");
    ::utimensat(AT_FDCWD, journal.c_str(), times, 0);
  }
  folder.put("stored/tool-results/1.txt", "result");
  for (const char* name : {"stored", "plain", "gone"}) note_use_by_fork(folder / name);
  const auto now = std::chrono::system_clock::now();
  EXPECT_EQ(sweep_sessions(folder.path(), kMonth, now).removed, std::vector<std::string>{"plain"});
  EXPECT_EQ(folder.bytes("stored/tool-results/1.txt"), "result");
  EXPECT_EQ(sweep_sessions(folder.path(), kMonth, now + 2 * kMonth).removed, std::vector<std::string>{"stored"});
}

TEST(SweepSessions, AnEmptyFolderWhoseSessionNeverBeganGoesToo) {
  const TempFolder folder;
  for (const char* name : {"5b3c5f5e-1c5a-4a55-8a5e-0d5f5b6c7d11", "notes"})
    std::filesystem::create_directory(folder / name);
  const auto now = std::chrono::system_clock::now();
  sweep_sessions(folder.path(), kMonth, now);
  EXPECT_EQ(folder.names().size(), 2U);
  sweep_sessions(folder.path(), kMonth, now + 2 * kMonth);
  EXPECT_EQ(folder.names(), std::vector<std::string>{"notes"});
}

TEST(SweepSessions, WithoutPatienceSaysThatItIsNotDone) {
  const TempFolder folder;
  folder.put("old/journal.jsonl", "{}\n");
  const auto later = std::chrono::system_clock::now() + 2 * kMonth;
  EXPECT_FALSE(sweep_sessions(folder.path(), kMonth, later, std::chrono::seconds(0)).is_complete);
  EXPECT_EQ(folder.names(), std::vector<std::string>{"old"});
  EXPECT_TRUE(sweep_sessions(folder.path(), kMonth, later).is_complete);
}

TEST(SweepSessions, WhatAKilledRemovalHasLeftIsRemovedByTheNextSweepHoweverYoungItIs) {
  const TempFolder folder;
  folder.put(".removed-old/journal.jsonl", "{}\n");
  EXPECT_EQ(sweep_sessions(folder.path(), kMonth, std::chrono::system_clock::now()).removed.size(), 1U);
  EXPECT_TRUE(folder.names().empty());
}

TEST(SweepSessions, WhatAKilledForkHasLeftGoesWhileOneThatIsBeingMadeStays) {
  const TempFolder folder;
  const SystemClock clock;
  folder.put("." + std::string("5b3c5f5e-1c5a-4a55-8a5e-0d5f5b6c7d11") + ".fork/journal.jsonl", "{}\n");
  std::filesystem::create_directory(folder / ".removed-5b3c5f5e-1c5a-4a55-8a5e-0d5f5b6c7d12");
  folder.put("5b3c5f5e-1c5a-4a55-8a5e-0d5f5b6c7d13/journal.jsonl", "{}\n");
  const std::string under_way = name_of_unfinished_fork("5b3c5f5e-1c5a-4a55-8a5e-0d5f5b6c7d14");
  const auto journal = Journal::open(folder / under_way, clock);
  ASSERT_TRUE(journal);
  const std::vector<std::string> left{under_way, "5b3c5f5e-1c5a-4a55-8a5e-0d5f5b6c7d13"};
  remove_unfinished(folder.path());
  EXPECT_EQ(folder.names(), left);
  folder.put(name_of_unfinished_fork("5b3c5f5e-1c5a-4a55-8a5e-0d5f5b6c7d15") + "/journal.jsonl", "{}\n");
  sweep_sessions(folder.path(), kMonth, std::chrono::system_clock::now());
  EXPECT_EQ(folder.names(), left);
}

TEST(SweepSessions, NobodyLosesTheSessionThatHeHasOpened) {
  const TempFolder folder;
  const SystemClock clock;
  std::atomic<bool> is_over = false;
  std::jthread sweeper([&] {
    const auto later = std::chrono::system_clock::now() + 2 * kMonth;
    while (!is_over) sweep_sessions(folder.path(), kMonth, later);
  });
  for (int i = 0; i < 2'000; ++i) {
    auto journal = Journal::open(folder / "session", clock);
    if (!journal) continue;  // it is just being removed
    EXPECT_TRUE(journal->intent({.id = std::to_string(i), .name = "A"}));
    const std::string text = folder.bytes("session/journal.jsonl").value_or("(gone)");
    EXPECT_NE(text.find("\"call\":\"" + std::to_string(i) + "\""), std::string::npos) << text;
  }
  is_over = true;
}

TEST(SweepSessions, AMissingFolderHasNoSessions) {
  const TempFolder folder;
  EXPECT_TRUE(sweep_sessions(folder / "missing", kMonth, std::chrono::system_clock::now()).removed.empty());
}

}  // namespace
}  // namespace deft
