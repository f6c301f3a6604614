#include "deft/agent/executor.h"

#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <future>
#include <latch>

#include "deft/testing/engine_bench.h"

namespace deft {
namespace {

using Texts = std::vector<std::string>;

Texts texts(const EngineBench& bench) {
  Texts found;
  for (const CallAnswered& answered : bench.answers()) found.push_back(answered.result.text);
  return found;
}

LambdaTool::Parts echo_tool() {
  return {.spec = {.name = "Echo", .on_interrupt = OnInterrupt::cancel},
          .run = [](const Json& input, ToolIo&) -> Result<ToolResult> {
            return ToolResult{.text = std::string(find_string(input, "text").value_or("nothing"))};
          },
          .is_read_only = [](const Json&) { return true; }};
}

// Blocks until it is released or stopped; says which.
class Gate {
 public:
  LambdaTool::Parts tool(std::string name, bool read_only = false, OnInterrupt on_interrupt = OnInterrupt::block,
                         bool shell = false) {
    return {.spec = {.name = std::move(name), .on_interrupt = on_interrupt, .failure_cancels_siblings = shell},
            .run = [this](const Json&, ToolIo& io) -> Result<ToolResult> {
              started_.count_down();
              std::unique_lock lock(mutex_);
              const bool released = changed_.wait(lock, io.stop, [this] { return open_; });
              if (!released) return fail(Errc::cancelled, "");
              return ToolResult{.text = "released"};
            },
            .is_read_only = [read_only](const Json&) { return read_only; }};
  }
  void wait_until_started() { started_.wait(); }
  void open() {
    {
      const std::lock_guard lock(mutex_);
      open_ = true;
    }
    changed_.notify_all();
  }

