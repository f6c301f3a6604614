#include "deft/agent/journal_branch.h"

#include <gtest/gtest.h>

#include <fstream>

#include "deft/agent/session.h"
#include "deft/core/conversation.h"
#include "deft/os/uuid.h"
#include "deft/testing/agent_bench.h"

namespace deft {
namespace {

constexpr const char* kMessage = "aaaaaaaa-0000-4000-8000-000000000000";

// A session by hand: each line is an entry.
class JournalBranchTest : public ::testing::Test {
 protected:
  JournalBranchTest() { line(R"({"type":"journal","version":2,"session":"x","directory":"/p"})"); }

  void line(const std::string& text) { std::ofstream(path(), std::ios::app) << text << "\n"; }
  void prompt(std::string_view text, std::string_view uuid, std::string_view source = "") {
    line(to_json(JsonObject{{"type", "prompt"},
                            {"content", R"([{"type":"text","text":")" + std::string(text) + "\"}]"},
                            {"uuid", uuid},
                            {"source", source}}));
  }
  void says(std::string_view text, std::string_view uuid) {
    line(to_json(JsonObject{{"type", "message"},
                            {"content", R"([{"type":"text","text":")" + std::string(text) + "\"}]"},
                            {"uuid", uuid},
                            {"usage", JsonObject{{"input_tokens", 10}}},
                            {"model", "m"}}));
  }
  // A text, then two calls, and their results.
  void calls(std::string_view uuid, bool answered = true) {
    const std::string content =
        R"([{"type":"text","text":"I look"},{"type":"tool_use","id":"c1","name":"Do","input":{}},)"
        R"({"type":"tool_use","id":"c2","name":"Do","input":{}}])";
    line(to_json(JsonObject{{"type", "message"}, {"content", content}, {"uuid", uuid}}));
    for (const char* call : {"c1", "c2"}) {
      line(R"({"type":"result","call":")" + std::string(call) +
           R"(","tool":"Do","is_error":false,"content":"result of )" + call + "\"}");
    }
    if (!answered) return;
    line(
        R"({"type":"results","given":[{"call":"c1"},{"call":"c2"}],"after":"[{\"type\":\"text\",\"text\":\"and more\"}]"})");
  }
  void rewound(std::string_view to) { line(R"({"type":"rewound","to":")" + std::string(to) + "\"}"); }

  std::string path() const { return folder / "journal.jsonl"; }
  // Everything that the model would be told, in one line.
  std::string told(const ResumePoint& point = {}) {
    const auto session = Session::load(path(), point);
    if (!session) return session.error().message;
    History history = session->history;
    if (!history.empty() && history.back().role == Role::assistant) {
      history.push_back({Role::user, R"([{"type":"text","text":"next"}])"});
    }
    if (!history.empty()) {
      EXPECT_EQ(history_problem(history), std::nullopt);
    }
    std::string all;
    for (const HistoryMessage& message : session->history) all += message.content;
    return all;
  }

  const TempFolder folder;
};

