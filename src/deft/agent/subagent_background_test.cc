// Subagents that nobody waits for, and what subagents have to ask.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "deft/testing/subagent_bench.h"
#include "deft/tools/task_tools.h"

namespace deft {
namespace {

using enum HookEvent;

// --- in the background ---

TEST_F(SubagentsTest, OneInTheBackgroundIsToldOfInTheNextRequestAfterItsEnd) {
  bench.options.waits_for_children = true;
  bench.add_reader("Read");
  open();
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

TEST_F(SubagentsTest, OneInTheBackgroundThatHangsIsNotWaitedForForEver) {
  bench.options.waits_for_children = true;
  bench.options.children_patience = std::chrono::milliseconds(1);
  bench.add_reader("Read");
  open();
  bench.model.answer = [&](const ModelRequest& request) {
    if (!is_main(request)) return std::vector<ModelEvent>{};  // goes on for ever
    if (request.history->size() == 1) {
      return stream_of({call_of_model("1", "Agent", task("x", {{"run_in_background", true}}))});
    }
    return stream_of({text_of_model("my last word")});
  };
  const TurnEnd end = bench.turn("go");
  EXPECT_EQ(end.reason, TurnReason::completed);
  EXPECT_EQ(end.text, "my last word");
  const auto notices = bench.frontend.all<Notice>();
  EXPECT_TRUE(std::ranges::any_of(
      notices, [](const Notice& said) { return said.text.find("still at work") != std::string::npos; }));
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
