#include "deft/agent/subagents.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <future>
#include <thread>

#include "deft/testing/agent_bench.h"
#include "deft/tools/task_tools.h"

// The main agent of these tests has no system prompt, its subagents have that of their type: that is how the scripted
// model knows who asks.

namespace deft {
namespace {

using enum HookEvent;

bool is_main(const ModelRequest& request) { return request.system.empty(); }
bool has_results(const ModelRequest& request) {
  return request.history->back().content.find("tool_result") != std::string::npos;
}
std::string last_words(const ModelRequest& request) { return request.history->back().content; }

Json task(std::string prompt, JsonObject more = {}) {
  more["description"] = "a task";
  more["prompt"] = std::move(prompt);
  return more;
}

class SubagentsTest : public ::testing::Test {
 protected:
  ~SubagentsTest() override { bench.reopen(); }  // the agent goes first

  void open() {
    bench.options.children = nullptr;
    bench.reopen();
    subagents.reset();
    subagent_options.tasks = tasks;
    subagents = std::make_unique<Subagents>(subagent_options, bench.model, bench.frontend);
    bench.options.children = &subagents->of_main();
    subagents->attach(bench.agent());
    ASSERT_TRUE(bench.agent().add_tool(make_agent_tool(*subagents)));
  }
  // The main agent makes one message of these calls, and then says "done".
  void main_calls(std::vector<Json> inputs) {
    main_calls_ = std::move(inputs);
    bench.model.answer = [this](const ModelRequest& request) {
      if (!is_main(request)) return child ? child(request) : stream_of({text_of_model("the report")});
      if (has_results(request)) return stream_of({text_of_model("done")});
      std::vector<Block> calls;
      for (const Json& input : main_calls_) {
        calls.push_back(call_of_model("call" + std::to_string(++calls_made_), "Agent", input));
      }
      return stream_of(std::move(calls));
    };
  }
  TurnEnd delegate(Json input) {
    main_calls({std::move(input)});
    return bench.turn("go");
  }
  ToolResult answer() {
    for (const CallAnswered& answered : bench.frontend.all<CallAnswered>()) {
      if (answered.tool == "Agent") last_ = answered.result;
    }
    return last_;
  }
  std::string agent_id() { return std::string(find_string(answer().details, "agentId").value_or("")); }
  std::vector<ModelRequest> child_requests() {
    std::vector<ModelRequest> requests;
    for (ModelRequest& request : bench.model.requests()) {
      if (!is_main(request)) requests.push_back(std::move(request));
    }
    return requests;
  }
  template <class Kind>
  std::vector<Kind> of_children() {
    std::vector<Kind> found;
    for (const SubagentEvent& event : bench.frontend.all<SubagentEvent>()) {
      if (const auto* kind = std::get_if<Kind>(&event.what->event)) found.push_back(*kind);
    }
    return found;
  }

  AgentBench bench;
  SubagentOptions subagent_options;
  std::shared_ptr<BackgroundTasks> tasks = std::make_shared<BackgroundTasks>();
  std::unique_ptr<Subagents> subagents;
  std::function<std::vector<ModelEvent>(const ModelRequest&)> child;

