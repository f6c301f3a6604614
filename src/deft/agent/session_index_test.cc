#include "deft/agent/session_index.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "deft/agent/session_log.h"
#include "deft/core/message_content.h"
#include "deft/testing/engine_bench.h"
#include "deft/testing/temp_folder.h"

namespace deft {
namespace {

class SessionIndexTest : public ::testing::Test {
 protected:
  SessionPlace session(const std::string& directory, std::string_view prompt, std::string_view answer) {
    auto place = store.create(directory, clock);
    EXPECT_TRUE(place);
    say(*place, prompt, answer);
    return *place;
  }
  void say(const SessionPlace& place, std::string_view prompt, std::string_view answer) {
    auto journal = Journal::open(place.folder, clock);
    ASSERT_TRUE(journal);
    SessionLog log(*journal, frontend);
    log.turn_began();
    log.prompt(content_of({text_block(prompt)}), "", "");
    const Message message{.blocks = {TextBlock{std::string(answer), {}}}, .usage = JsonObject{{"input_tokens", 10}}};
    log.message(
        {.content = assistant_content(message.blocks), .message = message, .model = "m", .how = "whole", .cost = 0.5});
  }
  SessionIndex index() {
    auto opened = SessionIndex::open(store);
    EXPECT_TRUE(opened) << opened.error().message;
    return std::move(*opened);
  }
  static std::vector<std::string> ids(const std::vector<SessionSummary>& sessions) {
    std::vector<std::string> found;
    for (const SessionSummary& summary : sessions) found.push_back(summary.place.id);
    return found;
  }

