#include "deft/agent/subagents.h"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <future>
#include <thread>

#include "deft/testing/subagent_bench.h"

namespace deft {
namespace {

using enum HookEvent;

TEST_F(SubagentsTest, ATaskComesBackAsAReport) {
  bench.add_reader("Look", "seen");
  open();
  child = [](const ModelRequest& request) {
    if (!has_results(request)) return stream_of({call_of_model("c", "Look")});
    return stream_of(Message{.blocks = {text_of_model("It is 42.")},
                             .stop_reason = "end_turn",
                             .usage = Json{{"input_tokens", 7}, {"output_tokens", 3}}});
  };
  EXPECT_EQ(delegate(task("find the answer")).text, "done");
  const ToolResult result = answer();
  EXPECT_FALSE(result.is_error()) << result.text;
  EXPECT_TRUE(result.text.starts_with("It is 42.")) << result.text;
  EXPECT_EQ(find_string(result.details, "status"), "completed");
  EXPECT_EQ(find_string(result.details, "agentType"), "general-purpose");
  EXPECT_EQ(find_int(result.details, "totalToolUseCount"), 1);
  EXPECT_EQ(find_int(result.details, "totalTokens"), 120);  // of two requests
  EXPECT_EQ(find_string(result.details, "prompt"), "find the answer");
  ASSERT_EQ(child_requests().size(), 2U);
  EXPECT_EQ(child_requests()[0].history->size(), 1U);  // a context of its own
  EXPECT_EQ(last_words(child_requests()[0]), R"([{"type":"text","text":"find the answer"}])");
  EXPECT_EQ(bench.agent().usage().tokens, 340U);  // the session's, subagents included
}

TEST_F(SubagentsTest, WhatHappensToItIsShownUnderTheCallThatStartedIt) {
  bench.add_reader("Look", "seen");
  open();
  child = [](const ModelRequest& request) {
    return has_results(request) ? stream_of({text_of_model("ok")}) : stream_of({call_of_model("c", "Look")});
  };
  delegate(task("look"));
  const auto events = bench.frontend.all<SubagentEvent>();
  ASSERT_FALSE(events.empty());
  for (const SubagentEvent& event : events) {
    EXPECT_EQ(event.parent_call_id, "call1");
    EXPECT_EQ(event.agent_id, agent_id());
    EXPECT_EQ(event.agent_type, "general-purpose");
  }
  EXPECT_EQ(of_children<CallAnswered>().size(), 1U);
  EXPECT_EQ(of_children<TurnEnded>().size(), 1U);
}

TEST_F(SubagentsTest, WhatTheMainAgentIsToBeRemindedOfIsNotToldToAnother) {
  std::vector<std::string> due;
  bench.options.take_reminders = [&] { return std::exchange(due, {}); };
  open();
  child = [&](const ModelRequest&) {
    due = {"the file has changed"};  // while the subagent is at work
    return stream_of({call_of_model("c", "Nothing")});
  };
  delegate(task("look", {{"max_turns", 2}}));
  for (const ModelRequest& request : child_requests()) {
    for (const HistoryMessage& message : *request.history) {
      EXPECT_EQ(message.content.find("the file has changed"), std::string::npos);
    }
  }
  EXPECT_NE(last_words(bench.model.requests().back()).find("the file has changed"), std::string::npos);
}

TEST_F(SubagentsTest, ManyWorkAtOnceAndHoldNoSlotWhileTheyDo) {
  bench.options.engine.executor.slots = 1;
  bench.add_reader("Look", "seen");
  open();
  child = [](const ModelRequest& request) {
    return has_results(request) ? stream_of({text_of_model("ok")}) : stream_of({call_of_model("c", "Look")});
  };
  main_calls({task("a"), task("b"), task("c"), task("d"), task("e")});
  EXPECT_EQ(bench.turn("go").text, "done");
  EXPECT_EQ(of_children<TurnEnded>().size(), 5U);
}

// Calls of all agents together, at any moment: ten subagents, each with ten calls, three of which may work.
TEST_F(SubagentsTest, AllAgentsOfASessionShareItsSlots) {
  bench.options.engine.executor.slots = 3;
  std::atomic<int> at_work = 0;
  std::atomic<int> most = 0;
  bench.add_tool({.spec = {.name = "Look", .input_schema = JsonObject{{"type", "object"}}},
                  .run = [&](const Json&, ToolIo&) -> Result<ToolResult> {
                    const int now = ++at_work;
                    for (int before = most; before < now && !most.compare_exchange_weak(before, now);) {
                    }
                    std::this_thread::yield();
                    --at_work;
                    return ToolResult{.text = "seen"};
                  },
                  .is_read_only = [](const Json&) { return true; }});
  open();
  child = [](const ModelRequest& request) {
    if (has_results(request)) return stream_of({text_of_model("ok")});
    std::vector<Block> calls;
    for (int i = 0; i < 10; ++i) calls.push_back(call_of_model("c" + std::to_string(i), "Look"));
    return stream_of(std::move(calls));
  };
  main_calls(std::vector<Json>(10, task("look")));
  EXPECT_EQ(bench.turn("go").text, "done");
  EXPECT_EQ(of_children<TurnEnded>().size(), 10U);
  EXPECT_EQ(of_children<CallAnswered>().size(), 100U);
  EXPECT_LE(most, 3);
}

// One slot, three levels: whoever waits for those below holds none.
TEST_F(SubagentsTest, ParentsNeverStarveTheirChildren) {
  bench.options.engine.executor.slots = 1;
  bench.add_reader("Look", "seen");
  open();
  child = [](const ModelRequest& request) {
    if (has_results(request)) return stream_of({text_of_model("ok")});
    const bool is_deepest = last_words(request).find("deep") != std::string::npos;
    if (is_deepest) return stream_of({call_of_model("c", "Look")});
    return stream_of({call_of_model("c1", "Agent", task("deep")), call_of_model("c2", "Agent", task("deep"))});
  };
  main_calls(std::vector<Json>(5, task("delegate")));
  EXPECT_EQ(bench.turn("go").text, "done");
  EXPECT_EQ(of_children<TurnEnded>().size(), 15U);
}

TEST_F(SubagentsTest, NeverMoreThanTheLimitAreAtWork) {
  open();
  main_calls(std::vector<Json>(kAgentsRunningMax + 5, task("wait")));
  std::atomic<std::size_t> at_work = 0;
  child = [&](const ModelRequest&) {
    if (++at_work == kAgentsRunningMax) bench.agent().abort();
    return std::vector<ModelEvent>{};  // never answers
  };
  EXPECT_EQ(bench.turn("go").reason, TurnReason::aborted_tools);
  EXPECT_EQ(at_work, kAgentsRunningMax);
}

TEST_F(SubagentsTest, ADenyRuleOfTheSessionHoldsAtEveryDepth) {
  bench.options.engine.rules.deny = {read_rule("Do")};
  bench.add_effect("Do");
  bench.add_reader("Look", "seen");
  open();
  child = [](const ModelRequest& request) {
    return has_results(request) ? stream_of({text_of_model("refused")}) : stream_of({call_of_model("c", "Do")});
  };
  delegate(task("do it"));
  EXPECT_TRUE(bench.effects.empty());
}

TEST_F(SubagentsTest, ExploreChangesNothingWhateverTheModeAllows) {
  bench.add_effect("Bash");
  bench.add_effect("Edit");
  bench.add_reader("Read", "text");
  open();
  child = [](const ModelRequest& request) {
    if (has_results(request)) return stream_of({text_of_model("ok")});
    return stream_of({call_of_model("b", "Bash"), call_of_model("e", "Edit"), call_of_model("r", "Read")});
  };
  delegate(task("explore", {{"subagent_type", "Explore"}}));
  EXPECT_TRUE(bench.effects.empty());
  const auto answered = of_children<CallAnswered>();
  ASSERT_EQ(answered.size(), 3U);
  EXPECT_NE(answered[0].result.text.find("only reads"), std::string::npos) << answered[0].result.text;
  EXPECT_NE(answered[1].result.text.find("No such tool"), std::string::npos) << answered[1].result.text;
  EXPECT_EQ(answered[2].result.text, "text");
  EXPECT_EQ(child_requests()[0].tools.str().find("\"Edit\""), std::string::npos);
}

TEST_F(SubagentsTest, AllowedToolsOnlyNarrow) {
  subagent_options.types = {{.name = "reader",
                             .description = "reads",
                             .prompt = "You read.",
                             .tools = std::vector<std::string>{"Read", "Look"}}};
  bench.add_reader("Read");
  bench.add_reader("Look");
  bench.add_effect("Do");
  open();
  delegate(task("x", {{"subagent_type", "reader"}, {"allowed_tools", JsonArray{"Look", "Do"}}}));
  ASSERT_EQ(child_requests().size(), 1U);
  const std::string tools = child_requests()[0].tools;
  EXPECT_NE(tools.find("\"Look\""), std::string::npos);
  EXPECT_EQ(tools.find("\"Read\""), std::string::npos);
  EXPECT_EQ(tools.find("\"Do\""), std::string::npos);

  delegate(task("y", {{"subagent_type", "reader"}, {"allowed_tools", JsonArray{"Do"}}}));
  EXPECT_NE(answer().text.find("would have no tools"), std::string::npos) << answer().text;
}

TEST_F(SubagentsTest, AnUnknownTypeNamesTheKnownOnes) {
  subagent_options.types = {{.name = "reviewer", .description = "reviews"}};
  bench.add_reader("Read");
  open();
  delegate(task("x", {{"subagent_type", "wizard"}}));
  EXPECT_NE(answer().text.find("general-purpose, Explore, Plan, Bash, reviewer"), std::string::npos) << answer().text;
  EXPECT_NE(bench.model.requests()[0].tools.str().find("- reviewer: reviews"), std::string::npos);
}

TEST_F(SubagentsTest, AnAgentAtTheLimitOfDepthHasNoAgentTool) {
  bench.add_reader("Look");
  open();
  std::atomic<int> deepest = 0;
  child = [&](const ModelRequest& request) {
    const std::string words = last_words(request);
    if (has_results(request)) return stream_of({text_of_model("ok")});
    const int depth = words.find("depth 1") != std::string::npos   ? 1
                      : words.find("depth 2") != std::string::npos ? 2
                                                                   : 3;
    deepest = std::max(deepest.load(), depth);
    const bool can_start = request.tools.str().find("\"Agent\"") != std::string::npos;
    EXPECT_EQ(can_start, depth < 3);
    if (!can_start) return stream_of({text_of_model("the bottom")});
    return stream_of({call_of_model("n", "Agent", task("depth " + std::to_string(depth + 1)))});
  };
  delegate(task("depth 1"));
  EXPECT_EQ(deepest, 3);
  EXPECT_FALSE(answer().is_error());
}

TEST_F(SubagentsTest, AbortingTheParentEndsItsChildrenAndTheirChildren) {
  bench.add_reader("Look");
  open();
  std::promise<void> at_bottom;
  child = [&](const ModelRequest& request) {
    if (last_words(request).find("deeper") != std::string::npos) {
      at_bottom.set_value();
      return std::vector<ModelEvent>{};  // says nothing any more
    }
    return stream_of({call_of_model("n", "Agent", task("deeper"))});
  };
  std::jthread stopper([&] {
    at_bottom.get_future().wait();
    bench.agent().abort();
  });
  EXPECT_EQ(delegate(task("begin")).reason, TurnReason::aborted_tools);
  EXPECT_EQ(answer().error, Errc::cancelled);
  stopper.join();
  bench.reopen();  // time is not real here: the call need not have waited for them
  EXPECT_EQ(of_children<TurnEnded>().size(), 2U);
}

TEST_F(SubagentsTest, ANewMessageOfTheUserEndsThoseThatAreWaitedFor) {
  bench.add_reader("Look");
  open();
  child = [&](const ModelRequest&) {
    bench.agent().interrupt(Prompt::of("something else"));
    return std::vector<ModelEvent>{};
  };
  EXPECT_EQ(delegate(task("begin")).reason, TurnReason::completed);
  EXPECT_EQ(answer().error, Errc::cancelled);
}

TEST_F(SubagentsTest, HooksHearOfItsStartItsEndAndItsCalls) {
  bench.add_reader("Look", "seen");
  open();
  std::mutex mutex;
  std::vector<std::string> heard;
  const auto listen = [&](const HookMoment& moment, std::stop_token) {
    const std::lock_guard lock(mutex);
    heard.push_back(std::string(to_string(moment.event)) + " " + moment.agent_type);
    if (moment.event == subagent_start) return HookOutcome{.context = {"it is Monday"}};
    return HookOutcome{};
  };
  for (const HookEvent event : {subagent_start, subagent_stop, pre_tool_use}) bench.hooks.on[event] = listen;
  child = [](const ModelRequest& request) {
    return has_results(request) ? stream_of({text_of_model("ok")}) : stream_of({call_of_model("c", "Look")});
  };
  delegate(task("look", {{"subagent_type", "general-purpose"}}));
  EXPECT_EQ(heard, (std::vector<std::string>{"PreToolUse ", "SubagentStart general-purpose",
                                             "PreToolUse general-purpose", "SubagentStop general-purpose"}));
  EXPECT_NE(last_words(child_requests()[0]).find("it is Monday"), std::string::npos);
}

TEST_F(SubagentsTest, ItsLimitOfRequestsCutsItShort) {
  bench.add_reader("Look", "seen");
  open();
  child = [n = 0](const ModelRequest&) mutable {
    return stream_of({text_of_model("still at it"), call_of_model("c" + std::to_string(++n), "Look")});
  };
  delegate(task("look", {{"max_turns", 2}}));
  EXPECT_FALSE(answer().is_error());
  EXPECT_NE(answer().text.find("did not come to its end"), std::string::npos) << answer().text;
  EXPECT_EQ(child_requests().size(), 2U);
}

TEST_F(SubagentsTest, AReportThatIsCutOffSaysSo) {
  bench.add_reader("Look");
  open();
  child = [](const ModelRequest&) { return stream_of({text_of_model("The first of three re")}, "max_tokens"); };
  delegate(task("look"));
  EXPECT_FALSE(answer().is_error());
  EXPECT_NE(answer().text.find("three re\n\nThe agent did not come to its end: its last message was cut off"),
            std::string::npos)
      << answer().text;
}

// Of which only the beginning is shown.
TEST_F(SubagentsTest, ALongReportBeginsWithWhatIsToBeKnownOfIt) {
  bench.add_reader("Look");
  open();
  child = [](const ModelRequest&) { return stream_of({text_of_model(std::string(60'000, 'x'))}, "max_tokens"); };
  delegate(task("look"));
  EXPECT_TRUE(answer().text.contains("<persisted-output>")) << answer().text.substr(0, 200);
  EXPECT_TRUE(answer().text.contains("(agent id a")) << answer().text.substr(0, 300);
  EXPECT_TRUE(answer().text.contains("its last message was cut off")) << answer().text.substr(0, 300);
}

TEST_F(SubagentsTest, BlanksAreNoReport) {
  bench.add_reader("Look");
  open();
  child = [](const ModelRequest&) { return stream_of({text_of_model(" \n")}); };
  delegate(task("look"));
  EXPECT_TRUE(answer().text.starts_with("The agent ended without a word.")) << answer().text;
}

TEST_F(SubagentsTest, OneWhoseModelFailsIsAFailureOfTheCallAlone) {
  bench.add_reader("Look");
  open();
  child = [](const ModelRequest&) {
    return std::vector<ModelEvent>{failure_of({.kind = ModelFailure::Kind::unusable, .message = "no key"})};
  };
  EXPECT_EQ(delegate(task("x")).text, "done");
  EXPECT_EQ(answer().error, Errc::failed);
  EXPECT_NE(answer().text.find("no key"), std::string::npos);
}

TEST_F(SubagentsTest, ItsModelIsThatOfTheCallElseOfTheTypeElseOfItsParent) {
  subagent_options.types = {{.name = "small", .description = "s", .prompt = "You.", .model = "haiku"},
                            {.name = "same", .description = "s", .prompt = "You.", .model = "inherit"}};
  subagent_options.model_named = [](const std::string& name) { return "claude-" + name; };
  bench.add_reader("Look");
  open();
  delegate(task("a", {{"subagent_type", "small"}}));
  delegate(task("b", {{"subagent_type", "small"}, {"model", "opus"}}));
  delegate(task("c", {{"subagent_type", "same"}}));
  delegate(task("d"));
  ASSERT_EQ(child_requests().size(), 4U);
  EXPECT_EQ(child_requests()[0].model, "claude-haiku");
  EXPECT_EQ(child_requests()[1].model, "claude-opus");
  EXPECT_EQ(child_requests()[2].model, "fake");
  EXPECT_EQ(child_requests()[3].model, "fake");
}

// --- going on ---

TEST_F(SubagentsTest, AResumedOneRemembersWhatItDid) {
  bench.add_reader("Look");
  open();
  delegate(task("first"));
  const std::string id = agent_id();
  delegate(task("second", {{"resume", id}}));
  EXPECT_EQ(agent_id(), id);
  ASSERT_EQ(child_requests().size(), 2U);
  EXPECT_EQ(child_requests()[1].history->size(), 3U);
  EXPECT_NE(last_words(child_requests()[1]).find("second"), std::string::npos);

  open();  // another process
  delegate(task("third", {{"resume", id}}));
  EXPECT_EQ(agent_id(), id);
  EXPECT_EQ(child_requests().back().history->size(), 5U);
}

TEST_F(SubagentsTest, OnlyAgentsOfThisSessionAreResumed) {
  bench.add_reader("Look");
  open();
  for (const char* id : {"a0123456789abcdef", "../../x", "", "journal"}) {
    delegate(task("x", {{"resume", id}}));
    if (*id) {
      EXPECT_NE(answer().text.find("There is no agent"), std::string::npos) << answer().text;
    }
  }
}

TEST_F(SubagentsTest, RulesAboutATypeAreAboutItsResumedAgentsToo) {
  subagent_options.types = {{.name = "risky", .description = "r", .prompt = "You."}};
  bench.add_reader("Look");
  open();
  delegate(task("x", {{"subagent_type", "risky"}}));
  const std::string id = agent_id();
  bench.options.engine.rules.deny = {read_rule("Agent(risky)")};
  open();
  delegate(task("y", {{"resume", id}, {"subagent_type", "general-purpose"}}));
  EXPECT_EQ(answer().error, Errc::denied) << answer().text;
  delegate(task("z", {{"subagent_type", "risky"}}));
  EXPECT_EQ(answer().error, Errc::denied);
  bench.options.engine.rules.deny = {read_rule("Agent(general-purpose)")};
  open();
  delegate(task("w"));
  EXPECT_EQ(answer().error, Errc::denied);
}

TEST_F(SubagentsTest, OneThatTheEndOfTheProcessCutOffIsReportedAsInterrupted) {
  bench.add_reader("Look");
  open();
  const std::string copy = bench.folder.path() + "/copy";
  child = [&](const ModelRequest&) {
    // As kill -9 would leave it.
    std::filesystem::copy(bench.folder.path() + "/session", copy, std::filesystem::copy_options::recursive);
    bench.agent().abort();
    return std::vector<ModelEvent>{};
  };
  delegate(task("x"));
  const auto session = Session::load(copy + "/journal.jsonl");
  ASSERT_TRUE(session) << session.error().message;
  EXPECT_EQ(session->interrupted_calls, 1U);
  const std::string& told = session->history.back().content;
  EXPECT_NE(told.find("Interrupted: deft was ended"), std::string::npos) << told;
  const std::string journal = std::filesystem::directory_iterator(copy + "/subagents")->path().stem();
  EXPECT_NE(told.find(journal.substr(std::string("agent-").size()) + " was at work on it: give that id as resume"),
            std::string::npos)
      << told;
}

}  // namespace
}  // namespace deft
