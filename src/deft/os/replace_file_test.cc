#include "deft/os/replace_file.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <functional>
#include <random>
#include <thread>

#include "deft/os/disk_files.h"
#include "deft/os/in_place_journal.h"
#include "deft/os/temporary_file.h"
#include "deft/testing/file_size_limit.h"
#include "deft/testing/real_processes.h"
#include "deft/testing/temp_folder.h"

// A writer that is killed at random points of a thousand writes: each file is what it was before the write or what it
// was to become, and nothing else.

namespace deft {
namespace {

constexpr unsigned kKills = 40;
constexpr unsigned kFiles = 4;

// The length follows from the number, so that files grow and shrink. A write of many pages can be cut between them.
unsigned length_max = 50'000;
std::string version(unsigned number) {
  return "version " + std::to_string(number) +
         std::string(number * 7919 % length_max, static_cast<char>('a' + number % 26));
}

std::string name_of(unsigned file) { return "f" + std::to_string(file); }

// What the writer was about, in memory that outlives it.
struct Progress {
  std::atomic<unsigned> writes = 0;
  std::atomic<unsigned> is[kFiles] = {};
  std::atomic<unsigned> becomes[kFiles] = {};
};

class KilledWriter : public ::testing::Test {
 protected:
  KilledWriter() {
    void* memory = ::mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    EXPECT_NE(memory, MAP_FAILED);
    progress = new (memory) Progress;
    for (unsigned file = 0; file < kFiles; ++file) folder.put(name_of(file), version(0));
  }
  ~KilledWriter() override { ::munmap(progress, sizeof(Progress)); }

  [[noreturn]] void write_for_ever(unsigned seed) {
    DiskFiles disk(Survives::killed, journals.path());
    std::mt19937 random(seed);
    for (;;) {
      const unsigned file = static_cast<unsigned>(random()) % kFiles;
      const unsigned next = static_cast<unsigned>(random()) % 100'000;
      const ContentId expected = content_id(version(progress->is[file]));
      progress->becomes[file] = next;
      if (!disk.replace(folder / name_of(file), version(next), expected)) ::_exit(1);
      progress->is[file] = next;
      ++progress->writes;
    }
  }

  void kill_writers(unsigned writes_in_all, const std::function<void()>& after_a_kill) {
    std::mt19937 random(20'240'229);
    for (unsigned kill = 0; kill < kKills && !HasFailure(); ++kill) {
      const auto seed = static_cast<unsigned>(random());
      const pid_t writer = ::fork();
      ASSERT_GE(writer, 0);
      if (writer == 0) write_for_ever(seed);
      // It works its way up to the next kill, however slow the machine is; a moment more hits it anywhere.
      const unsigned writes = writes_in_all * (kill + 1) / kKills;
      ASSERT_TRUE(testing::eventually([&] { return progress->writes >= writes; }));
      std::this_thread::sleep_for(std::chrono::microseconds(random() % 1'000));
      ASSERT_EQ(::kill(writer, SIGKILL), 0);
      int status = 0;
      ASSERT_EQ(::waitpid(writer, &status, 0), writer);
      ASSERT_TRUE(WIFSIGNALED(status)) << "the writer gave up by itself";
      after_a_kill();
      for (unsigned file = 0; file < kFiles; ++file) check(file);
    }
  }

  void check(unsigned file) {
    const std::string content = folder.bytes(name_of(file)).value();
    const bool is_new = content == version(progress->becomes[file]);
    EXPECT_TRUE(is_new || content == version(progress->is[file])) << "torn: " << name_of(file);
    if (is_new) progress->is[file] = progress->becomes[file].load();
  }

  TempFolder folder;
  TempFolder journals;
  Progress* progress = nullptr;
};

TEST_F(KilledWriter, LeavesEveryFileOldOrNewAndItsLeftoversAreRecognisable) {
  kill_writers(1'000, [&] {
    for (const std::string& name : folder.names()) EXPECT_TRUE(name.size() == 2 || is_temporary_name(name)) << name;
  });
}

TEST_F(KilledWriter, InPlaceLeavesAJournalByWhichEveryFileIsOldOrNewAgain) {
  length_max = 300'000;  // in place a kill leaves half of it, if it hits the right moment
  std::filesystem::create_directory(folder / "links");
  for (unsigned file = 0; file < kFiles; ++file) {
    std::filesystem::create_hard_link(folder / name_of(file), folder / ("links/" + name_of(file)));
  }
  kill_writers(100, [&] {
    DiskFiles(Survives::killed, journals.path()).recover();
    EXPECT_TRUE(journals.names().empty());
  });
  EXPECT_EQ(folder.names().size(), kFiles + 1);
  length_max = 50'000;
}

class InPlaceJournalTest : public ::testing::Test {
 protected:
  // As if the process had died with the file in that state.
  void leave_behind(std::string_view now, std::string_view old_bytes, std::string_view new_bytes) {
    folder.put("a", now);
    auto journal = InPlaceJournal::begin(journals.path(), folder / "a", old_bytes, new_bytes, false);
    ASSERT_TRUE(journal.has_value()) << journal.error().message;
  }
  std::size_t recover() { return recover_in_place_writes(journals.path()).size(); }