 private:
  std::vector<Json> main_calls_;
  std::size_t calls_made_ = 0;
  ToolResult last_;
};

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
  EXPECT_EQ(find_int(result.details, "totalTokens"), 10);
  EXPECT_EQ(find_string(result.details, "prompt"), "find the answer");
  ASSERT_EQ(child_requests().size(), 2U);
  EXPECT_EQ(child_requests()[0].history->size(), 1U);  // a context of its own
  EXPECT_EQ(last_words(child_requests()[0]), R"([{"type":"text","text":"find the answer"}])");
  EXPECT_EQ(bench.agent().usage().tokens, 10U);  // the session's, subagents included
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

TEST_F(SubagentsTest, MoreThanTheLimitAreRefused) {
  open();
  main_calls(std::vector<Json>(kAgentsRunningMax + 1, task("wait")));
  child = [](const ModelRequest&) { return std::vector<ModelEvent>{}; };  // never answers
  std::jthread stopper([&] {
    bench.frontend.wait_for<SubagentEvent>(kAgentsRunningMax);
    bench.frontend.wait_for<StageEnded>();
    bench.agent().abort();
  });
  EXPECT_EQ(bench.turn("go").reason, TurnReason::aborted_tools);
  std::size_t refused = 0;
  for (const CallAnswered& answered : bench.frontend.all<CallAnswered>()) {
    if (answered.result.text.find("agents are at work already") != std::string::npos) ++refused;
  }
  EXPECT_EQ(of_children<TurnBegan>().size() + refused, kAgentsRunningMax + 1);
  EXPECT_LE(of_children<TurnBegan>().size(), kAgentsRunningMax);
}

TEST_F(SubagentsTest, ADenyRuleOfTheSessionHoldsAtEveryDepth) {
  bench.options.engine.rules = {.allow = {}, .ask = {}, .deny = {"Do"}};
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
  EXPECT_EQ(child_requests()[0].tools.find("\"Edit\""), std::string::npos);
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
  const std::string& tools = child_requests()[0].tools;
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
  EXPECT_NE(bench.model.requests()[0].tools.find("- reviewer: reviews"), std::string::npos);
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
    const bool can_start = request.tools.find("\"Agent\"") != std::string::npos;
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
  bench.options.engine.rules = {.allow = {}, .ask = {}, .deny = {"Agent(risky)"}};
  open();
  delegate(task("y", {{"resume", id}, {"subagent_type", "general-purpose"}}));
  EXPECT_EQ(answer().error, Errc::denied) << answer().text;
  delegate(task("z", {{"subagent_type", "risky"}}));
  EXPECT_EQ(answer().error, Errc::denied);
  bench.options.engine.rules = {.allow = {}, .ask = {}, .deny = {"Agent(general-purpose)"}};
  open();
  delegate(task("w"));
  EXPECT_EQ(answer().error, Errc::denied);
}

TEST_F(SubagentsTest, OneThatTheEndOfTheProcessCutOffIsReportedAsInterrupted) {
  bench.add_reader("Look");
  open();
  std::promise<void> begun;
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
  EXPECT_NE(session->history.back().content.find("Interrupted: deft was ended"), std::string::npos)
      << session->history.back().content;
}

// --- in the background ---

TEST_F(SubagentsTest, OneInTheBackgroundIsToldOfInTheNextRequestAfterItsEnd) {
  bench.options.waits_for_children = true;
  bench.add_reader("Read");
  open();
  std::promise<void> go;
  auto gone = go.get_future().share();
  bench.model.answer = [&](const ModelRequest& request) {
    if (!is_main(request)) return stream_of({text_of_model("the report")});
    if (request.history->size() == 1) {
      return stream_of({call_of_model("1", "Agent", task("x", {{"run_in_background", true}}))});
    }
    return stream_of(
        {text_of_model(last_words(request).find("the report") == std::string::npos ? "meanwhile" : "told")});
  };
  EXPECT_EQ(bench.turn("go").text, "told");
  EXPECT_EQ(find_string(answer().details, "status"), "async_launched");
  ASSERT_EQ(bench.frontend.all<TaskBegan>().size(), 1U);
  ASSERT_EQ(bench.frontend.all<TaskEnded>().size(), 1U);
  EXPECT_EQ(bench.frontend.all<TaskEnded>()[0].status, "completed");
  const auto task_of_it = tasks->look(agent_id(), BackgroundTasks::Part::all);
  ASSERT_TRUE(task_of_it);
  EXPECT_EQ(task_of_it->type, "local_agent");
  EXPECT_EQ(task_of_it->status, TaskView::Status::completed);
  EXPECT_NE(task_of_it->output.find("the report"), std::string::npos);
  EXPECT_EQ(find_string(answer().details, "outputFile"), task_of_it->output_file);
  EXPECT_FALSE(task_of_it->output_file.empty());
}

TEST_F(SubagentsTest, OneInTheBackgroundCanBeStoppedLikeACommand) {
  bench.add_reader("Read");
  bench.add_tool(make_task_stop_tool(tasks));
  open();
  bench.model.answer = [&](const ModelRequest& request) {
    if (!is_main(request)) return std::vector<ModelEvent>{};  // goes on for ever
    if (request.history->size() == 1) {
      return stream_of({call_of_model("1", "Agent", task("x", {{"run_in_background", true}}))});
    }
    if (request.history->size() == 3) {
      return stream_of({call_of_model("2", "TaskStop", JsonObject{{"task_id", agent_id()}})});
    }
    return stream_of({text_of_model("done")});
  };
  EXPECT_EQ(bench.turn("go").text, "done");
  EXPECT_EQ(bench.frontend.wait_for<TaskEnded>().status, "stopped");
  EXPECT_FALSE(bench.agent().options().children->at_work());
}

TEST_F(SubagentsTest, OneThatIsWaitedForCanBeSentToTheBackground) {
  bench.options.waits_for_children = true;
  bench.add_reader("Read");
  open();
  std::atomic<bool> is_sent = false;
  bench.model.answer = [&](const ModelRequest& request) {
    if (!is_main(request)) {
      if (!has_results(request)) {
        bench.agent().feed(MovedToBackground{"1"});
        return stream_of({call_of_model("c", "Read")});
      }
      return stream_of({text_of_model("the report")});
    }
    if (request.history->size() == 1) return stream_of({call_of_model("1", "Agent", task("x"))});
    is_sent = is_sent || last_words(request).find("works in the background") != std::string::npos;
    return stream_of({text_of_model("done")});
  };
  EXPECT_EQ(bench.turn("go").text, "done");
  EXPECT_EQ(bench.frontend.all<TaskBegan>().size() == 1, is_sent);
}

TEST_F(SubagentsTest, TheEndOfTheSessionEndsThoseInTheBackground) {
  bench.add_reader("Read");
  open();
  bench.model.answer = [&](const ModelRequest& request) {
    if (!is_main(request)) return std::vector<ModelEvent>{};
    if (request.history->size() > 1) return stream_of({text_of_model("done")});
    return stream_of({call_of_model("1", "Agent", task("x", {{"run_in_background", true}}))});
  };
  EXPECT_EQ(bench.turn("go").text, "done");
  EXPECT_TRUE(bench.agent().options().children->at_work());
  bench.reopen();
  EXPECT_EQ(bench.frontend.all<TaskEnded>().at(0).status, "stopped");
}

// --- questions ---

class SubagentQuestions : public SubagentsTest {
 protected:
  SubagentQuestions() {
    bench.options.engine.mode = Mode::normal;
    bench.options.engine.executor.asking = Asking::frontend;
    bench.add_effect("Do");
    child = [](const ModelRequest& request) {
      return has_results(request) ? stream_of({text_of_model("ok")}) : stream_of({call_of_model("c", "Do")});
    };
  }
};

TEST_F(SubagentQuestions, AreAskedInItsNameAndAnsweredThroughItsParent) {
  open();
  std::jthread person([&] {
    const auto asked = bench.frontend.wait_for<PermissionAsked>();
    EXPECT_EQ(asked.agent_type, "general-purpose");
    EXPECT_TRUE(asked.id.starts_with(asked.agent_id + ":")) << asked.id;
    bench.agent().feed(PermissionAnswer{.id = asked.id, .verdict = Verdict::allow});
  });
  EXPECT_EQ(delegate(task("do it")).text, "done");
  EXPECT_EQ(bench.effects.size(), 1U);
}

TEST_F(SubagentQuestions, ARefusalEndsNeitherItsTurnNorThatOfItsParentAndTellsItWhatToDo) {
  open();
  std::jthread person([&] {
    bench.agent().feed(PermissionAnswer{
        .id = bench.frontend.wait_for<PermissionAsked>().id, .verdict = Verdict::deny, .ends_turn = true});
  });
  EXPECT_EQ(delegate(task("do it")).text, "done");
  EXPECT_TRUE(bench.effects.empty());
  EXPECT_NE(of_children<CallAnswered>().at(0).result.text.find("say in your answer what is missing"),
            std::string::npos);
}

TEST_F(SubagentQuestions, HooksGoFirstAndPeopleAreAskedOnlyWhatTheyLeaveOpen) {
  open();
  bench.hooks.on[permission_request] = [](const HookMoment& moment, std::stop_token) {
    EXPECT_FALSE(moment.agent_id.empty());
    return HookOutcome{.permission = HookPermission{.allow = true}};
  };
  EXPECT_EQ(delegate(task("do it")).text, "done");
  EXPECT_EQ(bench.effects.size(), 1U);
  EXPECT_TRUE(bench.frontend.all<PermissionAsked>().empty());

  bench.hooks.on[permission_request] = [&](const HookMoment&, std::stop_token) {
    EXPECT_TRUE(bench.frontend.all<PermissionAsked>().empty());
    return HookOutcome{};
  };
  std::jthread person([&] {
    bench.agent().feed(
        PermissionAnswer{.id = bench.frontend.wait_for<PermissionAsked>().id, .verdict = Verdict::allow});
  });
  EXPECT_EQ(delegate(task("do it again")).text, "done");
  EXPECT_EQ(bench.effects.size(), 2U);
}

TEST_F(SubagentQuestions, WhatIsAllowedForTheSessionIsAllowedForAllOfItsAgents) {
  open();
  std::jthread person([&] {
    bench.agent().feed(PermissionAnswer{.id = bench.frontend.wait_for<PermissionAsked>().id,
                                        .verdict = Verdict::allow,
                                        .always = AlwaysAllow{.rules = {"Do"}}});
  });
  delegate(task("do it"));
  delegate(task("do it again"));
  EXPECT_EQ(bench.effects.size(), 2U);
  EXPECT_EQ(bench.frontend.all<PermissionAsked>().size(), 1U);
}

TEST_F(SubagentQuestions, AreDeniedWhereNobodyCanBeAsked) {
  bench.options.engine.executor.asking = Asking::nobody;
  open();
  EXPECT_EQ(delegate(task("do it")).text, "done");
  EXPECT_TRUE(bench.effects.empty());
  EXPECT_NE(of_children<CallAnswered>().at(0).result.text.find("nobody can be asked"), std::string::npos);
}

TEST_F(SubagentQuestions, PlanModeIsPassedOn) {
  bench.options.engine.mode = Mode::plan;
  subagent_options.types = {{.name = "eager", .description = "e", .prompt = "You.", .mode = Mode::accept_edits}};
  open();
  EXPECT_EQ(delegate(task("do it", {{"subagent_type", "eager"}})).text, "done");
  EXPECT_TRUE(bench.effects.empty());
  EXPECT_TRUE(bench.frontend.all<PermissionAsked>().empty());
}

}  // namespace
}  // namespace deft
