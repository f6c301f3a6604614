#include "deft/agent/session_store.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "deft/agent/session.h"
#include "deft/agent/session_index.h"
#include "deft/agent/session_log.h"
#include "deft/os/file_changes.h"
#include "deft/os/uuid.h"
#include "deft/testing/engine_bench.h"
#include "deft/testing/file_size_limit.h"

namespace deft {
namespace {

class Sessions : public ::testing::Test {
 protected:
  SessionPlace create(const std::string& directory) {
    auto place = store.create(directory, clock);
    EXPECT_TRUE(place);
    return *place;
  }
  void say(const SessionPlace& place, std::string_view text) {
    auto journal = Journal::open(place.folder, clock);
    ASSERT_TRUE(journal) << journal.error().message;
    SessionLog(*journal, frontend).prompt(R"([{"type":"text","text":")" + std::string(text) + "\"}]", "", "");
  }
  static unsigned mode_of(const std::string& path) {
    struct stat status{};
    return ::stat(path.c_str(), &status) == 0 ? status.st_mode & 0777U : 0;
  }

  const TempFolder folder;
  const SystemClock clock;
  RecordingFrontend frontend;
  const SessionStore store{folder / "state/deft/sessions"};
};

TEST_F(Sessions, ArePrivateToTheirUser) {
  const SessionPlace place = create("/p");
  EXPECT_TRUE(is_uuid(place.id));
  for (const char* name : {"state", "state/deft", "state/deft/sessions"}) EXPECT_EQ(mode_of(folder / name), 0700U);
  EXPECT_EQ(mode_of(place.folder), 0700U);
  EXPECT_EQ(mode_of(place.folder + "/journal.jsonl"), 0600U);
}

TEST_F(Sessions, AreFoundByTheirIdTheBeginningOfItAndTheirTitle) {
  const SessionPlace place = create("/p");
  const SessionPlace other = create("/q");
  EXPECT_EQ(find_session(store, place.id)->folder, place.folder);
  EXPECT_EQ(find_session(store, place.id.substr(0, 13))->id, place.id);
  EXPECT_EQ(find_session(store, "The title").error().code, Errc::not_found);
  ASSERT_TRUE(Journal::open(place.folder, clock)->state("title", "The title"));
  EXPECT_EQ(find_session(store, "The title")->id, place.id);
  ASSERT_TRUE(Journal::open(other.folder, clock)->state("title", "The title"));
  EXPECT_NE(find_session(store, "The title").error().message.find(other.id), std::string::npos);
}

TEST_F(Sessions, ThatCouldBeMeantBothAreNamed) {
  const auto a = store.create("/p", clock, "aaaaaaaa-0000-4000-8000-000000000001");
  const auto b = store.create("/p", clock, "aaaaaaaa-0000-4000-8000-000000000002");
  ASSERT_TRUE(a && b);
  const auto found = store.find("aaaaaaaa");
  ASSERT_FALSE(found);
  EXPECT_NE(found.error().message.find(b->id), std::string::npos);
  EXPECT_EQ(store.find(b->id)->id, b->id);
}

TEST_F(Sessions, AnIdIsUsedOnceAndIsNoPath) {
  ASSERT_TRUE(store.create("/p", clock, "AAAAAAAA-0000-4000-8000-000000000001"));
  EXPECT_EQ(store.create("/p", clock, "aaaaaaaa-0000-4000-8000-000000000001").error().code, Errc::duplicate_id);
  EXPECT_EQ(store.create("/p", clock, "../../x").error().code, Errc::invalid_input);
  EXPECT_EQ(store.find("../..").error().code, Errc::not_found);
}

TEST_F(Sessions, AnIdWhoseSessionWasKilledBeforeItsFirstWordIsFree) {
  const SessionPlace place = *store.create("/p", clock, "aaaaaaaa-0000-4000-8000-000000000001");
  std::filesystem::resize_file(place.journal(), 0);
  EXPECT_TRUE(store.create("/p", clock, place.id));
  std::filesystem::remove(place.journal());
  EXPECT_TRUE(store.create("/p", clock, place.id));
  std::filesystem::resize_file(place.journal(), 30);
  EXPECT_TRUE(store.create("/p", clock, place.id));
  EXPECT_EQ(store.create("/p", clock, place.id).error().code, Errc::duplicate_id);
}

TEST_F(Sessions, TheLatestOfADirectoryIsTheOneThatWasUsedLast) {
  const SessionPlace first = create("/p");
  const SessionPlace second = create("/p");
  const SessionPlace other = create("/q");
  say(first, "hello");
  say(second, "hello");
  say(other, "hello");
  // Times of files are only as fine as the kernel's tick.
  const struct timespec times[2] = {{.tv_sec = 0, .tv_nsec = UTIME_OMIT}, {.tv_sec = 4'000'000'000, .tv_nsec = 0}};
  ASSERT_EQ(::utimensat(0, (first.folder + "/journal.jsonl").c_str(), times, 0), 0);
  EXPECT_EQ(store.latest("/p")->id, first.id);
  EXPECT_EQ(store.latest("/q")->id, other.id);
  EXPECT_EQ(store.latest("/r").error().code, Errc::not_found);
}

// Somebody was killed at the start of a run, and goes on with what he did before.
TEST_F(Sessions, OneInWhichNothingWasSaidIsNotTheLatest) {
  const SessionPlace meant = create("/p");
  say(meant, "hello");
  const SessionPlace begun = create("/p");
  ASSERT_TRUE(Journal::open(begun.folder, clock)->state("title", "prompt"));
  const struct timespec times[2] = {{.tv_sec = 0, .tv_nsec = UTIME_OMIT}, {.tv_sec = 4'000'000'000, .tv_nsec = 0}};
  ASSERT_EQ(::utimensat(0, begun.journal().c_str(), times, 0), 0);
  EXPECT_EQ(store.latest("/p")->id, meant.id);
}

TEST_F(Sessions, NoNameMeansNoSession) {
  create("/p");
  EXPECT_EQ(find_session(store, "").error().code, Errc::not_found);
}

TEST_F(Sessions, AForkKnowsWhatTheOtherKnewAndGoesItsOwnWay) {
  const SessionPlace from = create("/p");
  say(from, "one");
  const auto fork = store.fork(from, clock);
  ASSERT_TRUE(fork);
  say(from, "two");
  say(*fork, "three");
  const auto session = Session::load(fork->journal());
  ASSERT_TRUE(session);
  EXPECT_EQ(session->opening.header.forked_from, from.id);
  EXPECT_EQ(session->opening.header.directory, "/p");
  ASSERT_EQ(session->history.size(), 1U);
  EXPECT_EQ(session->history[0].content, R"([{"type":"text","text":"one"},{"type":"text","text":"three"}])");
}

TEST_F(Sessions, AForkTakesAlongWhatItNeedsToUndoAndToGoOnWithSubagents) {
  const SessionPlace from = create("/p");
  FileChanges changes(from.folder);
  const ContentId old = content_id("old");
  ASSERT_EQ(changes.keep({.path = "/p/a", .before = old, .after = content_id("new"), .call_id = "1"}, "old"), "");
  ASSERT_TRUE(Journal::open(from.folder + "/subagents", clock, {}, "agent-a1.jsonl"));
  const auto fork = store.fork(from, clock);
  ASSERT_TRUE(fork) << fork.error().message;
  FileChanges copied(fork->folder);
  ASSERT_EQ(copied.all()->size(), 1U);
  EXPECT_EQ(copied.before_image(old), "old");
  EXPECT_TRUE(Session::load(fork->folder + "/subagents/agent-a1.jsonl"));
  EXPECT_EQ(mode_of(fork->folder + "/changes.jsonl"), 0600U);
  EXPECT_EQ(mode_of(fork->folder + "/before"), 0700U);
  ASSERT_TRUE(copied.mark_undone(1));
  EXPECT_FALSE(changes.all()->at(0).is_undone) << "each goes its own way";
}

TEST_F(Sessions, AForkThatFailsLeavesNoHalfOfOne) {
  const SessionPlace from = create("/p");
  say(from, std::string(100'000, 'x'));
  {
    const FileSizeLimit full(50'000);
    EXPECT_FALSE(store.fork(from, clock));
  }
  EXPECT_EQ(store.list()->size(), 1U);
  EXPECT_EQ(store.latest("/p")->id, from.id);
  EXPECT_EQ(folder.names("state/deft/sessions"), std::vector<std::string>{from.id});
}

TEST_F(Sessions, OneThatIsInUseCanBeForkedButNotOpened) {
  const SessionPlace place = create("/p");
  auto journal = Journal::open(place.folder, clock);
  ASSERT_TRUE(journal);
  EXPECT_EQ(Journal::open(place.folder, clock).error().code, Errc::denied);
  EXPECT_TRUE(store.fork(place, clock));
}

}  // namespace
}  // namespace deft
