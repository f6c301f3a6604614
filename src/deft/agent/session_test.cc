#include "deft/agent/session.h"

#include <gtest/gtest.h>

#include <fstream>
#include <random>
#include <unordered_set>

#include "deft/agent/journal.h"
#include "deft/core/assembler.h"
#include "deft/core/conversation.h"
#include "deft/core/message_content.h"
#include "deft/os/file_changes.h"
#include "deft/os/temporary_file.h"
#include "deft/testing/agent_bench.h"
#include "deft/testing/sanitized.h"

namespace deft {
namespace {

// A journal by hand, as a process that was killed has left it.
class SessionFromLines : public ::testing::Test {
 protected:
  SessionFromLines() { lines({R"({"type":"journal","version":2,"session":"x","directory":"/p"})"}); }

  void lines(const std::vector<std::string>& added) {
    std::ofstream file(folder / "journal.jsonl", std::ios::app);
    for (const std::string& line : added) file << line << "\n";
  }
  static std::string prompt(std::string_view text) {
    return R"({"type":"prompt","content":)" + json_quote(R"([{"type":"text","text":")" + std::string(text) + "\"}]") +
           "}";
  }
  static std::string compacted(int kept) {
    return R"({"type":"compacted","summary":"[{\"type\":\"text\",\"text\":\"short\"}]","kept_messages":)" +
           std::to_string(kept) + "}";
  }
  static std::string calls(std::string_view type, const std::vector<std::string>& ids, std::string_view uuid = {}) {
    std::string content;
    for (const std::string& id : ids) {
      content += (content.empty() ? "[" : ",") + (R"({"type":"tool_use","id":")" + id + R"(","name":"Do","input":{}})");
    }
    const std::string named = uuid.empty() ? "" : R"(,"uuid":)" + json_quote(uuid);
    return R"({"type":")" + std::string(type) + R"(","content":)" + json_quote(content + "]") + named + "}";
  }
  static std::string intent(std::string_view id) {
    return R"({"type":"intent","call":")" + std::string(id) + R"(","tool":"Do","input":{}})";
  }
  static std::string result(std::string_view id, std::string_view text) {
    return R"({"type":"result","call":")" + std::string(id) + R"(","tool":"Do","is_error":false,"content":")" +
           std::string(text) + "\"}";
  }
  Session load() {
    auto session = Session::load(folder / "journal.jsonl");
    EXPECT_TRUE(session) << session.error().message;
    return session ? std::move(*session) : Session();
  }
  // The message of the last result, by its call; "" if there is none.
  static std::string told(const Session& session, const std::string& call) {
    const auto blocks = parse_json(session.history.back().content).value();
    for (const Json& block : blocks.as_array()) {
      if (find_string(block, "tool_use_id") == call) return std::string(find_string(block, "content").value_or(""));
    }
    return "";
  }

  // Calls that the model is told to have changed nothing.
  static std::vector<std::string> not_done(const Session& session) {
    std::vector<std::string> ids;
    for (const HistoryMessage& message : session.history) {
      const auto blocks = parse_json(message.content).value();
      for (const Json& block : blocks.as_array()) {
        const bool says_so = find_string(block, "content").value_or("").find(kNotDoneText) != std::string_view::npos;
        if (says_so) ids.emplace_back(find_string(block, "tool_use_id").value_or(""));
      }
    }
    return ids;
  }

