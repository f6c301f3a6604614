#include "deft/agent/journal.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <barrier>
#include <filesystem>
#include <map>
#include <thread>
#include <vector>

#include "deft/testing/file_size_limit.h"
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

TEST(Journal, ResultsThatWaitForAMomentComeWholeBeforeWhatFollowsWhoeverAddsThem) {
  constexpr int kThreads = 3, kResults = 200;
  const TempFolder folder;
  const SystemClock clock;
  {
    auto journal = Journal::open(folder / "s", clock);
    ASSERT_TRUE(journal);
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < kThreads; ++thread) {
      threads.emplace_back([&, thread] {
        for (int i = 0; i < kResults; ++i) {
          const std::string id = std::to_string(thread) + "." + std::to_string(i);
          ASSERT_TRUE(journal->result(id, "Read", {.text = std::string(2000, 'x')}, Journal::When::soon));
          if (thread == 0) {
            ASSERT_TRUE(journal->state("after", Json(id)));
          }
        }
      });
    }
    threads.clear();
    ASSERT_TRUE(journal->flush());
  }
  std::map<std::string, int> seen;
  for (const Json& line : lines_of(folder)) {
    ASSERT_TRUE(line.is_object());
    if (find_string(line, "type") == "result") ++seen[std::string(*find_string(line, "call"))];
    if (find_string(line, "type") == "state") {
      EXPECT_EQ(seen[std::string(*find_string(line, "value"))], 1);
    }
  }
  EXPECT_EQ(seen.size(), std::size_t{kThreads * kResults});
  for (const auto& [call, count] : seen) EXPECT_EQ(count, 1) << call;
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

// Else a call whose effect has begun is forgotten if the process is killed right there, and asked for again.
TEST(Journal, AnIntentAlwaysHasBeforeItTheMessageOrTheDraftThatItBelongsTo) {
  const TempFolder folder;
  const SystemClock clock;
  auto journal = Journal::open(folder / "s", clock);
  ASSERT_TRUE(journal);
  constexpr int kRounds = 2'000;
  std::barrier together(2);
  std::jthread worker([&] {
    for (int i = 0; i < kRounds; ++i) {
      together.arrive_and_wait();
      EXPECT_TRUE(journal->intent({.id = std::to_string(i), .name = "A"}));
      together.arrive_and_wait();
    }
  });
  for (int i = 0; i < kRounds; ++i) {
    journal->append_before_intent([i] { return JournalEntry("draft").number("round", i); });
    together.arrive_and_wait();
    EXPECT_TRUE(journal->append_for_what_waits(JournalEntry("message").number("round", i)));
    together.arrive_and_wait();
  }
  worker.join();
  std::int64_t told = -1;
  for (const Json& line : lines_of(folder)) {
    if (const auto round = find_int(line, "round")) told = *round;
    if (find_string(line, "type") != "intent") continue;
    EXPECT_EQ(find_string(line, "call"), std::to_string(told));
  }
  EXPECT_EQ(told, kRounds - 1);
}

std::vector<std::string> types_in(const TempFolder& folder) {
  std::vector<std::string> types;
  for (const Json& line : lines_of(folder)) types.emplace_back(find_string(line, "type").value_or("broken"));
  return types;
}
using Types = std::vector<std::string>;

TEST(Journal, WhatCouldNotBeWrittenComesBeforeWhateverIsWrittenNext) {
  const TempFolder folder;
  const SystemClock clock;
  auto journal = Journal::open(folder / "s", clock);
  ASSERT_TRUE(journal);
  journal->append_before_intent([] { return JournalEntry("draft"); });
  {
    const FileSizeLimit full(0);
    EXPECT_FALSE(journal->append_for_what_waits(JournalEntry("message")));
    EXPECT_FALSE(journal->result("0", "A", {.text = "done"}));
    EXPECT_FALSE(journal->intent({.id = "1", .name = "A"}));  // which does not begin
  }
  ASSERT_TRUE(journal->intent({.id = "2", .name = "A"}));
  EXPECT_EQ(types_in(folder), (Types{"journal", "message", "result", "intent"}));
  EXPECT_EQ(find_string(lines_of(folder).back(), "call"), "2");
}