  const TempFolder folder;
  const SystemClock clock;
  RecordingFrontend frontend;
  const SessionStore store{folder / "sessions"};
};

TEST_F(SessionIndexTest, ListsWhatWasSaidFirstAndWhatItCost) {
  const SessionPlace place = session("/p", "Why does it\n  fail?", "Because.");
  session("/q", "Something else", "Yes.");
  const auto list = index().list({.directory = "/p"});
  ASSERT_TRUE(list);
  ASSERT_EQ(list->size(), 1U);
  EXPECT_EQ(list->front().place.folder, place.folder);
  EXPECT_EQ(list->front().prompt, "Why does it fail?");
  EXPECT_EQ(list->front().tokens, 10);
  EXPECT_EQ(list->front().cost, 0.5);
  EXPECT_EQ(list->front().turns, 1);
  EXPECT_EQ(index().list({})->size(), 2U);
  EXPECT_EQ(index().list({.limit = 1})->size(), 1U);
}

TEST_F(SessionIndexTest, WhatSubagentsAndSummariesCostIsTheSessionsToo) {
  const SessionPlace place = session("/p", "one", "two");
  {
    auto journal = Journal::open(place.folder, clock);
    ASSERT_TRUE(journal);
    SessionLog log(*journal, frontend);
    SessionUsage of_subagent;
    of_subagent.add("small", JsonObject{{"input_tokens", 3}, {"output_tokens", 4}}, 0.25);
    log.used(of_subagent);
    log.compacted({.summary = content_of({text_block("all")}),
                   .model = "m",
                   .usage = JsonObject{{"input_tokens", 100}},
                   .cost = 0.125});
  }
  const auto list = index().list({});
  ASSERT_TRUE(list);
  EXPECT_EQ(list->front().tokens, 117);
  EXPECT_EQ(list->front().cost, 0.875);
}

TEST_F(SessionIndexTest, KnowsWhatHasChangedSince) {
  EXPECT_TRUE(index().list({})->empty());
  const SessionPlace place = session("/p", "one", "two");
  EXPECT_EQ(index().list({})->front().messages, 1);
  say(place, "three", "four");
  EXPECT_EQ(index().list({})->front().messages, 2);
  ASSERT_TRUE(Journal::open(place.folder, clock)->state("title", "A title"));
  EXPECT_EQ(index().list({.title = "A title"})->size(), 1U);
  std::filesystem::remove_all(place.folder);
  EXPECT_TRUE(index().list({})->empty());
}

TEST_F(SessionIndexTest, FindsSessionsByWhatWasSaidInThem) {
  const SessionPlace a = session("/p", "The connection was reset", "I look at the server");
  const SessionPlace b = session("/p", "A story", "Once upon a time there was a \"connection\"");
  const auto both = index().search("connection", {});
  ASSERT_TRUE(both);
  EXPECT_EQ(both->size(), 2U);
  const auto one = index().search("server  reset", {});
  ASSERT_EQ(one->size(), 1U);
  EXPECT_EQ(one->front().session.place.id, a.id);
  EXPECT_NE(one->front().excerpt.find("«server»"), std::string::npos);
  EXPECT_EQ(index().search("upon stor", {})->front().session.place.id, b.id);  // the last word may be half a word
  // Whatever somebody types is words, and no query of the database.
  for (const char* odd : {"\"", "a\" OR b", "NEAR(", "*", "-", "text:", "'); DROP TABLE sessions;", "  "}) {
    EXPECT_TRUE(index().search(odd, {})) << odd;
  }
  EXPECT_EQ(index().list({})->size(), 2U);
}

TEST_F(SessionIndexTest, IsMadeAnewWhenItIsBrokenAndHoldsNothingOfItsOwn) {
  session("/p", "one", "two");
  EXPECT_EQ(index().list({})->size(), 1U);
  struct stat status{};
  ASSERT_EQ(::stat((folder / "sessions/index.db").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
  folder.put("sessions/index.db",
             "this is no database, but it is long enough to be taken for one " + std::string(9000, 'x'));
  EXPECT_EQ(index().list({})->size(), 1U);
  std::filesystem::remove(folder / "sessions/index.db");
  EXPECT_EQ(index().list({})->size(), 1U);
}

TEST_F(SessionIndexTest, ASessionThatBeganWithAPictureHasTheFirstWordsThatFollow) {
  const auto place = store.create("/p", clock);
  const auto shows = [&](const std::string& content) {
    {
      auto journal = Journal::open(place->folder, clock);
      SessionLog(*journal, frontend).prompt(content, "", "");
    }
    return index().list({}).value().at(0).prompt;
  };
  EXPECT_EQ(shows(R"([{"type":"image"}])"), "(a picture)");
  EXPECT_EQ(shows(R"([{"type":"image"},{"type":"text","text":"What is this?"}])"), "What is this?");
  EXPECT_EQ(shows(R"([{"type":"text","text":"And this?"}])"), "What is this?");
}

// Whoever removes a session wants its words to be gone.
TEST_F(SessionIndexTest, NothingThatARemovedSessionSaidIsLeftInIt) {
  const auto is_in_index = [&](std::string_view word) {
    return (folder.bytes("sessions/index.db").value_or("") + folder.bytes("sessions/index.db-wal").value_or(""))
        .contains(word);
  };
  SessionIndex::forget_removed(store);
  EXPECT_FALSE(folder.bytes("sessions/index.db")) << "nobody has asked for one";
  session("/p", "what stays", "two");
  const SessionPlace place = session("/p", "passphrase: zebracrossing", "noted, zebracrossing");
  EXPECT_EQ(index().list({})->size(), 2U);
  ASSERT_TRUE(is_in_index("zebracrossing"));
  ASSERT_TRUE(store.remove(place));
  SessionIndex::forget_removed(store);
  EXPECT_FALSE(is_in_index("zebra"));
  EXPECT_TRUE(is_in_index("stays"));
}

TEST_F(SessionIndexTest, SessionsInWhichNothingWasSaidAreNotListed) {
  ASSERT_TRUE(store.create("/p", clock));
  folder.put("sessions/aaaaaaaa-0000-4000-8000-000000000001/journal.jsonl", "my diary\n");
  EXPECT_TRUE(index().list({})->empty());
  EXPECT_EQ(index().list({.with_empty = true})->size(), 1U);
}

}  // namespace
}  // namespace deft
