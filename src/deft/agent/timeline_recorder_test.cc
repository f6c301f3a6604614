#include "deft/agent/timeline_recorder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "deft/agent/session_timeline.h"
#include "deft/testing/agent_bench.h"

namespace deft {
namespace {

const TimelineStage* stage(const TimelineCall& call, std::string_view name) {
  for (const TimelineStage& one : call.stages) {
    if (one.name == name) return &one;
  }
  return nullptr;
}

TEST(TimelineRecorder, KeepsCallsRequestsAndTurnsOfAnAgent) {
  AgentBench bench;
  bench.add_reader("Look");
  bench.model.will_answer({call_of_model("t1", "Look"), call_of_model("t2", "Look")});
  bench.model.will_answer({text_of_model("done")});
  bench.turn("go");
  const auto timeline = session_timeline(bench.agent().engine().session_folder());
  ASSERT_TRUE(timeline) << timeline.error().message;
  ASSERT_EQ(timeline->calls.size(), 2U);
  EXPECT_EQ(timeline->calls[0].tool, "Look");
  EXPECT_TRUE(stage(timeline->calls[0], "look_up"));
  EXPECT_TRUE(stage(timeline->calls[0], "call"));
  EXPECT_NE(timeline->calls[0].started_us, 0);
  ASSERT_EQ(timeline->requests.size(), 2U);
  EXPECT_NE(timeline->requests[0].answered_us, 0);
  ASSERT_EQ(timeline->turns.size(), 1U);
  EXPECT_EQ(timeline->turns[0].reason, "completed");
  EXPECT_EQ(timeline->left_out, 0U);
}

class Recorder : public ::testing::Test {
 protected:
  std::string written() const {
    std::ifstream file(folder / std::string(kTimelineFile));
    return {std::istreambuf_iterator<char>(file), {}};
  }
  TempFolder folder;
  VirtualClock clock;
  RecordingFrontend next;
  TimelineRecorder recorder{next, clock};
};

TEST_F(Recorder, OnlyPassesOnUntilItIsTold) {
  recorder.show(CallAnswered{.call_id = "a", .tool = "Read", .result = {.text = "x"}});
  EXPECT_EQ(next.all<CallAnswered>().size(), 1U);
  EXPECT_EQ(written(), "");
}

TEST_F(Recorder, HasNoFileBeforeThereIsSomethingToWrite) {
  recorder.begin(folder.path());
  recorder.write_now();
  EXPECT_EQ(folder.names(), std::vector<std::string>());
  recorder.show(CallAnswered{.call_id = "a", .tool = "Read", .result = {.text = "x"}});
  EXPECT_EQ(folder.names(), std::vector<std::string>{std::string(kTimelineFile)});
  EXPECT_NE(written(), "");
}

TEST_F(Recorder, MeasuresFromArrivalToAnswerAndTakesSecretsOut) {
  recorder.begin(folder.path());
  const TimePoint came = clock.now();
  const auto after = [&](int ms) { return came + std::chrono::milliseconds(ms); };
  clock.advance(std::chrono::milliseconds(25));
  recorder.show(
      CallAnswered{.call_id = "a",
                   .tool = "Bash",
                   .result = {.text = "no", .error = Errc::failed},
                   .duration = std::chrono::milliseconds(10),
                   .title = "Bash(PASSWORD=hunter2hunter2 make)",
                   .stages = {{"look_up", "found", came, came}, {"validation", "valid", after(4), after(5)}}});
  const auto timeline = session_timeline(folder.path());
  ASSERT_TRUE(timeline);
  ASSERT_EQ(timeline->calls.size(), 1U);
  const TimelineCall& call = timeline->calls[0];
  EXPECT_EQ(call.title, "Bash(PASSWORD=**** make)");
  EXPECT_EQ(call.waited_us(), 4'000);
  EXPECT_EQ(call.span.length_us(), 14'000) << "it had ended before its answer left";
  EXPECT_EQ(call.error, "failed");
}

TEST(TimelineRecorder, WhatWasDiscardedNeverHappened) {
  AgentBench bench;
  bench.add_reader("Look");
  bench.model.will(broken_stream_of({call_of_model("t1", "Look")}, 2));
  bench.model.will_answer({text_of_model("done")});
  bench.turn("go");
  const auto timeline = session_timeline(bench.agent().engine().session_folder());
  ASSERT_TRUE(timeline) << timeline.error().message;
  EXPECT_TRUE(timeline->calls.empty());
}

TEST(TimelineRecorder, ARequestThatEndsItsTurnSaysWhatWentWrongWithoutSecrets) {
  AgentBench bench;
  ModelFailure failure{.kind = ModelFailure::Kind::status, .status = 400};
  failure.type = "invalid_request_error";
  failure.message = "the key sk-" + std::string(30, 'a') + " is not for this model";
  bench.model.will({failure_of(failure)});
  bench.turn("go");
  const auto timeline = session_timeline(bench.agent().engine().session_folder());
  ASSERT_TRUE(timeline) << timeline.error().message;
  ASSERT_EQ(timeline->requests.size(), 1U);
  EXPECT_TRUE(timeline->requests[0].has_failed);
  EXPECT_EQ(timeline->requests[0].outcome, "the key sk-aaaa**** is not for this model");
}

TEST_F(Recorder, ALinkIsNotFollowed) {
  std::filesystem::create_symlink(folder / "elsewhere", folder / std::string(kTimelineFile));
  recorder.begin(folder.path());
  recorder.show(CallAnswered{.call_id = "a", .tool = "Read", .result = {.text = "x"}});
  EXPECT_FALSE(std::filesystem::exists(folder / "elsewhere"));
  EXPECT_EQ(next.all<CallAnswered>().size(), 1U);
}

TEST(SessionTimeline, OfAnOlderSessionComesFromItsJournal) {
  const TempFolder folder;
  std::ofstream(folder / "journal.jsonl")
      << R"({"type":"journal","version":1,"time_ms":1000})" << "\n"
      << R"({"type":"asked","time_ms":1000,"call":"a","tool":"Bash","input":{"command":"make"},"directory":"/","reason":"r"})"
      << "\n"
      << R"({"type":"intent","time_ms":3000,"call":"a","tool":"Bash","input":{"command":"make"}})" << "\n"
      << R"({"type":"result","time_ms":4000,"call":"a","tool":"Bash","is_error":false,"content":"ok"})" << "\n";
  const auto timeline = session_timeline(folder.path());
  ASSERT_TRUE(timeline) << timeline.error().message;
  ASSERT_EQ(timeline->calls.size(), 1U);
  EXPECT_EQ(timeline->calls[0].title, "Bash(make)");
  EXPECT_EQ(timeline->calls[0].span.length_us(), 3'000'000);
  ASSERT_TRUE(stage(timeline->calls[0], "question"));
  EXPECT_EQ(stage(timeline->calls[0], "question")->span.length_us(), 2'000'000);
}

TEST(SessionTimeline, ShowsWhatWasUnderWayWhenTheProcessWasKilled) {
  const TempFolder folder;
  std::ofstream(folder / "timeline.jsonl")
      << R"({"type":"request","begin":1000000,"end":2000000,"model":"m","attempt":1})" << "\n"
      << R"({"type":"call","begin":1500000,"end":1600000,"id":"read","tool":"Read","started":1500000,"characters":1,"stages":[]})"
      << "\n";
  std::ofstream(folder / "journal.jsonl")
      << R"({"type":"journal","version":2,"time_ms":900})" << "\n"
      << R"({"type":"intent","time_ms":950,"call":"earlier","tool":"Bash","input":{"command":"of a fork"}})" << "\n"
      << R"({"type":"intent","time_ms":2000,"call":"done","tool":"Bash","input":{"command":"true"}})" << "\n"
      << R"({"type":"result","time_ms":2100,"call":"done","tool":"Bash","is_error":false,"content":""})" << "\n"
      << R"({"type":"intent","time_ms":2200,"call":"long","tool":"Bash","input":{"command":"make"}})" << "\n"
      << R"({"type":"result","time_ms":5000,"call":"read","tool":"Read","is_error":false,"content":""})" << "\n";
  const auto timeline = session_timeline(folder.path());
  ASSERT_TRUE(timeline) << timeline.error().message;
  ASSERT_EQ(timeline->calls.size(), 2U);
  EXPECT_EQ(timeline->calls[1].title, "Bash(make)");
  EXPECT_EQ(timeline->calls[1].error, "unfinished");
  EXPECT_EQ(timeline->calls[1].span.begin_us, 2'200'000);
  EXPECT_EQ(timeline->calls[1].span.end_us, 5'000'000);
}

TEST(SessionTimeline, OfAJournalShowsNoPartOfASecretAndNoTimeThatIsNone) {
  const TempFolder folder;
  const std::string key = "sk-ant-api03-" + std::string(80, 'k');
  std::ofstream(folder / "journal.jsonl")
      << R"({"type":"journal","version":2,"time_ms":1000})" << "\n"
      << R"({"type":"intent","time_ms":9223372036854775807,"call":"a","tool":"Bash","input":{"command":"curl -H )"
      << key << "\"}}\n"
      << R"({"type":"result","time_ms":1,"call":"a","tool":"Bash","is_error":false,"content":"ok"})" << "\n";
  const auto timeline = session_timeline(folder.path());
  ASSERT_TRUE(timeline) << timeline.error().message;
  ASSERT_EQ(timeline->calls.size(), 1U);
  EXPECT_EQ(timeline->calls[0].title.find("kkkk"), std::string::npos) << timeline->calls[0].title;
  EXPECT_GE(timeline->calls[0].span.length_us(), 0);
}

TEST(SessionTimeline, WithoutASessionSaysSo) {
  const TempFolder folder;
  EXPECT_FALSE(session_timeline(folder.path()));
}

}  // namespace
}  // namespace deft