bool holds(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST_F(JournalBranchTest, ASessionGoesOnAfterAPromptOrAnAnswer) {
  prompt("first", "p1");
  says("one", kMessage);
  prompt("second", "p2");
  EXPECT_TRUE(holds(told(), "second"));
  EXPECT_FALSE(holds(told({.at = "p1"}), "one"));
  EXPECT_TRUE(holds(told({.at = "p1"}), "first"));
  EXPECT_TRUE(holds(told({.at = kMessage}), "one"));
  EXPECT_FALSE(holds(told({.at = kMessage}), "second"));
  EXPECT_TRUE(holds(told({.at = "p3"}), "has no message \"p3\""));
}

TEST_F(JournalBranchTest, ACallThatStaysKeepsItsResultAndOthersAreGone) {
  prompt("first", "p1");
  calls(kMessage);
  says("both are done", nth_uuid(kMessage, 0x100));
  EXPECT_TRUE(holds(told(), "and more"));
  const std::string text = told({.at = nth_uuid(kMessage, 0)});
  EXPECT_TRUE(holds(text, "I look"));
  EXPECT_FALSE(holds(text, "c1"));
  const std::string first = told({.at = nth_uuid(kMessage, 1)});
  EXPECT_TRUE(holds(first, "result of c1"));
  EXPECT_FALSE(holds(first, "c2"));
  EXPECT_FALSE(holds(first, "and more"));
  const std::string results = told({.at = nth_uuid(kMessage, kResultUuids)});
  EXPECT_TRUE(holds(results, "result of c1") && holds(results, "result of c2"));
  EXPECT_FALSE(holds(results, "and more"));
  const std::string after = told({.at = nth_uuid(kMessage, kAfterResultsUuid)});
  EXPECT_TRUE(holds(after, "and more"));
  EXPECT_FALSE(holds(after, "both are done"));
}

TEST_F(JournalBranchTest, AThoughtAloneIsNothingToGoOnFrom) {
  prompt("first", "p1");
  line(to_json(JsonObject{{"type", "message"},
                          {"content", R"([{"type":"thinking","thinking":"hm","signature":"s"},)"
                                      R"({"type":"text","text":"one"}])"},
                          {"uuid", kMessage}}));
  EXPECT_TRUE(holds(told({.at = nth_uuid(kMessage, 1)}), "hm"));
  EXPECT_EQ(told({.at = nth_uuid(kMessage, 0)}), R"([{"type":"text","text":"first"}])");
}

TEST_F(JournalBranchTest, AfterAThoughtThatIsNotHandedBackTheWholeMessageIsMeant) {
  prompt("first", "p1");
  says("one", kMessage);
  prompt("second", "p2");
  EXPECT_TRUE(told({.at = nth_uuid(kMessage, 1)}).ends_with(R"([{"type":"text","text":"one"}])"));
}

TEST_F(JournalBranchTest, CallsThatWereNeverAnsweredAreAnsweredWhateverIsKept) {
  prompt("first", "p1");
  calls(kMessage, /*answered=*/false);
  for (const std::uint16_t block : std::initializer_list<std::uint16_t>{1, 2}) {
    EXPECT_TRUE(holds(told({.at = nth_uuid(kMessage, block)}), "result of c1"));
  }
}

TEST_F(JournalBranchTest, WhatWasGoneBackToIsTheSessionFromThenOn) {
  prompt("first", "p1");
  says("one", kMessage);
  prompt("second", "p2");
  rewound(kMessage);
  prompt("other", "p3");
  EXPECT_TRUE(holds(told(), "other"));
  EXPECT_FALSE(holds(told(), "second"));
  rewound("p2");  // back into what was left
  EXPECT_TRUE(holds(told(), "second"));
  EXPECT_FALSE(holds(told(), "other"));
  rewound("p1");
  prompt("last", "p4");
  EXPECT_TRUE(holds(told(), "first") && holds(told(), "last"));
  EXPECT_FALSE(holds(told(), "one") || holds(told(), "second") || holds(told(), "other"));
}

TEST_F(JournalBranchTest, GoingBackBehindACompactionBringsBackWhatWasThere) {
  prompt("first", "p1");
  says("one", kMessage);
  line(R"({"type":"compacted","summary":"[{\"type\":\"text\",\"text\":\"in short\"}]","kept_messages":0})");
  prompt("second", "p2");
  EXPECT_TRUE(holds(told(), "in short"));
  EXPECT_FALSE(holds(told(), "first"));
  EXPECT_TRUE(holds(told({.at = kMessage}), "first"));
  EXPECT_FALSE(holds(told({.at = kMessage}), "in short"));
}

TEST_F(JournalBranchTest, WhatWasLeftIsPaidForAndItsIdsAreTaken) {
  prompt("first", "p1");
  says("one", kMessage);
  calls(nth_uuid(kMessage, 0x100));
  const auto session = Session::load(path(), {.at = "p1"});
  ASSERT_TRUE(session);
  EXPECT_EQ(session->usage.tokens, 10U);
  EXPECT_EQ(session->call_ids, (std::vector<std::string>{"c1", "c2"}));
  ASSERT_EQ(session->repairs.size(), 1U);
  EXPECT_TRUE(holds(session->repairs[0].line(0), "rewound"));
}

TEST_F(JournalBranchTest, OnlyTheTurnThatWasMeantMayBeLeftOut) {
  prompt("first", "p1");
  calls(kMessage);
  says("one", nth_uuid(kMessage, 0x100));
  const std::string at = nth_uuid(kMessage, 0x100);
  prompt("[interrupted]", "", "abort");
  prompt("second", "p2");
  says("two", nth_uuid(kMessage, 0x200));
  EXPECT_TRUE(holds(told({.at = at, .drops_turn = "p2"}), "one"));
  for (const ResumePoint& point : {ResumePoint{at, "p1"}, ResumePoint{at, "p9"}, ResumePoint{"p1", "p2"},
                                   ResumePoint{nth_uuid(kMessage, 0), "p2"}}) {
    EXPECT_TRUE(holds(told(point), kDropsTurnRefusal)) << point.at << " " << point.drops_turn;
  }
  prompt("news", "", "task");
  EXPECT_TRUE(holds(told({.at = at, .drops_turn = "p2"}), kDropsTurnRefusal));
}

// The real thing: what an agent has written is what can be gone back to.
TEST(JournalBranch, AnAgentGoesOnWhereItIsTold) {
  AgentBench bench;
  bench.add_effect("Do");
  std::vector<std::string> uuids;
  bench.model.answer = [&](const ModelRequest& request) {
    const bool is_first = request.history->size() == 1;
    return is_first ? stream_of({text_of_model("I do it"), call_of_model("c1", "Do"), call_of_model("c2", "Do")})
                    : stream_of({text_of_model("done")});
  };
  bench.turn("first");
  for (const RequestSent& sent : bench.frontend.all<RequestSent>()) uuids.push_back(sent.uuid);
  ASSERT_EQ(uuids.size(), 2U);
  bench.turn("second");
  bench.reopen();
  bench.options.resume = {.at = nth_uuid(uuids[0], 1)};
  const History& history = bench.history();
  ASSERT_EQ(history.size(), 3U);
  EXPECT_TRUE(holds(history[1].content, "c1") && !holds(history[1].content, "c2"));
  EXPECT_EQ(bench.effects.size(), 2U);  // none of them was done again
  bench.turn("other");
  bench.reopen();
  bench.options.resume = {};
  EXPECT_EQ(bench.history().size(), 4U);
}

}  // namespace
}  // namespace deft