  const TempFolder folder;
};

TEST_F(SessionFromLines, FinishedCallsKeepTheirResultsOthersAreAnsweredByWhatTheyMayHaveDone) {
  lines({prompt("go"), calls("message", {"done", "began", "never"}), intent("done"), result("done", "it is done"),
         intent("began")});
  const Session session = load();
  EXPECT_EQ(told(session, "done"), "it is done");
  EXPECT_NE(told(session, "began").find(kInterruptedText), std::string::npos);
  EXPECT_NE(told(session, "never").find(kNotDoneText), std::string::npos);
  EXPECT_EQ(history_problem(session.history), std::nullopt);
  EXPECT_EQ(session.interrupted_calls, 3U);
  EXPECT_EQ(session.repairs.size(), 1U);
}

TEST_F(SessionFromLines, AMessageThatStreamedInWhenTheProcessEndedStaysIfItHadAnEffect) {
  lines({prompt("go"), calls("draft", {"a"}), intent("a"), result("a", "did"), calls("draft", {"b"}), intent("b")});
  const Session session = load();
  ASSERT_EQ(session.history.size(), 3U);
  EXPECT_EQ(told(session, "a"), "did");
  EXPECT_NE(told(session, "b").find(kInterruptedText), std::string::npos);
  EXPECT_EQ(history_problem(session.history), std::nullopt);
}

TEST_F(SessionFromLines, AMessageThatStreamedInWhenTheProcessEndedNeverExistedIfItHadNone) {
  lines({prompt("go"), calls("draft", {"a"})});
  EXPECT_EQ(load().history.size(), 1U);
  lines({result("b", "only read")});
  EXPECT_EQ(load().history.size(), 1U);
}

TEST_F(SessionFromLines, WhatWasDiscardedIsForgottenAndItsIdsMayComeAgain) {
  lines({prompt("go"), result("a", "old"), R"({"type":"discarded"})", calls("message", {"a"}), result("a", "new")});
  EXPECT_EQ(told(load(), "a"), "new");
}

TEST_F(SessionFromLines, TheFirstOfTwoResultsCountsBecauseThatOneWasTold) {
  lines({prompt("go"), calls("message", {"a"}), intent("a"), result("a", "did not stop in time"),
         result("a", "came back late"), R"({"type":"results","given":[{"call":"a"}]})", result("a", "later still")});
  EXPECT_EQ(told(load(), "a"), "did not stop in time");
}

TEST_F(SessionFromLines, ALineThatWasCutOffIsAsIfItHadNeverBeenWritten) {
  lines({prompt("go"), calls("message", {"a"}), intent("a")});
  std::ofstream(folder / "journal.jsonl", std::ios::app) << result("a", "did").substr(0, 30);
  EXPECT_NE(told(load(), "a").find(kInterruptedText), std::string::npos);
  lines({"", result("a", "did not")});  // whoever went on has ended the line
  EXPECT_EQ(told(load(), "a"), "did not");
}

TEST_F(SessionFromLines, WhateverLineIsMissingTheHistoryIsValid) {
  const std::vector<std::string> whole = {prompt("go"),
                                          calls("draft", {"a"}),
                                          intent("a"),
                                          calls("message", {"a", "b"}),
                                          result("a", "A"),
                                          result("b", "B"),
                                          R"({"type":"results","given":[{"call":"a"},{"call":"b"}]})",
                                          calls("draft", {"c"}),
                                          intent("c"),
                                          calls("message", {"c"}),
                                          result("c", "C"),
                                          R"({"type":"results","given":[{"call":"c"}]})",
                                          prompt("and now"),
                                          R"({"type":"message","content":"[{\"type\":\"text\",\"text\":\"done\"}]"})"};
  const std::string header = *folder.bytes("journal.jsonl");
  // One or two are missing, or one or two are all there are.
  for (std::size_t pair = 0; pair < whole.size() * whole.size() * 2; ++pair) {
    const std::size_t two = std::size_t{1} << pair % whole.size() | std::size_t{1}
                                                                        << pair / whole.size() % whole.size();
    const std::size_t mask = pair < whole.size() * whole.size() ? two : ~two;
    std::string text = header;
    for (std::size_t i = 0; i < whole.size(); ++i) {
      if ((mask >> i & 1U) != 0) text += whole[i] + "\n";
    }
    folder.put("journal.jsonl", text);
    ASSERT_TRUE(Session::load(folder / "journal.jsonl")) << text;  // which checks it
  }
}

TEST_F(SessionFromLines, WhateverLinesAreMissingOrStandThereTwiceTheHistoryIsValidAndWhatBeganIsNeverCalledNotDone) {
  const std::vector<std::string> whole = {prompt("go"),
                                          calls("draft", {"a"}, "m1"),
                                          intent("a"),
                                          result("a", "A"),
                                          calls("draft", {"b", "c"}, "m1"),
                                          intent("c"),
                                          calls("message", {"a", "b", "c", "d"}, "m1"),
                                          result("b", "B"),
                                          result("c", "C"),
                                          intent("d"),
                                          result("d", "D"),
                                          R"({"type":"results","given":[{"call":"a"},{"call":"b"}]})",
                                          result("e", "E"),
                                          R"({"type":"discarded"})",
                                          result("e", "E again"),
                                          calls("draft", {"e", "f"}, "m2"),
                                          intent("f"),
                                          calls("message", {"e", "f"}, "m2"),
                                          result("f", "F"),
                                          R"({"type":"results","given":[{"call":"e"},{"call":"f"}]})",
                                          compacted(2),
                                          calls("message", {"g"}, "m3"),
                                          intent("g"),
                                          result("g", "G"),
                                          R"({"type":"results","given":[{"call":"g"}]})",
                                          prompt("and now"),
                                          calls("draft", {"h"}, "m4"),
                                          intent("h")};
  const std::string header = *folder.bytes("journal.jsonl");
  std::minstd_rand random(7);
  for (int round = 0; round < (testing::kIsSanitized ? 150 : 400); ++round) {
    std::string text = header;
    std::unordered_set<std::string> began;
    for (const std::string& line : whole) {
      const auto chance = random() % 10;
      if (chance == 0) continue;
      text += line + "\n";
      if (chance == 1) text += line + "\n";
      if (chance == 2) text += line.substr(0, line.size() / 2) + "\n" + line + "\n";
      if (line.starts_with(R"({"type":"intent")")) began.insert(std::string(*find_string(*parse_json(line), "call")));
    }
    folder.put("journal.jsonl", text);
    const auto session = Session::load(folder / "journal.jsonl");  // which checks it
    ASSERT_TRUE(session) << session.error().message << "\n" << text;
    for (const std::string& call : not_done(*session)) ASSERT_FALSE(began.contains(call)) << call << "\n" << text;
  }
}

// The disk was full for a moment, and nobody else was told.
TEST_F(SessionFromLines, AMessageWhoseResultsAreMissingTakesNothingFromTheNextOne) {
  lines({prompt("go"), calls("message", {"a"}, "m1"), intent("a"), result("a", "A"), calls("draft", {"b"}, "m2"),
         intent("b"), result("b", "B"), calls("message", {"b"}, "m2")});
  EXPECT_EQ(told(load(), "b"), "B");
}

TEST_F(SessionFromLines, AMessageOfWhichOnlyTheDraftIsThereStaysBeforeTheNextOne) {
  lines({prompt("go"), calls("draft", {"a"}, "m1"), intent("a"), result("a", "A"), calls("message", {"b"}, "m2"),
         result("b", "B")});
  const Session session = load();
  ASSERT_EQ(session.history.size(), 5U);
  EXPECT_NE(session.history[1].content.find("\"a\""), std::string::npos);
  EXPECT_NE(session.history[2].content.find("\"A\""), std::string::npos);
  EXPECT_EQ(told(session, "b"), "B");
}

TEST_F(SessionFromLines, ADraftThatStandsThereTwiceIsOneDraft) {
  lines({prompt("go"), calls("draft", {"a"}, "m1"), calls("draft", {"a"}, "m1"), calls("draft", {"b"}, "m1"),
         intent("b")});
  const Session session = load();
  ASSERT_EQ(session.history.size(), 3U);
  EXPECT_EQ(session.call_ids, (std::vector<std::string>{"a", "b"}));
}

// Whose message nobody knows: the process ended while it streamed in, and had no effect. Its id may come again.
TEST_F(SessionFromLines, WhatWasSaidOnceIsToldOnceHoweverOftenItStandsThere) {
  const auto named = [](std::string_view type, std::string_view text, int time_ms) {
    const std::string content = R"([{"type":"text","text":")" + std::string(text) + "\"}]";
    return to_json(JsonObject{{"type", type}, {"time_ms", time_ms}, {"content", content}, {"uuid", "u"}});
  };
  const std::string summary =
      R"({"type":"compacted","time_ms":3,"summary":"[{\"type\":\"text\",\"text\":\"short\"}]","kept_messages":0})";
  const std::vector<std::string> beginning = {named("prompt", "go", 1), named("message", "one", 2), summary};
  const std::vector<std::string> rest = {named("prompt", "on", 4), named("message", "two", 5),
                                         named("prompt", "on", 6)};
  lines(beginning);
  lines(rest);
  const History once = load().history;
  lines(beginning);
  lines(rest);
  const History twice = load().history;
  ASSERT_EQ(once.size(), 3U);
  ASSERT_EQ(twice.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(once[i].content, twice[i].content);
}

TEST_F(SessionFromLines, AResultBelongsToNoMessageAfterTheNextPrompt) {
  lines({prompt("go"), result("a", "of the message that never was"), prompt("again"), calls("message", {"a"}, "m2"),
         intent("a"), result("a", "A")});
  EXPECT_EQ(told(load(), "a"), "A");
}

TEST_F(SessionFromLines, AnIntentIsReadHoweverDeepItsInputIs) {
  std::string input = "{}";
  for (std::size_t depth = 1; depth < kCallInputDepthMax; ++depth) input = R"({"a":)" + input + "}";
  const SystemClock clock;
  const ToolCall call{.id = "deep", .name = "Do", .input = parse_json(input).value(), .input_text = input};
  const std::string content = assistant_content({ToolUseBlock{call, {}}});
  {
    auto journal = Journal::open(folder.path(), clock);
    ASSERT_TRUE(journal);
    ASSERT_TRUE(journal->append(JournalEntry("draft").text("content", content).text("uuid", "m1")));
    ASSERT_TRUE(journal->intent(call));
  }
  EXPECT_NE(told(load(), "deep").find(kInterruptedText), std::string::npos);
}

// A line may be damaged and be JSON all the same.
TEST_F(SessionFromLines, ContentThatNoApiWouldTakeCountsAsNotWritten) {
  const auto entry = [](std::string_view type, std::string_view key, std::string_view content) {
    return R"({"type":")" + std::string(type) + R"(",")" + std::string(key) + "\":" + json_quote(content) + "}";
  };
  lines({prompt("go"), entry("prompt", "content", R"([{"tzpe":"text","text":"x"}])"),
         entry("prompt", "content", R"([{"type":"text","text":""}])"),
         entry("prompt", "content", R"([{"type":"tool_result","tool_use_id":"a","content":"x"}])"),
         entry("message", "content", R"([{"type":"tool_use","id":"","name":"Do","input":{}}])"),
         entry("message", "content", R"([{"type":"tool_use","id":"b","name":"Do","input":7}])"),
         calls("message", {"c", "c"}), calls("draft", {"a"}), intent("a"),
         entry("message", "content", R"([{"type":"tool_use","id":"a","nbme":"Do","input":{}}])"), result("a", "A"),
         entry("results", "after", R"([{"type":"tool_result","tool_use_id":"z","content":"x"}])")});
  const Session session = load();
  EXPECT_EQ(history_problem(session.history), std::nullopt);
  ASSERT_EQ(session.history.size(), 3U);
  EXPECT_EQ(session.history[0].content, R"([{"type":"text","text":"go"}])");
  EXPECT_EQ(told(session, "a"), "A");
}

TEST_F(SessionFromLines, WhatTheModelThoughtLastIsNotHandedBack) {
  const auto message = [](std::string_view content) {
    return R"({"type":"message","uuid":"5b3c5f5e-1c5a-4a55-8a5e-0d5f5b6c7d11","content":)" + json_quote(content) + "}";
  };
  lines({prompt("go"), message(R"([{"type":"thinking","thinking":"hm","signature":"s"}])"), prompt("and?"),
         message(R"([{"type":"text","text":"so"},{"type":"redacted_thinking","data":"x"}])"), prompt("on")});
  EXPECT_EQ(history_problem(load().history), std::nullopt);
  EXPECT_EQ(load().history[1].content, R"([{"type":"text","text":"so"}])");
}

TEST_F(SessionFromLines, JournalsOfTheFirstVersionStayReadable) {
  folder.put("journal.jsonl", R"({"type":"journal","time_ms":1,"version":1,"deft":"0.1.0"})"
                              "\n" +
                                  intent("a") + "\n" + result("a", "did") + "\n");
  EXPECT_TRUE(load().history.empty());
  folder.put("journal.jsonl", "{\"type\":\"journal\",\"version\":99}\n");
  EXPECT_EQ(Session::load(folder / "journal.jsonl").error().code, Errc::unsupported);
}

TEST_F(SessionFromLines, ACompactionStandsForWhatCameBeforeIt) {
  lines({prompt("one"), R"({"type":"message","content":"[{\"type\":\"text\",\"text\":\"1\"}]"})", prompt("two"),
         R"({"type":"message","content":"[{\"type\":\"text\",\"text\":\"2\"}]"})",
         R"({"type":"compacted","summary":"[{\"type\":\"text\",\"text\":\"in short\"}]","kept_messages":1})"});
  const Session session = load();
  ASSERT_EQ(session.history.size(), 2U);
  EXPECT_EQ(session.history[0].content, R"([{"type":"text","text":"in short"}])");
  EXPECT_EQ(session.history[1].content, R"([{"type":"text","text":"2"}])");
}

TEST_F(SessionFromLines, AddsUpWhatTheModelsHaveUsed) {
  lines(
      {prompt("go"),
       R"({"type":"message","content":"[{\"type\":\"text\",\"text\":\"1\"}]","model":"m","usage":{"input_tokens":10,"output_tokens":2},"cost":0.5})",
       prompt("go"),
       R"({"type":"message","content":"[{\"type\":\"text\",\"text\":\"1\"}]","model":"m","usage":{"input_tokens":1,"output_tokens":2},"cost":0.25})"});
  const Session session = load();
  EXPECT_EQ(session.usage.tokens, 15U);
  EXPECT_EQ(session.usage.cost, 0.75);
  EXPECT_EQ(session.usage.by_model.at("m").output, 4U);
}

// --- with an agent ---

TEST(ResumedAgent, KnowsEverythingThatItKnewByteForByte) {
  AgentBench bench;
  bench.add_reader("Look", "a \"quoted\" line\nand \xC3\xA9 and \xFF one");
  bench.add_effect("Do");
  bench.model.will_answer({text_of_model("I look."), call_of_model("1", "Look"), call_of_model("2", "Do")});
  bench.model.will_answer({text_of_model("Done.")});
  bench.turn("go");
  bench.agent().set_state("title", "A title");
  const History before = bench.history();

  bench.reopen();
  ASSERT_EQ(bench.history().size(), before.size());
  for (std::size_t i = 0; i < before.size(); ++i) EXPECT_EQ(bench.history()[i].content, before[i].content);
  EXPECT_EQ(bench.agent().state("title"), Json("A title"));
  EXPECT_EQ(bench.agent().interrupted_calls(), 0U);

  // An id that was used is not used again.
  bench.model.will_answer({call_of_model("1", "Look")});
  bench.model.will_answer({text_of_model("Again.")});
  EXPECT_EQ(bench.turn("and again").reason, TurnReason::completed);
  EXPECT_EQ(history_problem(*bench.model.requests().back().history), std::nullopt);
  EXPECT_EQ(bench.effects.size(), 1U);
}

TEST(ResumedAgent, KnowsWhereItIsAndWhatItHasRead) {
  AgentBench bench;
  std::filesystem::create_directory(bench.folder / "below");
  const FileSeen seen{
      .path = "/p/a", .modified_ns = 5, .size = 3, .content_hash = "h", .lines = {{1, 2}}, .read = {{1, 2}}};
  bench.add_tool({.spec = {.name = "Go"}, .run = [&](const Json&, ToolIo&) -> Result<ToolResult> {
                    return ToolResult{
                        .text = "gone",
                        .modifiers = {WorkingDirectoryChanged{bench.folder / "below"}, FileWasSeen{seen}}};
                  }});
  bench.model.will_answer({call_of_model("1", "Go")});
  bench.model.will_answer({text_of_model("Done.")});
  bench.turn("go");

  bench.reopen();
  EXPECT_EQ(bench.agent().engine().session().working_directory, bench.folder / "below");
  const FileSeen* known = bench.agent().engine().session().files.find("/p/a");
  ASSERT_NE(known, nullptr);
  EXPECT_EQ(*known, seen);

  bench.reopen();
  std::filesystem::remove(bench.folder / "below");
  EXPECT_EQ(bench.agent().engine().session().working_directory, bench.folder.path());
}

// By which their changes would be undone together.
TEST(ResumedAgent, GivesNoCallTheIdOfACallOfAnEarlierSubagent) {
  AgentBench bench;
  bench.add_effect("Do");
  bench.model.will_answer({call_of_model("call_0", "Do")});
  bench.model.will_answer({text_of_model("Done.")});
  bench.turn("go");
  bench.folder.put("session/subagents/agent-1.jsonl",
                   "{\"type\":\"journal\",\"version\":2}\n"
                   "{\"type\":\"intent\",\"call\":\"call_0-2\",\"tool\":\"Do\",\"input\":{}}\n");
  bench.reopen();
  bench.model.will_answer({call_of_model("call_0", "Do")});
  bench.model.will_answer({text_of_model("Done.")});
  bench.turn("again");
  EXPECT_NE(bench.journal_text().find("\"call\":\"call_0-3\""), std::string::npos);
}

TEST(ResumedAgent, SessionsInUseAreNotOpenedTwice) {
  AgentBench bench;
  bench.agent();
  EXPECT_EQ(Agent::open(bench.options, bench.model, bench.frontend).error().code, Errc::denied);
}

TEST(ResumedAgent, LinesThatStandThereTwiceDoNoHarm) {
  std::string doubled;
  {
    AgentBench bench;
    bench.add_effect("Do");
    bench.model.will_answer({text_of_model("I do."), call_of_model("1", "Do"), call_of_model("2", "Do")});
    bench.model.will_answer({text_of_model("Done.")});
    bench.turn("go");
    std::istringstream lines(bench.journal_text());
    for (std::string line; std::getline(lines, line);) doubled += line + "\n" + (doubled.empty() ? "" : line + "\n");
  }
  AgentBench bench;
  bench.add_effect("Do");
  bench.folder.put("session/journal.jsonl", doubled, 0600);
  bench.model.will_answer({text_of_model("On it goes.")});
  ASSERT_EQ(bench.turn("go on").reason, TurnReason::completed);
  EXPECT_EQ(history_problem(*bench.model.requests()[0].history), std::nullopt);
  EXPECT_TRUE(bench.effects.empty());
}

TEST(ResumedAgent, RemovesWhatAKilledCallHasLeftBesideItsFile) {
  AgentBench bench;
  const std::string call = to_json(JsonObject{
      {"type", "message"}, {"content", R"([{"type":"tool_use","id":"1","name":"Edit","input":{}}])"}, {"uuid", "u"}});
  bench.folder.put("session/journal.jsonl",
                   "{\"type\":\"journal\",\"version\":2}\n" + call +
                       "\n{\"type\":\"intent\",\"call\":\"1\",\"tool\":\"Edit\",\"input\":{}}\n");
  const FileChange change{.path = bench.folder / "a", .before = content_id("old"), .after = content_id("new")};
  ASSERT_EQ(FileChanges(bench.folder / "session").keep(change, "old"), "");
  const std::string left = temporary_name("a");
  bench.folder.put(left, "ne");
  bench.agent();
  EXPECT_EQ(bench.folder.bytes(left), std::nullopt);
}

// Every moment at which the process could have ended: the journal as it was then.
TEST(ResumedAgent, HasAValidHistoryAndNoEffectTwiceWhereverTheJournalEnds) {
  std::string whole;
  {
    AgentBench bench;
    bench.add_reader("Look");
    bench.add_effect("Do");
    bench.model.will_answer(
        {text_of_model("I do."), call_of_model("1", "Do"), call_of_model("2", "Look"), call_of_model("3", "Do")});
    bench.model.will(broken_stream_of({call_of_model("4", "Look"), text_of_model("x")}, 2));
    bench.model.will_answer({call_of_model("5", "Look")});
    bench.model.will_answer({text_of_model("Done.")});
    EXPECT_EQ(bench.turn("go").reason, TurnReason::completed);
    whole = bench.journal_text();
  }
  // At every end of a line, before it, and somewhere inside.
  std::vector<std::size_t> ends;
  for (std::size_t end = whole.find('\n') + 1; end < whole.size(); end = whole.find('\n', end) + 1) {
    ends.insert(ends.end(), {end, (end + whole.find('\n', end)) / 2, whole.find('\n', end)});
  }
  ends.push_back(whole.size());
  for (const std::size_t end : ends) {
    AgentBench bench;
    bench.add_effect("Do");
    bench.folder.put("session/journal.jsonl", whole.substr(0, end), 0600);
    bench.model.will_answer({text_of_model("On it goes.")});
    ASSERT_EQ(bench.turn("go on").reason, TurnReason::completed) << end;
    ASSERT_EQ(history_problem(*bench.model.requests()[0].history), std::nullopt) << end;
    const History told = bench.history();
    bench.reopen();
    ASSERT_EQ(bench.history().size(), told.size()) << end;
    for (std::size_t i = 0; i < told.size(); ++i) ASSERT_EQ(bench.history()[i].content, told[i].content) << end;
    ASSERT_EQ(bench.agent().interrupted_calls(), 0U) << end;
    ASSERT_TRUE(bench.effects.empty());
  }
}

}  // namespace
}  // namespace deft