// Wherever the disk was full: in the middle of a line, at its end, between two.
TEST(Journal, EveryEntryStandsThereOnceWhereverTheDiskWasFull) {
  const TempFolder folder;
  const SystemClock clock;
  for (rlim_t room = 0; room < 400; ++room) {
    std::filesystem::remove(folder / "s/journal.jsonl");
    auto journal = Journal::open(folder / "s", clock);
    ASSERT_TRUE(journal);
    const auto size = static_cast<rlim_t>(folder.bytes("s/journal.jsonl")->size());
    {
      const FileSizeLimit full(size + room);
      static_cast<void>(journal->append(JournalEntry("prompt")));
      journal->append_before_intent([] { return JournalEntry("draft").text("of", "1"); });
      journal->append_before_intent([] { return JournalEntry("draft").text("of", "2"); });
      if (journal->intent({.id = "1", .name = "A"})) {
        static_cast<void>(journal->result("1", "A", {.text = "done"}));
      }
      static_cast<void>(journal->append_for_what_waits(JournalEntry("message")));
    }
    ASSERT_TRUE(journal->append(JournalEntry("results")));
    std::map<std::string, std::vector<std::string>> found;
    for (const Json& line : lines_of(folder)) {
      found[std::string(find_string(line, "type").value_or("broken"))].emplace_back(
          find_string(line, "of").value_or(""));
    }
    EXPECT_EQ(found["prompt"].size(), 1U) << room;
    EXPECT_EQ(found["message"].size(), 1U) << room;
    EXPECT_EQ(found["results"].size(), 1U) << room;
    EXPECT_LE(found["result"].size(), 1U) << room;
    // Not all of them where the call did not begin, but none of them twice.
    const Types drafts = found["draft"];
    EXPECT_TRUE(drafts.empty() || drafts == Types{"1"} || drafts == (Types{"1", "2"})) << room;
    EXPECT_TRUE(found["intent"].empty() || drafts.size() == 2) << room;
  }
}

TEST(Journal, AFirstLineThatWasCutOffIsWrittenAnew) {
  const TempFolder folder;
  const SystemClock clock;
  for (const char* cut : {"{", R"({"type":"jou)", R"({"type":"journal","time_ms":1,"vers)"}) {
    folder.put("s/journal.jsonl", cut);
    ASSERT_TRUE(Journal::open(folder / "s", clock)) << cut;
    EXPECT_EQ(types_in(folder), Types{"journal"});
  }
  folder.put("s/journal.jsonl", R"({"type":"journal","vers)"
                                "\n");
  EXPECT_FALSE(Journal::open(folder / "s", clock));
  folder.put("s/journal.jsonl", R"({"type":"diary","of":"m)");
  EXPECT_FALSE(Journal::open(folder / "s", clock));
}

TEST(Journal, WhatMayWaitAMomentIsWrittenBeforeAnythingThatFollows) {
  const TempFolder folder;
  const SystemClock clock;
  auto journal = Journal::open(folder / "s", clock);
  ASSERT_TRUE(journal);
  ASSERT_TRUE(journal->result("1", "Read", {.text = "one"}, Journal::When::soon));
  ASSERT_TRUE(journal->result("2", "Read", {.text = "two"}, Journal::When::soon));
  EXPECT_EQ(lines_of(folder).size(), 1U);
  ASSERT_TRUE(journal->intent({.id = "3", .name = "Bash"}));
  const auto lines = lines_of(folder);
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(find_string(lines[1], "call"), "1");
  EXPECT_EQ(find_string(lines[2], "call"), "2");
  EXPECT_EQ(find_string(lines[3], "type"), "intent");
}

TEST(Journal, WhatMayWaitAMomentIsWrittenWhenItIsFlushedAndAtTheEnd) {
  const TempFolder folder;
  const SystemClock clock;
  {
    auto journal = Journal::open(folder / "s", clock);
    ASSERT_TRUE(journal);
    ASSERT_TRUE(journal->result("1", "Read", {.text = "one"}, Journal::When::soon));
    ASSERT_TRUE(journal->flush());
    EXPECT_EQ(lines_of(folder).size(), 2U);
    ASSERT_TRUE(journal->flush());
    ASSERT_TRUE(journal->result("2", "Read", {.text = "two"}, Journal::When::soon));
  }
  EXPECT_EQ(lines_of(folder).size(), 3U);
}

TEST(Journal, WhatIsLargeDoesNotWait) {
  const TempFolder folder;
  const SystemClock clock;
  auto journal = Journal::open(folder / "s", clock);
  ASSERT_TRUE(journal);
  ASSERT_TRUE(journal->result("1", "Read", {.text = std::string(1 << 20, 'x')}, Journal::When::soon));
  EXPECT_EQ(lines_of(folder).size(), 2U);
}

}  // namespace
}  // namespace deft
