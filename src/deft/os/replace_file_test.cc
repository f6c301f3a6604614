#include "deft/os/replace_file.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <random>
#include <thread>

#include "deft/os/disk_files.h"
#include "deft/os/temporary_file.h"
#include "deft/testing/temp_folder.h"

// A writer that is killed at any point: what is on the disk must be a version as a whole.

namespace deft {
namespace {

constexpr int kKills = 120;
constexpr int kFiles = 4;
constexpr std::size_t kBytesMax = 1 << 20;

// Content that shows whether it is whole: the number of the version, and a length that follows from it.
std::string version(unsigned number) {
  const std::string line = "version " + std::to_string(number) + "\n";
  std::string content;
  for (unsigned lines = (number * 7919) % 3000 + 1; lines > 0; --lines) content += line;
  return content;
}

bool is_a_version(const std::string& content) {
  unsigned number = 0;
  return std::sscanf(content.c_str(), "version %u\n", &number) == 1 && content == version(number);
}

std::string name_of(int file) { return "f" + std::to_string(file); }

[[noreturn]] void write_for_ever(const TempFolder& folder, unsigned seed) {
  DiskFiles disk(DiskFiles::Survives::killed);
  std::mt19937 random(seed);
  for (;;) {
    const std::string path = folder / name_of(static_cast<int>(random() % kFiles));
    const auto now = disk.read(path, kBytesMax);
    if (!now || !disk.replace(path, version(static_cast<unsigned>(random() % 100'000)), content_id(now->bytes)))
      ::_exit(1);
  }
}

void kill_writers(const TempFolder& folder, const std::function<void()>& check) {
  std::mt19937 random(20'240'229);
  for (int kill = 0; kill < kKills && !testing::Test::HasFailure(); ++kill) {
    const auto seed = static_cast<unsigned>(random());
    const pid_t writer = ::fork();
    ASSERT_GE(writer, 0);
    if (writer == 0) write_for_ever(folder, seed);
    // Not to wait for something, but to hit it anywhere.
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 6'000));
    ASSERT_EQ(::kill(writer, SIGKILL), 0);
    int status = 0;
    ASSERT_EQ(::waitpid(writer, &status, 0), writer);
    ASSERT_TRUE(WIFSIGNALED(status)) << "the writer gave up by itself";
    check();
  }
}

TEST(ReplaceFile, AfterAKillEveryFileIsOldOrNewAndLeftoversAreRecognisable) {
  const TempFolder folder;
  for (int file = 0; file < kFiles; ++file) folder.put(name_of(file), version(1));
  kill_writers(folder, [&] {
    for (int file = 0; file < kFiles; ++file) EXPECT_TRUE(is_a_version(folder.bytes(name_of(file)).value()));
    for (const std::string& name : folder.names()) EXPECT_TRUE(name.size() == 2 || is_new_content_name(name)) << name;
  });
}

TEST(ReplaceFile, AfterAKillAFileThatIsWrittenInPlaceIsWholeOrItsOldContentLiesBesideIt) {
  const TempFolder folder;
  for (int file = 0; file < kFiles; ++file) {
    const std::string path = folder.put(name_of(file), version(1));
    std::filesystem::create_directory(folder / "links");
    std::filesystem::create_hard_link(path, folder / ("links/" + name_of(file)));
  }
  kill_writers(folder, [&] {
    for (int file = 0; file < kFiles; ++file) {
      const bool is_whole = is_a_version(folder.bytes(name_of(file)).value());
      bool is_safe = is_whole;
      for (const std::string& name : folder.names()) {
        if (!name.starts_with("." + name_of(file) + ".deft-old-")) continue;
        is_safe = is_safe || is_a_version(folder.bytes(name).value());
        std::filesystem::remove(folder / name);
      }
      EXPECT_TRUE(is_safe) << name_of(file);
      if (!is_whole) folder.put(name_of(file), version(2));
    }
  });
}

}  // namespace
}  // namespace deft
