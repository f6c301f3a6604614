#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "deft/base/json.h"
#include "deft/config/settings_writer.h"
#include "deft/config/trust.h"
#include "deft/os/change_file.h"
#include "deft/testing/temp_folder.h"

// Settings and trust on a real disk, with other processes at work.

namespace deft {
namespace {

std::size_t rules_in(std::string_view settings) {
  const auto json = parse_json(settings);
  const Json* permissions = json ? find(*json, "permissions") : nullptr;
  const JsonArray* rules = permissions ? find_array(*permissions, "allow") : nullptr;
  return rules ? rules->size() : 0;
}

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(SettingsFile, TwoProcessesLoseNoRule) {
  const TempFolder folder;
  const std::string file = folder / "deep/settings.json";
  constexpr int kProcesses = 4;
  constexpr int kRules = 8;
  std::vector<pid_t> children;
  for (int process = 0; process < kProcesses; ++process) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      bool fine = true;
      for (int i = 0; i < kRules; ++i) {
        const std::string rule = "Bash(r" + std::to_string(process) + " " + std::to_string(i) + ")";
        fine = write_rule(file, RuleList::allow, rule, change_file).has_value() && fine;
      }
      ::_exit(fine ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  EXPECT_EQ(rules_in(text_of(file)), static_cast<std::size_t>(kProcesses * kRules));
}

TEST(SettingsFile, WhoIsKilledLeavesTheOldFileOrTheNewOne) {
  const TempFolder folder;
  const std::string file = folder.put("settings.json", R"json({"permissions":{"allow":["Read"]},"mine":true})json");
  for (int round = 0; round < 10; ++round) {
    int ready[2];
    ASSERT_EQ(::pipe(ready), 0);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      for (int i = 0;; ++i) {
        if (!write_rule(file, RuleList::allow, "Bash(" + std::to_string(round) + "-" + std::to_string(i) + ")",
                        change_file))
          ::_exit(1);
        const char done = 'x';
        if (::write(ready[1], &done, 1) != 1) ::_exit(1);
      }
    }
    ::close(ready[1]);
    char one = 0;
    for (int i = 0; i <= round; ++i) EXPECT_EQ(::read(ready[0], &one, 1), 1);
    ::close(ready[0]);
    ASSERT_GT(child, 0);
    ASSERT_EQ(::kill(child, SIGKILL), 0);
    ASSERT_EQ(::waitpid(child, nullptr, 0), child);
    const auto json = parse_json(text_of(file));
    ASSERT_TRUE(json) << text_of(file);
    EXPECT_EQ(find_bool(*json, "mine"), true);
  }
  EXPECT_TRUE(write_rule(file, RuleList::deny, "Read(.env)", change_file)) << "no lock is left behind";
}

TEST(Trust, BelongsToOneFolderAndNotToAnotherInItsPlace) {
  const TempFolder folder;
  const TrustStore store(folder / "state/trusted.json", change_file);
  const std::string project = folder / "project";
  std::filesystem::create_directories(project + "/sub");
  EXPECT_FALSE(store.is_trusted(project));
  ASSERT_TRUE(store.add(project));
  ASSERT_TRUE(store.add(project)) << "twice is once";
  EXPECT_EQ(store.list()->size(), 1U);
  std::filesystem::create_directory_symlink(project, folder / "link");
  EXPECT_TRUE(store.is_trusted(project));
  EXPECT_TRUE(store.is_trusted(folder / "link")) << "its real path counts";
  EXPECT_FALSE(store.is_trusted(project + "/sub"));
  std::filesystem::rename(project, folder / "elsewhere");
  std::filesystem::create_directory(project);
  EXPECT_FALSE(store.is_trusted(project)) << "another folder stands there";
  ASSERT_TRUE(store.remove(project));
  EXPECT_TRUE(store.list()->empty());
}

TEST(Trust, ABrokenListTrustsNothingAndIsNotOverwritten) {
  const TempFolder folder;
  const TrustStore store(folder.put("trusted.json", "{\"folders\":"), change_file);
  EXPECT_FALSE(store.is_trusted(folder.path()));
  EXPECT_FALSE(store.add(folder.path()));
  EXPECT_EQ(folder.bytes("trusted.json"), "{\"folders\":");
}

}  // namespace
}  // namespace deft