 private:
  std::latch started_{1};
  std::mutex mutex_;
  std::condition_variable_any changed_;
  bool open_ = false;
};

TEST(Executor, AnswersEveryCallOnceAndInOrder) {
  EngineBench bench;
  bench.add_tool(echo_tool());
  for (int i = 0; i < 200; ++i) bench.call("t" + std::to_string(i), "Echo", JsonObject{{"text", std::to_string(i)}});
  const auto summary = bench.finish();
  EXPECT_EQ(summary.calls, 200U);
  EXPECT_EQ(summary.errors, 0U);
  const auto answers = bench.answers();
  ASSERT_EQ(answers.size(), 200U);
  for (int i = 0; i < 200; ++i) EXPECT_EQ(answers[static_cast<std::size_t>(i)].result.text, std::to_string(i));
}

TEST(Executor, SafeCallsReallyOverlapUpToTheCap) {
  EngineBench bench({.executor = {.slots = 4}});
  std::barrier together(4);  // passes only when four calls are in it at once
  bench.add_tool({.spec = {.name = "Meet"},
                  .run = [&](const Json&, ToolIo&) -> Result<ToolResult> {
                    together.arrive_and_wait();
                    return ToolResult{.text = "met"};
                  },
                  .is_read_only = [](const Json&) { return true; }});
  for (int i = 0; i < 8; ++i) bench.call("t" + std::to_string(i), "Meet");
  EXPECT_EQ(bench.finish().errors, 0U);
}

TEST(Executor, ACallThatCanOnlyFailIsAnsweredWithItsReason) {
  EngineBench bench;
  bench.add_tool(
      {.spec = {.name = "Typed", .input_schema = *parse_json(R"({"type":"object","properties":{"n":{"type":"integer"}},
                                                           "required":["n"],"additionalProperties":false})")},
       .run = [](const Json&, ToolIo&) -> Result<ToolResult> { return ToolResult{.text = "ran"}; }});
  bench.add_tool({.spec = {.name = "Off"},
                  .run = [](const Json&, ToolIo&) -> Result<ToolResult> { return ToolResult{.text = "ran"}; },
                  .disabled = [] { return std::optional<std::string>("its server has died"); }});
  bench.call("a", "Nope");
  bench.call("b", "Typed", JsonObject{{"n", "x"}});
  bench.call("c", "Off");
  bench.call("c", "Typed", JsonObject{{"n", 1}});
  bench.feed(Feed(CallArrived{{.id = "d", .name = "Typed", .input_text = "{\"n\":", .invalid = "it ends too early"}}));
  bench.finish();
  const auto answers = bench.answers();
  ASSERT_EQ(answers.size(), 5U);
  EXPECT_EQ(answers[0].result.text, "<tool_use_error>No such tool available: Nope</tool_use_error>");
  EXPECT_TRUE(answers[1].result.text.starts_with("<tool_use_error>InputValidationError:")) << answers[1].result.text;
  EXPECT_EQ(answers[2].result.error, Errc::tool_disabled);
  EXPECT_NE(answers[2].result.text.find("its server has died"), std::string::npos);
  EXPECT_EQ(answers[3].result.error, Errc::duplicate_id);
  EXPECT_EQ(answers[4].result.error, Errc::invalid_json);
  EXPECT_NE(answers[4].result.text.find("INVALID_JSON"), std::string::npos);
}

TEST(Executor, AFailedShellCancelsLaterShellsAndTheTurnGoesOn) {
  EngineBench bench({.executor = {.slots = 4}});
  Gate gate;
  bench.add_tool(gate.tool("Wait", /*read_only=*/true, OnInterrupt::block, /*shell=*/true));
  bench.add_tool({.spec = {.name = "Fail", .failure_cancels_siblings = true},
                  .run = [&](const Json&, ToolIo&) -> Result<ToolResult> {
                    gate.wait_until_started();
                    return fail(Errc::failed, "Exit code 1");
                  },
                  .is_read_only = [](const Json&) { return true; }});
  bench.add_tool(echo_tool());
  bench.call("1", "Fail", JsonObject{{"command", "mkdir x"}});
  bench.call("2", "Wait");
  bench.call("3", "Echo", JsonObject{{"text", "goes on"}});
  bench.finish();
  EXPECT_EQ(texts(bench),
            (Texts{"Exit code 1",
                   "<tool_use_error>Cancelled: parallel tool call Fail(mkdir x) errored</tool_use_error>", "goes on"}));
}

TEST(Executor, AnAbortAnswersEverythingAndEndsTheTurn) {
  EngineBench bench({.executor = {.slots = 1}});
  Gate gate;
  bench.add_tool(gate.tool("Wait"));
  bench.call("1", "Wait");
  bench.call("2", "Wait");
  gate.wait_until_started();
  bench.feed(Feed(Aborted{}));
  const auto summary = bench.finish();
  EXPECT_TRUE(summary.aborted);
  EXPECT_EQ(texts(bench),
            (Texts{"<tool_use_error>Cancelled: the user aborted; it was stopped before it finished</tool_use_error>",
                   "<tool_use_error>Cancelled: the user aborted; it was not started</tool_use_error>"}));
  EXPECT_EQ(bench.frontend.all<Notice>().size(), 1U);
}

TEST(Executor, AnInterruptLetsBlockingCallsFinish) {
  EngineBench bench({.executor = {.slots = 4}});
  Gate stops;
  Gate blocks;
  bench.add_tool(stops.tool("Stops", true, OnInterrupt::cancel));
  bench.add_tool(blocks.tool("Blocks", true, OnInterrupt::block));
  bench.call("1", "Stops");
  bench.call("2", "Blocks");
  stops.wait_until_started();
  blocks.wait_until_started();
  bench.feed(Feed(Interrupted{}));
  bench.frontend.wait_for<CallAnswered>();
  blocks.open();
  bench.finish();
  EXPECT_EQ(texts(bench),
            (Texts{"<tool_use_error>Cancelled: the user sent a new message instead; it was stopped before "
                   "it finished</tool_use_error>",
                   "released"}));
}

TEST(Executor, ADiscardedMessageNeverExistedAndItsIdsMayComeAgain) {
  EngineBench bench;
  Gate gate;
  bench.add_tool(gate.tool("Wait", /*read_only=*/true));
  bench.add_tool(echo_tool());
  bench.call("1", "Wait");
  gate.wait_until_started();
  bench.feed(Feed(StreamBroke{}));
  bench.call("1", "Echo", JsonObject{{"text", "again"}});
  bench.finish();
  EXPECT_EQ(texts(bench), Texts{"again"});
  EXPECT_FALSE(bench.frontend.all<MessageDiscarded>().at(0).kept);
}

TEST(Executor, AMessageWhoseEffectHasBegunIsKept) {
  EngineBench bench;
  Gate gate;
  bench.add_tool(gate.tool("Write", /*read_only=*/false));
  bench.call("1", "Write");
  gate.wait_until_started();
  bench.feed(Feed(StreamBroke{}));
  EXPECT_TRUE(bench.frontend.wait_for<MessageDiscarded>().kept);
  gate.open();
  bench.finish();
  EXPECT_EQ(texts(bench), Texts{"released"});
}

TEST(Executor, TheNextMessageBeginsWhenTheOneBeforeIsAnswered) {
  EngineBench bench;
  Gate gate;
  std::atomic<bool> first_done = false;
  bench.add_tool(gate.tool("Wait", true));
  bench.add_tool({.spec = {.name = "Look"},
                  .run = [&](const Json&, ToolIo&) -> Result<ToolResult> {
                    return ToolResult{.text = first_done ? "after" : "before"};
                  },
                  .is_read_only = [](const Json&) { return true; }});
  bench.call("1", "Wait");
  bench.feed(Feed(MessageEnded{}));
  bench.call("2", "Look");
  gate.wait_until_started();
  first_done = true;
  gate.open();
  bench.finish();
  EXPECT_EQ(texts(bench), (Texts{"released", "after"}));
}

TEST(Executor, AQuestionIsParkedAndItsAnswerLetsTheCallRun) {
  EngineBench bench({.executor = {.slots = 1, .asking = Asking::frontend}, .mode = Mode::normal});
  bench.add_tool({.spec = {.name = "Act"}, .run = [](const Json& input, ToolIo&) -> Result<ToolResult> {
                    return ToolResult{.text = "did " + to_json(input)};
                  }});
  bench.call("1", "Act", JsonObject{{"a", 1}});
  const auto asked = bench.frontend.wait_for<PermissionAsked>();
  EXPECT_EQ(asked.call.id, "1");
  bench.feed(Feed(PermissionAnswer{.id = asked.id, .verdict = Verdict::allow, .updated_input = JsonObject{{"a", 2}}}));
  bench.frontend.wait_for<CallAnswered>();
  bench.feed(Feed(PermissionAnswer{.id = asked.id, .verdict = Verdict::allow}));  // an answer belongs to one request
  bench.feed(Feed(MessageEnded{}));
  bench.call("2", "Act");
  const auto second = bench.frontend.wait_for<PermissionAsked>(2);
  EXPECT_NE(second.id, asked.id);
  bench.feed(Feed(PermissionAnswer{.id = second.id, .verdict = Verdict::deny, .feedback = "use the other one"}));
  bench.frontend.wait_for<CallAnswered>(2);
  bench.finish();
  EXPECT_EQ(texts(bench), (Texts{"did {\"a\":2}",
                                 "<tool_use_error>The user did not allow this call of Act. They said: use the other "
                                 "one</tool_use_error>"}));
}

TEST(Executor, WithoutAnyoneToAskAQuestionIsADenial) {
  EngineBench bench({.mode = Mode::normal});
  bench.add_tool({.spec = {.name = "Act"},
                  .run = [](const Json&, ToolIo&) -> Result<ToolResult> { return ToolResult{.text = "did it"}; }});
  bench.call("1", "Act");
  bench.finish();
  EXPECT_EQ(bench.answers().at(0).result.error, Errc::denied);
}

TEST(Executor, AQuestionThatNobodyAnswersEndsWithTheInput) {
  EngineBench bench({.executor = {.asking = Asking::frontend}, .mode = Mode::normal});
  bench.add_tool({.spec = {.name = "Act"},
                  .run = [](const Json&, ToolIo&) -> Result<ToolResult> { return ToolResult{.text = "did it"}; }});
  bench.call("1", "Act");
  bench.frontend.wait_for<PermissionAsked>();
  bench.finish();
  EXPECT_EQ(bench.answers().at(0).result.error, Errc::denied);
}

TEST(Executor, ADenyRuleHoldsAgainstAHookThatAllows) {
  EngineBench bench({.mode = Mode::bypass, .rules = {.deny = {*parse_rule("Act(rm *)"), *parse_rule("Never")}}});
  bench.hooks.on[HookEvent::pre_tool_use] = [](const HookMoment&, std::stop_token) {
    return HookOutcome{.verdict = HookVerdict::allow};
  };
  const auto run = [](const Json&, ToolIo&) -> Result<ToolResult> { return ToolResult{.text = "did it"}; };
  bench.add_tool({.spec = {.name = "Act"}, .run = run});
  bench.add_tool({.spec = {.name = "Never"}, .run = run});
  bench.call("1", "Act");
  bench.call("2", "Never");
  bench.finish();
  EXPECT_EQ(bench.answers().at(0).result.error, Errc::denied);
  EXPECT_EQ(bench.answers().at(1).result.error, Errc::denied);
}

TEST(Executor, AHookThatReplacesTheInputMakesTheCallWaitForWhatItNowConflictsWith) {
  EngineBench bench({.executor = {.slots = 4}});
  Gate gate;
  std::atomic<bool> first_ended = false;
  std::atomic<bool> overlapped = false;
  const auto footprint = [&](const Json& input) {
    return std::optional(Footprint::writes(bench.folder / std::string(find_string(input, "path").value_or("none"))));
  };
  auto slow = gate.tool("Slow");
  slow.footprint = footprint;
  slow.run = [inner = slow.run, &first_ended](const Json& input, ToolIo& io) {
    auto result = inner(input, io);
    first_ended = true;
    return result;
  };
  bench.add_tool(std::move(slow));
  bench.add_tool({.spec = {.name = "Quick"},
                  .run = [&](const Json& input, ToolIo&) -> Result<ToolResult> {
                    overlapped = !first_ended;
                    return ToolResult{.text = std::string(*find_string(input, "path"))};
                  },
                  .footprint = footprint});
  bench.hooks.on[HookEvent::pre_tool_use] = [&](const HookMoment& moment, std::stop_token) {
    if (moment.call->name != "Quick") return HookOutcome{};
    return HookOutcome{.updated_input = JsonObject{{"path", "a"}}};
  };
  bench.call("1", "Slow", JsonObject{{"path", "a"}});
  bench.call("2", "Quick", JsonObject{{"path", "b"}});
  gate.wait_until_started();
  // The replaced call is back in the queue as soon as its hook stage has ended and nothing else happens.
  gate.open();
  bench.finish();
  EXPECT_EQ(texts(bench), (Texts{"released", "a"}));
  EXPECT_FALSE(overlapped);
}

TEST(Executor, AWaitHoldsNoSlotAndEndsInTime) {
  EngineBench bench({.executor = {.slots = 1}});
  bench.add_tool(
      {.spec = {.name = "Nap"},
       .run = [](const Json&, ToolIo&) -> Result<ToolResult> { return ToolResult{.text = "awake"}; },
       .is_read_only = [](const Json&) { return true; },
       .footprint = [](const Json&) { return std::optional(Footprint::nothing()); },
       .wait_for = [](const Json&, ToolIo&) { return std::optional(Wait{.at_most = std::chrono::milliseconds(1)}); }});
  for (int i = 0; i < 50; ++i) bench.call("t" + std::to_string(i), "Nap");
  bench.finish();
  EXPECT_EQ(texts(bench), Texts(50, "awake"));
}

TEST(Executor, AToolOfTheHostIsCalledAndAnsweredThroughTheSameStages) {
  EngineBench bench;
  bench.add_tool({.spec = {.name = "Remote"},
                  .run = [](const Json&, ToolIo& io) -> Result<ToolResult> {
                    return ToolResult{.text = io.answer ? to_json(*io.answer) : "no answer"};
                  },
                  .wait_for = [](const Json&, ToolIo&) { return std::optional(Wait{.for_host = true}); }});
  bench.call("1", "Remote", JsonObject{{"q", 1}});
  bench.frontend.wait_for<HostCallMade>();
  bench.feed(Feed(HostAnswer{.call_id = "1", .answer = JsonObject{{"content", "42"}}}));
  bench.frontend.wait_for<CallAnswered>();
  bench.finish();
  EXPECT_EQ(texts(bench), Texts{R"({"content":"42"})"});
  EXPECT_NE(bench.journal_text().find("\"intent\""), std::string::npos);
}

TEST(Executor, AHostMayAnswerBeforeItWasAskedAndOnlyOnce) {
  EngineBench bench;
  bench.add_tool({.spec = {.name = "Remote"},
                  .run = [](const Json&, ToolIo& io) -> Result<ToolResult> {
                    return ToolResult{.text = io.answer ? to_json(*io.answer) : "no answer"};
                  },
                  .wait_for = [](const Json&, ToolIo&) { return std::optional(Wait{.for_host = true}); }});
  bench.feed(Feed(HostAnswer{.call_id = "1", .answer = 42}));
  bench.call("1", "Remote");
  bench.frontend.wait_for<CallAnswered>();
  bench.feed(Feed(HostAnswer{.call_id = "1", .answer = 43}));
  bench.finish();
  EXPECT_EQ(texts(bench), Texts{"42"});
  EXPECT_EQ(bench.frontend.all<Notice>().size(), 1U);
}

TEST(Executor, CallsWithRelativePathsOverlapAsThoseWithAbsoluteOnesDo) {
  EngineBench bench({.executor = {.slots = 4}});
  std::barrier together(3);  // passes only when three calls are in it at once
  bench.add_tool({.spec = {.name = "Edit", .path_fields = {"file_path"}},
                  .run = [&](const Json& input, ToolIo&) -> Result<ToolResult> {
                    together.arrive_and_wait();
                    return ToolResult{.text = std::string(*find_string(input, "file_path"))};
                  },
                  .footprint =
                      [](const Json& input) {
                        return std::optional(Footprint::writes(std::string(*find_string(input, "file_path"))));
                      }});
  bench.call("1", "Edit", JsonObject{{"file_path", "a.txt"}});
  bench.call("2", "Edit", JsonObject{{"file_path", "../b.txt"}});
  bench.call("3", "Edit", JsonObject{{"file_path", bench.folder / "c.txt"}});
  bench.finish();
  EXPECT_EQ(texts(bench)[0], bench.folder / "a.txt");
}

TEST(Executor, AThrowingToolIsAnErrorResult) {
  EngineBench bench;
  bench.add_tool({.spec = {.name = "Throws"},
                  .run = [](const Json&, ToolIo&) -> Result<ToolResult> { throw std::runtime_error("boom"); },
                  .is_read_only = [](const Json&) -> bool { throw std::runtime_error("cannot say"); }});
  bench.call("1", "Throws");
  bench.finish();
  EXPECT_EQ(bench.answers().at(0).result.error, Errc::internal);
  EXPECT_NE(bench.journal_text().find("\"intent\""), std::string::npos)
      << "what cannot say that it only reads, may write";
}

TEST(Executor, AWorkerThatDoesNotStopIsAnsweredFor) {
  EngineBench bench({.executor = {.stop_grace = std::chrono::milliseconds(5)}});
  std::promise<void> release;
  std::latch started(1);
  bench.add_tool(
      {.spec = {.name = "Stuck"},
       .run = [&started, released = release.get_future().share()](const Json&, ToolIo&) -> Result<ToolResult> {
         started.count_down();
         released.wait();  // its own: the test may be over before it gets here
         return ToolResult{.text = "too late"};
       }});
  bench.call("1", "Stuck");
  started.wait();
  bench.feed(Feed(Aborted{}));
  const auto answered = bench.frontend.wait_for<CallAnswered>();
  release.set_value();
  EXPECT_EQ(answered.result.error, Errc::cancelled);
  EXPECT_NE(answered.result.text.find("may still be running"), std::string::npos);
  EXPECT_EQ(bench.finish().stuck_workers, 1U);
}

TEST(Executor, CollectedMessagesRunAsBatchesWhenTheyEnd) {
  EngineBench bench({.executor = {.streaming = false}});
  std::atomic<int> running = 0;
  std::atomic<int> most = 0;
  bench.add_tool({.spec = {.name = "Edit"},
                  .run = [&](const Json&, ToolIo&) -> Result<ToolResult> {
                    most = std::max<int>(most, ++running);
                    --running;
                    return ToolResult{.text = "ok"};
                  },
                  .footprint =
                      [](const Json& input) {
                        return std::optional(Footprint::writes(std::string(*find_string(input, "path"))));
                      }});
  for (int i = 0; i < 20; ++i)
    bench.call("t" + std::to_string(i), "Edit", JsonObject{{"path", "/" + std::to_string(i)}});
  EXPECT_TRUE(bench.answers().empty());
  bench.finish();
  EXPECT_EQ(texts(bench), Texts(20, "ok"));
  EXPECT_EQ(most, 1);
}

TEST(Executor, ALargeResultIsStoredAndAnEmptyOneIsFilled) {
  EngineBench bench;
  bench.add_tool({.spec = {.name = "Big"}, .run = [](const Json&, ToolIo&) -> Result<ToolResult> {
                    return ToolResult{.text = std::string(60'000, 'x')};
                  }});
  bench.add_tool(
      {.spec = {.name = "Empty"}, .run = [](const Json&, ToolIo&) -> Result<ToolResult> { return ToolResult{}; }});
  bench.call("../../x", "Big");
  bench.call("2", "Empty");
  bench.finish();
  const std::string text = bench.answers().at(0).result.text;
  EXPECT_TRUE(text.starts_with("<persisted-output>\nOutput too large (58.6 KB). Full output saved to: " +
                               bench.folder.path() + "/session/tool-results/"))
      << text.substr(0, 200);
  EXPECT_EQ(bench.answers().at(1).result.text, "(Empty completed with no output)");
}

TEST(Executor, TheJournalHoldsTheIntentBeforeTheResult) {
  EngineBench bench;
  std::string journal_while_running;
  bench.add_tool({.spec = {.name = "Act"}, .run = [&](const Json&, ToolIo&) -> Result<ToolResult> {
                    journal_while_running = bench.journal_text();
                    return ToolResult{.text = "done"};
                  }});
  bench.call("1", "Act", JsonObject{{"x", 1}});
  bench.finish();
  EXPECT_TRUE(journal_while_running.starts_with(R"({"type":"journal")"));
  EXPECT_NE(journal_while_running.find(R"("version":2)"), std::string::npos);
  EXPECT_NE(journal_while_running.find(R"("type":"intent")"), std::string::npos);
  EXPECT_EQ(journal_while_running.find(R"("type":"result")"), std::string::npos);
  EXPECT_NE(bench.journal_text().find(R"("type":"result")"), std::string::npos);
}

TEST(Executor, LaterCallsSeeTheWorkingDirectoryThatAnEarlierOneSet) {
  EngineBench bench;
  bench.folder.put("sub/a.txt", "x");
  bench.add_tool({.spec = {.name = "Go"}, .run = [&](const Json&, ToolIo&) -> Result<ToolResult> {
                    return ToolResult{.text = "gone", .modifiers = {WorkingDirectoryChanged{bench.folder / "sub"}}};
                  }});
  bench.add_tool({.spec = {.name = "Path", .path_fields = {"file_path"}},
                  .run = [](const Json& input, ToolIo&) -> Result<ToolResult> {
                    return ToolResult{.text = std::string(*find_string(input, "file_path"))};
                  },
                  .is_read_only = [](const Json&) { return true; },
                  .footprint =
                      [](const Json& input) {
                        return std::optional(Footprint::reads(std::string(*find_string(input, "file_path"))));
                      }});
  bench.call("1", "Path", JsonObject{{"file_path", "a.txt"}});
  bench.call("2", "Go");
  bench.call("3", "Path", JsonObject{{"file_path", "a.txt"}});
  bench.finish();
  EXPECT_EQ(texts(bench), (Texts{bench.folder / "a.txt", "gone", bench.folder / "sub/a.txt"}));
  EXPECT_EQ(bench.session().working_directory, bench.folder / "sub");
}

// Says which file it was asked for; leaves behind that it was seen.
LambdaTool::Parts path_tool(bool read_only) {
  return {.spec = {.name = "Path", .path_fields = {"file_path"}},
          .run = [read_only](const Json& input, ToolIo&) -> Result<ToolResult> {
            ToolResult result{.text = std::string(*find_string(input, "file_path"))};
            if (read_only) result.modifiers = {FileWasSeen{{.path = result.text}}};
            return result;
          },
          .is_read_only = [read_only](const Json&) { return read_only; },
          .footprint =
              [read_only](const Json& input) {
                const std::string path(*find_string(input, "file_path"));
                return std::optional(read_only ? Footprint::reads(path) : Footprint::writes(path));
              }};
}

TEST(Executor, ARelativePathIsTakenWhileModifiersOfOtherCallsAreNotAppliedYet) {
  EngineBench bench;
  Gate gate;
  bench.add_tool(gate.tool("Gate", /*read_only=*/true));
  bench.add_tool(path_tool(true));
  bench.call("1", "Gate");
  bench.call("2", "Path", JsonObject{{"file_path", bench.folder / "a.txt"}});
  for (std::size_t n = 1; bench.frontend.wait_for<ProgressChanged>(n).ended != Texts{"2"};) ++n;
  bench.call("3", "Path", JsonObject{{"file_path", "b.txt"}});
  gate.open();
  bench.finish();
  EXPECT_EQ(texts(bench), (Texts{"released", bench.folder / "a.txt", bench.folder / "b.txt"}));
}

TEST(Executor, PathsAreMadeAbsoluteWhateverTheSchedulingIs) {
  for (const bool streaming : {true, false}) {
    EngineBench bench({.executor = {.scheduling = Scheduling::exclusive, .streaming = streaming}});
    bench.add_tool(path_tool(false));
    bench.call("1", "Path", JsonObject{{"file_path", "sub/../b.txt"}});
    bench.finish();
    EXPECT_EQ(texts(bench), Texts{bench.folder / "b.txt"});
  }
}

// Judged on the link's own name, a write through it would pass for one inside the directories.
TEST(Executor, PermissionIsJudgedOnTheRealPathWhateverTheSchedulingIs) {
  for (const Scheduling scheduling : {Scheduling::footprints, Scheduling::exclusive}) {
    const TempFolder outside;
    EngineBench bench({.executor = {.scheduling = scheduling}, .mode = Mode::accept_edits});
    std::filesystem::create_symlink(outside.path(), bench.folder / "link");
    bench.add_tool(path_tool(false));
    bench.call("inside", "Path", JsonObject{{"file_path", bench.folder / "a.txt"}});
    bench.call("outside", "Path", JsonObject{{"file_path", bench.folder / "link/a.txt"}});
    bench.finish();
    EXPECT_FALSE(bench.answers()[0].result.is_error());
    EXPECT_EQ(bench.answers()[1].result.error, Errc::denied);
  }
}

TEST(Executor, ACallThatMayTouchAnythingIsNoEditInsideTheDirectories) {
  EngineBench bench({.mode = Mode::accept_edits});
  LambdaTool::Parts tool = echo_tool();
  tool.is_read_only = nullptr;
  tool.footprint = [](const Json&) { return std::optional(Footprint::everything()); };
  bench.add_tool(std::move(tool));
  bench.call("1", "Echo");
  bench.finish();
  EXPECT_EQ(bench.answers()[0].result.error, Errc::denied);
}

// The answer to a missing file may name another one, which must not have come from a later call.
TEST(Executor, ALookAtAMissingFileHoldsBackLaterWritesBesideIt) {
  EngineBench bench;
  Gate gate;
  LambdaTool::Parts look = gate.tool("Look", /*read_only=*/true);
  look.footprint = [&](const Json&) { return std::optional(Footprint::reads(bench.folder / "none/missing.txt")); };
  bench.add_tool(std::move(look));
  bench.add_tool(path_tool(false));
  bench.call("1", "Look");
  gate.wait_until_started();
  bench.call("2", "Path", JsonObject{{"file_path", bench.folder / "new.txt"}});
  const auto taken = [](const StageEnded& stage) { return stage.call_id == "2" && stage.stage == "schema"; };
  for (std::size_t n = 1; !taken(bench.frontend.wait_for<StageEnded>(n));) ++n;
  gate.open();
  bench.finish();
  for (const ProgressChanged& state : bench.frontend.all<ProgressChanged>()) EXPECT_LE(state.in_progress, 1U);
}

}  // namespace
}  // namespace deft
