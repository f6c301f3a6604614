#include <gtest/gtest.h>

#include <condition_variable>
#include <future>
#include <mutex>

#include "deft/testing/engine_bench.h"

// Hooks beside calls: the question that a person sees too, the whole message, changed settings, mere news.

namespace deft {
namespace {

using enum HookEvent;

LambdaTool::Parts echo(std::string name) {
  return {.spec = {.name = std::move(name),
                   .input_schema = parse_json(R"({"type":"object","properties":{"say":{"type":"string"}}})").value()},
          .run = [](const Json& input, ToolIo&) -> Result<ToolResult> {
            return ToolResult{.text = "said " + std::string(find_string(input, "say").value_or("nothing"))};
          },
          .footprint = [](const Json&) { return std::optional(Footprint::nothing()); }};
}

HookOutcome granted(std::optional<Json> input = std::nullopt) {
  return {.permission = HookPermission{.allow = true, .updated_input = std::move(input)}};
}
HookOutcome refused(std::string message, bool interrupt = false) {
  return {.permission = HookPermission{.allow = false, .message = std::move(message), .interrupt = interrupt}};
}
HookOutcome until_stopped(std::stop_token stop) {
  std::mutex mutex;
  std::condition_variable_any stopped;
  std::unique_lock lock(mutex);
  stopped.wait(lock, stop, [] { return false; });
  return {.cancelled = true};
}

class ExecutorHooks : public ::testing::Test {
 protected:
  // Before the first call.
  void on(HookEvent event, std::function<HookOutcome(const HookMoment&, std::stop_token)> what) {
    bench.hooks.on[event] = std::move(what);
  }
  void on(HookEvent event, HookOutcome outcome) {
    on(event, [outcome](const HookMoment&, std::stop_token) { return outcome; });
  }
  void call(std::string id, Json input = JsonObject()) {
    if (!has_tool_) bench.add_tool(echo("A"));
    has_tool_ = true;
    bench.call(std::move(id), "A", std::move(input));
  }
  std::string text_of(std::size_t index) const { return bench.answers().at(index).result.text; }

  EngineBench bench{{.executor = {.asking = Asking::frontend}, .mode = Mode::normal}};

