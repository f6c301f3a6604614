#include "deft/agent/journal.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <thread>
#include <vector>

#include "deft/testing/temp_folder.h"

namespace deft {
namespace {

std::vector<Json> lines_of(const TempFolder& folder) {
  std::vector<Json> lines;
  std::istringstream text(folder.bytes("s/journal.jsonl").value_or(""));
  for (std::string line; std::getline(text, line);) lines.push_back(parse_json(line).value_or(Json("broken")));
  return lines;
}

TEST(Journal, BeginsWithItsVersionAndIsPrivate) {
  const TempFolder folder;
  const SystemClock clock;
  ASSERT_TRUE(Journal::open(folder / "s", clock));
  const auto lines = lines_of(folder);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(find_string(lines[0], "type"), "journal");
  EXPECT_EQ(find_int(lines[0], "version"), kJournalVersion);
  struct stat status{};
  ASSERT_EQ(::stat((folder / "s").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0700U);
  ASSERT_EQ(::stat((folder / "s/journal.jsonl").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
}

TEST(Journal, GoesOnWhereAnEarlierRunEndedAlsoInTheMiddleOfALine) {
  const TempFolder folder;
  const SystemClock clock;
  {
    ASSERT_TRUE(Journal::open(folder / "s", clock)->intent({.id = "1", .name = "A"}));
  }
  std::ofstream(folder / "s/journal.jsonl", std::ios::app) << R"({"type":"resu)";
  {
    ASSERT_TRUE(Journal::open(folder / "s", clock)->intent({.id = "2", .name = "A"}));
  }
  const auto lines = lines_of(folder);
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(lines[2], Json("broken"));
  EXPECT_EQ(find_string(lines[3], "call"), "2");
}

TEST(Journal, LeavesAloneWhatItDidNotWrite) {
  const TempFolder folder;
  const SystemClock clock;
  folder.put("s/journal.jsonl", "my diary\n");
  EXPECT_EQ(Journal::open(folder / "s", clock).error().code, Errc::invalid_input);
  folder.put("s/journal.jsonl", "{\"type\":\"journal\",\"version\":99}\n");
  EXPECT_EQ(Journal::open(folder / "s", clock).error().code, Errc::unsupported);
  EXPECT_EQ(folder.bytes("s/journal.jsonl"), "{\"type\":\"journal\",\"version\":99}\n");
}

TEST(Journal, EntriesOfManyThreadsStayWhole) {
  const TempFolder folder;
  const SystemClock clock;
  auto journal = Journal::open(folder / "s", clock);
  ASSERT_TRUE(journal);
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&] {
        for (int n = 0; n < 50; ++n) EXPECT_TRUE(journal->result("id", "A", {.text = std::string(20'000, 'x')}));
      });
    }
  }
  const auto lines = lines_of(folder);
  ASSERT_EQ(lines.size(), 401U);
  for (const Json& line : lines) EXPECT_TRUE(line.is_object());
}

}  // namespace
}  // namespace deft
