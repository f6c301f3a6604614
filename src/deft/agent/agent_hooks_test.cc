#include "deft/agent/agent_hooks.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>
#include <thread>

#include "deft/testing/agent_bench.h"

// Hooks around a turn: the prompt, the model's last word, the session, and what comes late.

namespace deft {
namespace {

using enum HookEvent;

std::string last_user_content(AgentBench& bench) {
  const History& history = bench.history();
  for (auto message = history.rbegin(); message != history.rend(); ++message) {
    if (message->role == Role::user) return message->content;
  }
  return {};
}

class TurnHooks : public ::testing::Test {
 protected:
  void on(HookEvent event, std::function<HookOutcome(const HookMoment&, std::stop_token)> what) {
    bench.hooks.on[event] = std::move(what);
  }
  void on(HookEvent event, HookOutcome outcome) {
    on(event, [outcome](const HookMoment&, std::stop_token) { return outcome; });
  }
  void expect_a_history_that_the_api_takes() {
    if (bench.history().empty()) return;
    History history = bench.history();
    if (history.back().role == Role::assistant) history.push_back({Role::user, R"([{"type":"text","text":"more"}])"});
    EXPECT_EQ(history_problem(history), std::nullopt);
  }

  AgentBench bench;
};

TEST_F(TurnHooks, WhatAHookAddsToAPromptFollowsIt) {
  on(user_prompt_submit, [](const HookMoment& moment, std::stop_token) {
    EXPECT_EQ(to_json(moment.fields), R"({"prompt":"hello","source":"user"})");
    return HookOutcome{.context = {"it is Monday"}};
  });
  bench.model.will_answer({text_of_model("hi")});
  EXPECT_EQ(bench.turn("hello").reason, TurnReason::completed);
  EXPECT_EQ(
      last_user_content(bench),
      R"([{"type":"text","text":"hello"},{"type":"text","text":"UserPromptSubmit hook additional context: it is Monday"}])");
}

TEST_F(TurnHooks, APromptThatIsTakenBackNeverExisted) {
  on(user_prompt_submit, HookOutcome{.blocked = true, .block_reason = "it holds a key"});
  const TurnEnd end = bench.turn("my key is 123");
  EXPECT_EQ(end.reason, TurnReason::prompt_blocked);
  EXPECT_EQ(end.explanation, "it holds a key");
  EXPECT_TRUE(bench.history().empty());
  EXPECT_TRUE(bench.model.requests().empty());
  EXPECT_TRUE(bench.frontend.all<PromptGiven>().empty());
}

TEST_F(TurnHooks, AHookMayStopTheTurnBeforeItsFirstRequest) {
  on(user_prompt_submit, HookOutcome{.stops = true, .stop_reason = "lunch"});
  const TurnEnd end = bench.turn("hello");
  EXPECT_EQ(end.reason, TurnReason::hook_stopped);
  EXPECT_EQ(end.explanation, "lunch");
  EXPECT_TRUE(bench.model.requests().empty());
  on(user_prompt_submit, HookOutcome{});
  bench.model.will_answer({text_of_model("hi")});
  EXPECT_EQ(bench.turn("again").reason, TurnReason::completed);
}

TEST_F(TurnHooks, AnAbortEndsTheHooksOfAPrompt) {
  on(user_prompt_submit, [this](const HookMoment&, std::stop_token stop) {
    bench.agent().abort();
    std::mutex mutex;
    std::condition_variable_any stopped;
    std::unique_lock lock(mutex);
    stopped.wait(lock, stop, [] { return false; });
    return HookOutcome{.cancelled = true};
  });
  EXPECT_EQ(bench.turn("hello").reason, TurnReason::aborted_streaming);
  EXPECT_TRUE(bench.model.requests().empty());
  EXPECT_TRUE(bench.history().empty());
}

TEST_F(TurnHooks, APromptThatComesMeanwhileIsJudgedToo) {
  on(user_prompt_submit, [](const HookMoment& moment, std::stop_token) {
    const bool is_bad = find_string(Json(moment.fields), "prompt") == "bad";
    return HookOutcome{.blocked = is_bad, .block_reason = is_bad ? "no" : ""};
  });
  bench.add_tool(LambdaTool::Parts{.spec = {.name = "T"}, .run = [this](const Json&, ToolIo&) -> Result<ToolResult> {
                                     bench.agent().interrupt(Prompt::of("bad"));
                                     bench.agent().interrupt(Prompt::of("good"));
                                     return ToolResult{.text = "done"};
                                   }});
  bench.model.will_answer({call_of_model("1", "T")});
  bench.model.will_answer({text_of_model("bye")});
  EXPECT_EQ(bench.turn("start").reason, TurnReason::completed);
  EXPECT_TRUE(last_user_content(bench).contains("good"));
  EXPECT_FALSE(last_user_content(bench).contains("bad"));
  expect_a_history_that_the_api_takes();
}

// --- the last word ---

TEST_F(TurnHooks, AStopHookThatObjectsKeepsTheTurnGoing) {
  std::vector<bool> active;
  on(HookEvent::stop, [&](const HookMoment& moment, std::stop_token) {
    active.push_back(*find_bool(Json(moment.fields), "stop_hook_active"));
    EXPECT_EQ(find_string(Json(moment.fields), "last_assistant_message"), active.size() == 1 ? "done?" : "done!");
    const bool objects = active.size() == 1;
    HookOutcome outcome{.blocked = objects, .block_reason = objects ? "tests fail" : ""};
    outcome.reports.push_back({.hook = "check",
                               .source = "s",
                               .end = objects ? HookReport::End::blocked : HookReport::End::fine,
                               .error = outcome.block_reason});
    return outcome;
  });
  bench.model.will_answer({text_of_model("done?")});
  bench.model.will_answer({text_of_model("done!")});
  const TurnEnd end = bench.turn("go");
  EXPECT_EQ(end.reason, TurnReason::completed);
  EXPECT_EQ(end.text, "done!");
  EXPECT_EQ(active, (std::vector<bool>{false, true}));
  EXPECT_TRUE(last_user_content(bench).contains("tests fail"));
  const auto summaries = bench.frontend.all<StopHooksRan>();
  ASSERT_EQ(summaries.size(), 2U);
  EXPECT_EQ(
      to_json(summaries[0].summary),
      R"({"hookCount":1,"hookInfos":[{"command":"check","end":"blocked"}],"hookErrors":["tests fail"],"preventedContinuation":false,"stopReason":""})");
  expect_a_history_that_the_api_takes();
}

TEST_F(TurnHooks, NoHookKeepsATurnGoingForEver) {
  on(HookEvent::stop, HookOutcome{.blocked = true, .block_reason = "more"});
  bench.model.answer = [](const ModelRequest&) { return stream_of({text_of_model("done")}); };
  EXPECT_EQ(bench.turn("go").reason, TurnReason::completed);
  EXPECT_EQ(bench.model.requests().size(), 1 + kStopContinuationsMax);
}

TEST_F(TurnHooks, ContextOfAStopHookLetsTheModelGoOnToo) {
  bool first = true;
  on(HookEvent::stop, [&](const HookMoment&, std::stop_token) {
    return std::exchange(first, false) ? HookOutcome{.context = {"one more thing"}} : HookOutcome{};
  });
  bench.model.will_answer({text_of_model("a")});
  bench.model.will_answer({text_of_model("b")});
  EXPECT_EQ(bench.turn("go").text, "b");
  EXPECT_TRUE(last_user_content(bench).contains("one more thing"));
}

TEST_F(TurnHooks, AStopHookThatSaysStopEndsTheTurn) {
  on(HookEvent::stop, HookOutcome{.blocked = true, .block_reason = "x", .stops = true, .stop_reason = "enough"});
  bench.model.will_answer({text_of_model("done")});
  EXPECT_EQ(bench.turn("go").reason, TurnReason::hook_stopped);
}

TEST_F(TurnHooks, AnAbortWhileStopHooksRunEndsTheTurn) {
  on(HookEvent::stop, [this](const HookMoment&, std::stop_token stop) {
    bench.agent().abort();
    std::mutex mutex;
    std::condition_variable_any stopped;
    std::unique_lock lock(mutex);
    stopped.wait(lock, stop, [] { return false; });
    return HookOutcome{.cancelled = true};
  });
  bench.model.will_answer({text_of_model("done")});
  EXPECT_NE(bench.turn("go").reason, TurnReason::completed);
  expect_a_history_that_the_api_takes();
}

// --- after calls ---

TEST_F(TurnHooks, StopAfterThisAnswersTheCallsAndSendsNoFurtherRequest) {
  on(pre_tool_use, HookOutcome{.stops = true, .stop_reason = "enough"});
  bench.add_reader("R");
  bench.model.will_answer({call_of_model("1", "R"), call_of_model("2", "R")});
  const TurnEnd end = bench.turn("go");
  EXPECT_EQ(end.reason, TurnReason::hook_stopped);
  EXPECT_EQ(end.explanation, "enough");
  EXPECT_EQ(bench.model.requests().size(), 1U);
  EXPECT_EQ(bench.frontend.all<CallAnswered>().size(), 2U);
  expect_a_history_that_the_api_takes();
}

TEST_F(TurnHooks, WhatBatchHooksAddFollowsTheResultsAndTheyMayStopTheTurn) {
  on(post_tool_batch, HookOutcome{.context = {"lint passed"}, .stops = true, .stop_reason = "look first"});
  bench.add_reader("R");
  bench.model.will_answer({call_of_model("1", "R")});
  EXPECT_EQ(bench.turn("go").reason, TurnReason::hook_stopped);
  EXPECT_TRUE(last_user_content(bench).contains("lint passed"));
  expect_a_history_that_the_api_takes();
}

// --- subagents, sessions ---

TEST(SubagentHooks, HaveTheirOwnStartAndStop) {
  AgentOptions options;
  options.engine.agent_id = "a1";
  options.engine.agent_type = "Explore";
  AgentBench bench(options);
  std::vector<std::string> seen;
  for (const HookEvent event : {subagent_start, subagent_stop, HookEvent::stop, user_prompt_submit}) {
    bench.hooks.on[event] = [&seen](const HookMoment& moment, std::stop_token) {
      seen.push_back(std::string(to_string(moment.event)) + " " + moment.subject + " " + moment.agent_id);
      return moment.event == subagent_start ? HookOutcome{.context = {"be brief"}} : HookOutcome{};
    };
  }
  bench.model.will_answer({text_of_model("found")});
  EXPECT_EQ(bench.turn("look").reason, TurnReason::completed);
  EXPECT_EQ(seen, (std::vector<std::string>{"SubagentStart Explore a1", "SubagentStop Explore a1"}));
  EXPECT_TRUE(bench.history().front().content.contains("be brief"));
}

TEST_F(TurnHooks, ASessionBeginsWithWhatItsHooksSay) {
  on(session_start, [](const HookMoment& moment, std::stop_token) {
    EXPECT_EQ(moment.subject, "startup");
    return HookOutcome{.context = {"the build is red"}, .session_title = "Repair", .first_prompt = "repair it"};
  });
  const SessionBegin begin = bench.agent().begin_session("startup");
  EXPECT_EQ(begin.first_prompt, "repair it");
  EXPECT_EQ(begin.title, "Repair");
  bench.model.will_answer({text_of_model("ok")});
  bench.turn("hello");
  EXPECT_EQ(
      bench.history().front().content,
      R"([{"type":"text","text":"hello"},{"type":"text","text":"SessionStart hook additional context: the build is red"}])");
}

TEST_F(TurnHooks, ASessionsEndIsTold) {
  std::string reason;
  on(session_end, [&](const HookMoment& moment, std::stop_token) {
    reason = moment.subject;
    return HookOutcome{};
  });
  bench.agent().end_session("logout");
  EXPECT_EQ(reason, "logout");
}

// --- what comes late ---

TEST_F(TurnHooks, WhatComesLateGoesWithTheNextRequest) {
  bench.add_tool(LambdaTool::Parts{
      .spec = {.name = "T"}, .run = [this](const Json&, ToolIo&) -> Result<ToolResult> {
        bench.hooks.add_late({.event = post_tool_use, .hook = "h", .context = "lint is red", .message = "m"});
        return ToolResult{.text = "done"};
      }});
  bench.model.will_answer({call_of_model("1", "T")});
  bench.model.will_answer({text_of_model("bye")});
  bench.turn("go");
  EXPECT_TRUE(last_user_content(bench).contains("lint is red"));
  EXPECT_EQ(bench.frontend.all<HookSpoke>().size(), 2U);
  expect_a_history_that_the_api_takes();
}

TEST_F(TurnHooks, AHookInTheBackgroundMayWakeTheModelUpAtTheEnd) {
  bench.model.when_asked = [this] {
    if (bench.model.requests().empty()) {
      bench.hooks.add_late({.event = post_tool_use, .hook = "h", .context = "tests fail", .wakes_model = true});
    }
  };
  bench.model.will_answer({text_of_model("done")});
  bench.model.will_answer({text_of_model("repaired")});
  EXPECT_EQ(bench.turn("go").text, "repaired");
  EXPECT_TRUE(last_user_content(bench).contains("tests fail"));
}

}  // namespace
}  // namespace deft