 private:
  bool has_tool_ = false;
};

TEST_F(ExecutorHooks, AHookMayAnswerInAPersonsPlace) {
  on(permission_request, granted());
  call("1");
  bench.frontend.wait_for<CallAnswered>();
  bench.finish();
  EXPECT_EQ(text_of(0), "said nothing");
  EXPECT_EQ(bench.frontend.all<PermissionWithdrawn>().size(), 1U) << "the person need not answer any more";
}

TEST_F(ExecutorHooks, WhatAHookIsAskedIsWhatThePersonIs) {
  HookMoment seen;
  ToolCall call_seen;
  on(permission_request, [&](const HookMoment& moment, std::stop_token) {
    seen = moment;
    call_seen = *moment.call;
    return granted();
  });
  call("1", JsonObject{{"say", "hi"}});
  bench.frontend.wait_for<CallAnswered>();
  EXPECT_EQ(seen.subject, "A");
  EXPECT_EQ(
      to_json(seen.fields),
      R"({"tool_name":"A","tool_input":{"say":"hi"},"permission_suggestions":[{"type":"addRules","rules":[{"toolName":"A"}],"behavior":"allow","destination":"localSettings"}]})");
  EXPECT_EQ(call_seen.id, "1");
}

TEST_F(ExecutorHooks, APersonWhoIsFirstEndsTheHooks) {
  std::promise<void> stopped;
  on(permission_request, [&](const HookMoment&, std::stop_token stop) {
    until_stopped(std::move(stop));
    stopped.set_value();
    return refused("too late");
  });
  call("1");
  bench.feed(Feed(PermissionAnswer{.id = bench.frontend.wait_for<PermissionAsked>().id, .verdict = Verdict::allow}));
  stopped.get_future().wait();
  bench.frontend.wait_for<CallAnswered>();
  bench.finish();
  EXPECT_EQ(text_of(0), "said nothing");
  EXPECT_TRUE(bench.frontend.all<PermissionWithdrawn>().empty());
}

TEST_F(ExecutorHooks, AHookThatRefusesSaysWhyAndMayEndTheTurn) {
  on(permission_request, refused("not on Fridays", true));
  call("1");
  bench.frontend.wait_for<CallAnswered>();
  EXPECT_TRUE(bench.finish().aborted);
  EXPECT_TRUE(text_of(0).contains("not on Fridays")) << text_of(0);
}

TEST_F(ExecutorHooks, AHookThatHasNoOpinionOrFailsLeavesTheQuestionToThePerson) {
  std::promise<void> spoke;
  on(permission_request, [&](const HookMoment&, std::stop_token) -> HookOutcome {
    spoke.set_value();
    return {.reports = {{.hook = "h", .source = "s", .end = HookReport::End::failed, .error = "it crashed"}}};
  });
  call("1");
  const std::string id = bench.frontend.wait_for<PermissionAsked>().id;
  spoke.get_future().wait();
  bench.frontend.wait_for<HookSpoke>();
  bench.feed(Feed(PermissionAnswer{.id = id, .verdict = Verdict::allow}));
  bench.frontend.wait_for<CallAnswered>();
  bench.finish();
  EXPECT_EQ(text_of(0), "said nothing");
}

TEST_F(ExecutorHooks, AnInputThatAHookPutsInItsPlaceIsCheckedAgain) {
  on(permission_request, [](const HookMoment& moment, std::stop_token) {
    const bool is_first = moment.call->id == "1";
    return granted(is_first ? Json(JsonObject{{"say", "better"}}) : Json(JsonObject{{"say", 5}}));
  });
  call("1", JsonObject{{"say", "worse"}});
  call("2");
  bench.frontend.wait_for<CallAnswered>(2);
  bench.finish();
  EXPECT_EQ(text_of(0), "said better");
  EXPECT_TRUE(text_of(1).contains("InputValidationError")) << text_of(1);
}

TEST_F(ExecutorHooks, NoHookLiftsADenyRule) {
  EngineBench denying({.executor = {.asking = Asking::frontend},
                       .mode = Mode::normal,
                       .rules = *parse_permission_rules(*parse_json(R"-({"deny":["Bash(rm:*)"]})-"))});
  denying.hooks.on[permission_request] = [](const HookMoment&, std::stop_token) {
    return granted(JsonObject{{"command", "rm x"}});
  };
  denying.add_tool(LambdaTool::Parts{.spec = {.name = "Bash"}, .run = [](const Json&, ToolIo&) -> Result<ToolResult> {
                                       return ToolResult{.text = "ran"};
                                     }});
  denying.call("1", "Bash", JsonObject{{"command", "make"}});
  denying.frontend.wait_for<CallAnswered>();
  denying.finish();
  EXPECT_EQ(denying.answers().at(0).result.error, Errc::denied);
}

TEST_F(ExecutorHooks, WhereNobodyCanBeAskedHooksStillAre) {
  EngineBench alone({.executor = {.asking = Asking::nobody}, .mode = Mode::normal});
  alone.hooks.on[permission_request] = [](const HookMoment& moment, std::stop_token) {
    return moment.call->id == "1" ? granted() : HookOutcome{};
  };
  alone.add_tool(echo("A"));
  alone.call("1", "A");
  alone.call("2", "A");
  alone.finish();
  EXPECT_EQ(alone.answers().at(0).result.text, "said nothing");
  EXPECT_EQ(alone.answers().at(1).result.error, Errc::denied);
  EXPECT_TRUE(alone.frontend.all<PermissionAsked>().empty());
  EXPECT_TRUE(alone.frontend.all<PermissionWithdrawn>().empty());
}

TEST_F(ExecutorHooks, WhenTheInputHasEndedAHookMayStillAnswer) {
  std::promise<void> go_on;
  const auto gate = go_on.get_future().share();
  on(permission_request, [&](const HookMoment& moment, std::stop_token) {
    gate.wait();
    return moment.call->id == "1" ? granted() : HookOutcome{};
  });
  call("1");
  call("2");
  bench.frontend.wait_for<PermissionAsked>(2);
  bench.feed(Feed(InputEnded{}));
  go_on.set_value();
  bench.finish();
  EXPECT_EQ(text_of(0), "said nothing");
  EXPECT_EQ(bench.answers().at(1).result.error, Errc::denied);
}

TEST_F(ExecutorHooks, AHookMayChangeThePermissionsOfTheSession) {
  const Json updates =
      parse_json(R"([{"type":"addRules","rules":[{"toolName":"A"}],"behavior":"allow","destination":"session"},
                                      {"type":"setMode","mode":"bypassPermissions","destination":"session"},{"type":"magic"}])")
          .value();
  on(permission_request, [&](const HookMoment&, std::stop_token) {
    HookOutcome outcome = granted();
    outcome.permission->updated_permissions = updates.get_array();
    return outcome;
  });
  call("1");
  bench.frontend.wait_for<CallAnswered>();
  bench.frontend.wait_for<Notice>(2);
  bench.feed(Feed(MessageEnded{}));
  call("2");
  bench.finish();
  EXPECT_EQ(bench.frontend.all<PermissionAsked>().size(), 1U);
  EXPECT_EQ(text_of(1), "said nothing");
}

TEST_F(ExecutorHooks, AnAbortEndsTheHooksThatAreAsked) {
  on(permission_request, [](const HookMoment&, std::stop_token stop) { return until_stopped(std::move(stop)); });
  call("1");
  bench.frontend.wait_for<PermissionAsked>();
  bench.feed(Feed(Aborted{}));
  EXPECT_TRUE(bench.finish().aborted);
  EXPECT_EQ(bench.answers().at(0).result.error, Errc::cancelled);
}

// --- the whole message ---

class BatchHooks : public ExecutorHooks {
 protected:
  BatchHooks() {
    bench.hooks.on[pre_tool_use] = [](auto&, auto) { return HookOutcome{.verdict = HookVerdict::allow}; };
  }
};

TEST_F(BatchHooks, AreToldOfAllCallsInOrderOnceTheMessageHasEnded) {
  std::vector<std::string> seen;
  on(post_tool_batch, [&](const HookMoment& moment, std::stop_token) {
    seen.push_back(to_json(moment.fields));
    return HookOutcome{.context = {"mind the gap"}};
  });
  call("1", JsonObject{{"say", "x"}});
  bench.call("2", "Unknown", JsonObject{});
  bench.feed(Feed(MessageEnded{}));
  call("3");
  bench.finish();
  ASSERT_EQ(seen.size(), 2U);
  EXPECT_TRUE(seen[0].starts_with(
      R"({"tool_calls":[{"tool_name":"A","tool_input":{"say":"x"},"tool_use_id":"1","tool_response":"said x"},{"tool_name":"Unknown")"))
      << seen[0];
  EXPECT_TRUE(seen[1].contains(R"("tool_use_id":"3")"));
  const auto said = bench.frontend.all<BatchHooked>();
  ASSERT_EQ(said.size(), 2U);
  EXPECT_EQ(to_json(said[0].new_messages), R"(["PostToolBatch hook additional context: mind the gap"])");
  EXPECT_FALSE(said[0].stop_after);
}

TEST_F(BatchHooks, MayStopBeforeTheNextRequest) {
  on(post_tool_batch,
     HookOutcome{.blocked = true, .block_reason = "tests fail", .stops = true, .stop_reason = "tests fail"});
  call("1");
  bench.finish();
  EXPECT_EQ(bench.frontend.all<BatchHooked>().at(0).stop_after, "tests fail");
}

TEST_F(BatchHooks, AreEndedByAnAbortAndNotAskedAfterOne) {
  std::promise<void> asked;
  on(post_tool_batch, [&](const HookMoment&, std::stop_token stop) {
    asked.set_value();
    return until_stopped(std::move(stop));
  });
  call("1");
  bench.feed(Feed(MessageEnded{}));
  asked.get_future().wait();
  bench.feed(Feed(Aborted{}));
  EXPECT_TRUE(bench.finish().aborted);
}

TEST_F(ExecutorHooks, StopAfterThisLetsTheCallRunAndIsRememberedInItsResult) {
  on(pre_tool_use, HookOutcome{.verdict = HookVerdict::allow, .stops = true, .stop_reason = "enough"});
  call("1");
  call("2");
  bench.finish();
  EXPECT_EQ(text_of(0), "said nothing");
  EXPECT_EQ(text_of(1), "said nothing");
  EXPECT_EQ(bench.answers().at(0).result.stop_after, "enough");
}

// --- beside the turn ---

TEST_F(ExecutorHooks, SomebodyIsToldWhenAPersonIsAsked) {
  std::promise<HookMoment> told;
  on(notification, [&](const HookMoment& moment, std::stop_token) {
    told.set_value(moment);
    return HookOutcome{};
  });
  call("1");
  const HookMoment moment = told.get_future().get();
  EXPECT_EQ(moment.subject, "permission_prompt");
  EXPECT_EQ(to_json(moment.fields),
            R"({"message":"Your permission is needed to use A","notification_type":"permission_prompt"})");
}

class ScriptedStore final : public PermissionStore {
 public:
  Result<void> keep(SettingSource, const std::vector<std::string>&) override { return {}; }
  std::optional<Changed> reload() override { return std::exchange(changed, std::nullopt); }
  std::optional<Changed> changed;
};

class ChangedSettings : public ExecutorHooks {
 protected:
  ChangedSettings() {
    bench.store = &store;
    store.changed = PermissionStore::Changed{
        .setup = {.sources = {{.rules = *parse_permission_rules(*parse_json(R"({"deny":["A"]})"))}}},
        .notices = {"changed"},
        .files = {{SettingSource::user, "/u.json"}},
        .adopt = [this] { adopted.set_value(); }};
  }
  ScriptedStore store;
  std::promise<void> adopted;
};

TEST_F(ChangedSettings, CountOnceTheHooksHaveLetThemPass) {
  on(config_change, [](const HookMoment& moment, std::stop_token) {
    EXPECT_EQ(moment.subject, "user_settings");
    EXPECT_EQ(to_json(moment.fields), R"({"source":"user_settings","file_path":"/u.json"})");
    return HookOutcome{};
  });
  on(permission_request, granted());
  call("1");
  adopted.get_future().wait();
  bench.feed(Feed(MessageEnded{}));
  call("2");
  bench.finish();
  EXPECT_EQ(bench.answers().at(1).result.error, Errc::denied);
}

TEST_F(ChangedSettings, DoNotCountIfAHookRefusesThem) {
  on(config_change, HookOutcome{.blocked = true, .block_reason = "ask me first"});
  on(permission_request, granted());
  call("1");
  EXPECT_TRUE(bench.frontend.wait_for<Notice>().text.contains("ask me first"));
  bench.feed(Feed(MessageEnded{}));
  call("2");
  bench.finish();
  EXPECT_EQ(text_of(1), "said nothing");
}

TEST_F(ChangedSettings, OfAPolicyAreNotRefused) {
  store.changed->files = {{SettingSource::managed, "/m.json"}};
  on(config_change, HookOutcome{.blocked = true, .block_reason = "no"});
  on(permission_request, granted());
  call("1");
  adopted.get_future().wait();
  bench.finish();
}

}  // namespace
}  // namespace deft