  TempFolder folder;
  TempFolder journals;
};

TEST_F(InPlaceJournalTest, AHalfWrittenFileGetsItsOldContentBack) {
  struct Case {
    std::string_view now;
    std::string_view old_bytes;
    std::string_view new_bytes;
  };
  for (const Case& c : {Case{"NEW old", "old old", "NEW NEW"}, Case{"NEW NE", "old", "NEW NEW"},
                        Case{"NEWold", "oldold", "NEW"}, Case{"N", "", "NEW"}}) {
    leave_behind(c.now, c.old_bytes, c.new_bytes);
    EXPECT_EQ(recover(), 1U) << c.now;
    EXPECT_EQ(folder.bytes("a"), c.old_bytes);
    EXPECT_TRUE(journals.names().empty());
  }
}

TEST_F(InPlaceJournalTest, WhatCannotBePutBackNowIsPutBackAnotherTime) {
  leave_behind("NEW old", "old old", "NEW NEW");
  {
    const FileSizeLimit full(0);
    EXPECT_EQ(recover(), 0U);
  }
  EXPECT_EQ(recover(), 1U);
  EXPECT_EQ(folder.bytes("a"), "old old");
}

TEST_F(InPlaceJournalTest, WhatIsWholeOrWasChangedSinceStaysAsItIs) {
  for (const std::string_view now : {"old", "NEW NEW", "by hand", "NEW by hand", ""}) {
    leave_behind(now, "old", "NEW NEW");
    EXPECT_EQ(recover(), 0U) << now;
    EXPECT_EQ(folder.bytes("a"), now);
    EXPECT_TRUE(journals.names().empty());
  }
}

TEST_F(InPlaceJournalTest, AnUnfinishedJournalMeansThatNothingWasTouched) {
  leave_behind("NEW old", "old old", "NEW NEW");
  const std::string name = journals.names().front();
  const std::string whole = journals.bytes(name).value();
  for (std::size_t size = 0; size < whole.size(); size += 7) {
    journals.put(name, whole.substr(0, size));
    EXPECT_EQ(recover(), 0U);
    EXPECT_EQ(folder.bytes("a"), "NEW old");
  }
}

TEST_F(InPlaceJournalTest, AWriterThatLivesIsLeftAlone) {
  folder.put("a", "NEW old");
  auto alive = InPlaceJournal::begin(journals.path(), folder / "a", "old old", "NEW NEW", false);
  ASSERT_TRUE(alive.has_value());
  EXPECT_EQ(recover(), 0U);
  EXPECT_EQ(journals.names().size(), 1U);
  const auto second = InPlaceJournal::begin(journals.path(), folder / "a", "x", "y", false);
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().code, Errc::stale);
  alive->end();
  EXPECT_TRUE(journals.names().empty());
}

TEST_F(InPlaceJournalTest, AFolderThatOthersMayWriteToIsNotBelieved) {
  leave_behind("NEW old", "old old", "NEW NEW");
  ASSERT_EQ(::chmod(journals.path().c_str(), 0777), 0);
  EXPECT_EQ(recover(), 0U);
  EXPECT_EQ(folder.bytes("a"), "NEW old");
  EXPECT_FALSE(InPlaceJournal::begin(journals.path(), folder / "a", "x", "y", false).has_value());
}

}  // namespace
}  // namespace deft
