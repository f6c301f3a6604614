#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>

#include "deft/testing/engine_bench.h"
#include "deft/testing/virtual_clock.h"

namespace deft {
namespace {

LambdaTool::Parts tool(std::string name) {
  return {.spec = {.name = std::move(name)},
          .run = [](const Json&, ToolIo&) -> Result<ToolResult> { return ToolResult{.text = "ran"}; },
          .footprint = [](const Json&) { return std::optional(Footprint::nothing()); }};
}

// Settings as a test scripts them.
class FakeStore final : public PermissionStore {
 public:
  Result<void> keep(SettingSource destination, const std::vector<std::string>& rules) override {
    const std::lock_guard lock(mutex_);
    if (is_broken) return fail(Errc::io, "the disk is full");
    kept = rules;
    kept_at = destination;
    return {};
  }
  std::optional<Changed> reload() override {
    const std::lock_guard lock(mutex_);
    return std::exchange(changed, std::nullopt);
  }

  bool is_broken = false;
  std::optional<Changed> changed;
  std::vector<std::string> kept;
  SettingSource kept_at = SettingSource::managed;

 private:
  std::mutex mutex_;
};

class Questions : public ::testing::Test {
 protected:
  Questions() { bench.store = &store; }
  void start() {
    bench.add_tool(tool("A"));
    bench.add_tool(tool("B"));
  }
  void answer(const std::string& id, Verdict verdict, std::optional<AlwaysAllow> always = std::nullopt) {
    bench.feed(Feed(PermissionAnswer{.id = id, .verdict = verdict, .always = std::move(always)}));
  }
  std::vector<std::string> texts() const {
    std::vector<std::string> found;
    for (const CallAnswered& answered : bench.answers()) found.push_back(answered.result.text);
    return found;
  }

  FakeStore store;
  EngineBench bench{{.executor = {.asking = Asking::frontend}, .mode = Mode::normal}};
};

TEST_F(Questions, ACallThatNothingAllowsCarriesTheRuleThatWould) {
  start();
  bench.call("a", "A");
  EXPECT_EQ(bench.frontend.wait_for<PermissionAsked>().proposal, std::vector<std::string>{"A"});
}

TEST_F(Questions, AlwaysAllowsWhatWaitsForTheSameAndAllThatComes) {
  start();
  bench.call("1", "A");
  bench.call("2", "A");
  bench.call("3", "B");
  bench.frontend.wait_for<PermissionAsked>(3);
  std::string first, other;
  for (const PermissionAsked& asked : bench.frontend.all<PermissionAsked>()) {
    if (asked.call.id == "1") first = asked.id;
    if (asked.call.id == "3") other = asked.id;
  }
  answer(first, Verdict::allow, AlwaysAllow{});
  bench.frontend.wait_for<PermissionWithdrawn>();
  answer(other, Verdict::deny);
  bench.call("4", "A");
  bench.finish();
  EXPECT_EQ(bench.frontend.all<PermissionAsked>().size(), 3U);
  EXPECT_EQ(bench.frontend.all<PermissionWithdrawn>().size(), 1U) << "B still wants an answer";
  const auto answers = texts();
  ASSERT_EQ(answers.size(), 4U);
  EXPECT_EQ(answers[0] + answers[1] + answers[3], "ranranran");
  EXPECT_NE(answers[2], "ran");
}

TEST_F(Questions, ARuleForAFileIsWrittenBeforeItCounts) {
  start();
  bench.call("1", "A");
  answer(bench.frontend.wait_for<PermissionAsked>().id, Verdict::allow,
         AlwaysAllow{.rules = {"A", "B"}, .destination = SettingSource::local});
  bench.feed(Feed(MessageEnded{}));
  bench.frontend.wait_for<CallAnswered>();
  bench.finish();
  EXPECT_EQ(store.kept, (std::vector<std::string>{"A", "B"}));
  EXPECT_EQ(store.kept_at, SettingSource::local);
}

TEST_F(Questions, WhatCannotBeWrittenIsAllowedOnceAndSaysWhy) {
  store.is_broken = true;
  start();
  bench.call("1", "A");
  answer(bench.frontend.wait_for<PermissionAsked>().id, Verdict::allow,
         AlwaysAllow{.rules = {}, .destination = SettingSource::user});
  EXPECT_NE(bench.frontend.wait_for<Notice>().text.find("the disk is full"), std::string::npos);
  bench.call("2", "A");
  bench.frontend.wait_for<PermissionAsked>(2);
  bench.finish();
  EXPECT_EQ(texts().front(), "ran");
}

TEST_F(Questions, ABrokenRuleIsAllowedOnceAndSaysWhy) {
  start();
  bench.call("1", "A");
  answer(bench.frontend.wait_for<PermissionAsked>().id, Verdict::allow, AlwaysAllow{.rules = {"A("}});
  EXPECT_NE(bench.frontend.wait_for<Notice>().text.find("A("), std::string::npos);
  bench.finish();
  EXPECT_EQ(texts(), std::vector<std::string>{"ran"});
}

TEST_F(Questions, AnAlwaysRuleLiftsNoAskRule) {
  EngineBench asking({.executor = {.asking = Asking::frontend},
                      .mode = Mode::normal,
                      .rules = *parse_permission_rules(*parse_json(R"({"ask":["A"]})"))});
  asking.add_tool(tool("A"));
  asking.call("1", "A");
  const PermissionAsked asked = asking.frontend.wait_for<PermissionAsked>();
  EXPECT_TRUE(asked.proposal.empty());
  asking.feed(Feed(PermissionAnswer{.id = asked.id, .verdict = Verdict::allow, .always = AlwaysAllow{.rules = {"A"}}}));
  asking.call("2", "A");
  asking.frontend.wait_for<PermissionAsked>(2);
  asking.finish();
}

TEST_F(Questions, ChangedSettingsCountFromTheNextMessageOnAndKeepTheSessionsRules) {
  start();
  bench.call("1", "A");
  answer(bench.frontend.wait_for<PermissionAsked>().id, Verdict::allow, AlwaysAllow{});
  bench.frontend.wait_for<CallAnswered>();
  store.changed = PermissionStore::Changed{
      .setup = {.sources = {{.rules = *parse_permission_rules(*parse_json(R"({"deny":["B"]})"))}}},
      .notices = {"changed"}};
  bench.feed(Feed(MessageEnded{}));
  bench.call("2", "A");
  bench.call("3", "B");
  bench.finish();
  const auto answers = bench.answers();
  ASSERT_EQ(answers.size(), 3U);
  EXPECT_EQ(answers[1].result.text, "ran");
  EXPECT_TRUE(answers[2].result.is_error());
  EXPECT_EQ(bench.frontend.wait_for<Notice>().text, "changed");
}

TEST_F(Questions, APersonIsStillThereWhenTheInputHasEnded) {
  EngineBench person({.executor = {.asking = Asking::person}, .mode = Mode::normal});
  person.add_tool(tool("A"));
  person.call("1", "A");
  person.feed(Feed(InputEnded{}));
  const std::string id = person.frontend.wait_for<PermissionAsked>().id;
  person.feed(Feed(PermissionAnswer{.id = id, .verdict = Verdict::allow}));
  person.finish();
  EXPECT_EQ(person.answers().front().result.text, "ran");
}

// --- the queue ---

TEST_F(Questions, EveryFrontEndThatWatchesSeesThemAndTheFirstAnswerCounts) {
  PromptQueue prompts;
  RecordingFrontend one, other;
  prompts.watch(one);
  EngineBench shared({.executor = {.asking = Asking::frontend}, .mode = Mode::normal, .prompts = &prompts});
  shared.add_tool(tool("A"));
  shared.call("1", "A");
  const std::string id = one.wait_for<PermissionAsked>().id;
  prompts.watch(other);
  EXPECT_EQ(other.wait_for<PermissionAsked>().call.id, "1") << "it waited already";
  EXPECT_TRUE(prompts.answer(PermissionAnswer{.id = id, .verdict = Verdict::allow}));
  EXPECT_EQ(other.wait_for<PromptAnswered>().id, id);
  EXPECT_FALSE(prompts.answer(PermissionAnswer{.id = id, .verdict = Verdict::deny}));
  shared.finish();
  EXPECT_EQ(shared.answers().front().result.text, "ran");
  EXPECT_TRUE(shared.frontend.all<PermissionAsked>().empty()) << "who has a queue of their own watches it themselves";
  EXPECT_TRUE(one.all<PermissionWithdrawn>().empty());
}

TEST_F(Questions, TwoAgentsAskTheSamePeopleAndEachHearsItsOwnAnswer) {
  PromptQueue prompts;
  RecordingFrontend person;
  prompts.watch(person);
  const EngineBench::Options options{
      .executor = {.asking = Asking::frontend}, .mode = Mode::normal, .prompts = &prompts};
  EngineBench one(options), other(options);
  for (EngineBench* agent : {&one, &other}) {
    agent->add_tool(tool("A"));
    agent->call(agent == &one ? "of one" : "of other", "A");
  }
  person.wait_for<PermissionAsked>(2);
  for (const PermissionAsked& asked : person.all<PermissionAsked>()) {
    const bool is_of_one = asked.call.id == "of one";
    // Whoever is told passes it on.
    one.feed(Feed(PermissionAnswer{.id = asked.id, .verdict = is_of_one ? Verdict::allow : Verdict::deny}));
  }
  person.wait_for<PromptAnswered>(2);
  one.finish();
  other.finish();
  EXPECT_EQ(one.answers().front().result.text, "ran");
  EXPECT_EQ(other.answers().front().result.error, Errc::denied);
}

TEST_F(Questions, AQuestionThatNobodyAnswersInTimeIsSettledWithoutThem) {
  const VirtualClock clock;
  EngineBench late({.executor = {.asking = Asking::person,
                                 .permission_time = std::chrono::minutes(5),
                                 .question_time = std::chrono::seconds(60)},
                    .mode = Mode::normal,
                    .clock = &clock});
  late.add_tool(tool("A"));
  late.add_tool(tool("AskUserQuestion"));
  late.call("1", "A");
  late.call("2", "AskUserQuestion");
  late.finish();
  const auto answers = late.answers();
  ASSERT_EQ(answers.size(), 2U);
  EXPECT_EQ(answers[0].result.error, Errc::denied);
  EXPECT_NE(answers[0].result.text.find("nobody answered within 5 minutes"), std::string::npos);
  EXPECT_EQ(answers[1].result.error, Errc::timeout);
  EXPECT_NE(answers[1].result.text.find("within 60 seconds"), std::string::npos);
  EXPECT_EQ(late.frontend.all<PermissionWithdrawn>().size(), 2U);
  std::vector<PromptKind> kinds;
  for (const PermissionAsked& asked : late.frontend.all<PermissionAsked>()) kinds.push_back(asked.kind);
  std::ranges::sort(kinds);
  EXPECT_EQ(kinds, (std::vector{PromptKind::permission, PromptKind::question}));
}

TEST_F(Questions, AnotherModeSettlesWhatItAllows) {
  start();
  bench.call("1", "A");
  bench.frontend.wait_for<PermissionAsked>();
  bench.feed(Feed(ModeWanted{Mode::accept_edits}));
  bench.frontend.wait_for<PermissionWithdrawn>();
  bench.finish();
  EXPECT_EQ(texts().back(), "ran");
}

// --- the classifier, in auto mode ---

// Speaks when it is let, and is told to stop when nobody wants to know any more.
class SlowClassifier final : public CallClassifier {
 public:
  std::optional<RiskOpinion> judge(const CallToJudge&, std::stop_token stop) override {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, stop, [this] { return opinion_.has_value(); });
    was_stopped = stop.stop_requested();
    return opinion_;
  }
  void speak(RiskOpinion opinion) {
    const std::lock_guard lock(mutex_);
    opinion_ = std::move(opinion);
    changed_.notify_all();
  }
  std::atomic<bool> was_stopped = false;

 private:
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::optional<RiskOpinion> opinion_;
};

class SlowOpinion : public ::testing::Test {
 protected:
  void start() {
    auto parts = tool("Post");
    parts.footprint = [](const Json&) { return std::optional(Footprint::nothing().and_network(Footprint::Use::read)); };
    bench.add_tool(std::move(parts));
    bench.call("1", "Post");
    asked = bench.frontend.wait_for<PermissionAsked>();
  }
  SlowClassifier classifier;
  EngineBench bench{{.executor = {.asking = Asking::frontend}, .mode = Mode::auto_, .classifier = &classifier}};
  PermissionAsked asked;
};

TEST_F(SlowOpinion, ThatCallsItHarmlessSettlesTheQuestion) {
  start();
  classifier.speak({.is_harmless = true, .reason = "it posts to a test server"});
  EXPECT_EQ(bench.frontend.wait_for<PermissionWithdrawn>().id, asked.id);
  bench.finish();
  EXPECT_EQ(bench.answers().front().result.text, "ran");
}

TEST_F(SlowOpinion, ThatCallsItRiskyLeavesItOpenAndSaysWhy) {
  start();
  classifier.speak({.is_harmless = false, .reason = "it posts to a stranger"});
  const auto changed = bench.frontend.wait_for<PromptChanged>();
  EXPECT_NE(std::get<PermissionAsked>(changed.now).decision.reason.find("to a stranger"), std::string::npos);
  bench.feed(Feed(PermissionAnswer{.id = asked.id, .verdict = Verdict::allow}));
  bench.finish();
  EXPECT_EQ(bench.answers().front().result.text, "ran");
}

TEST_F(SlowOpinion, IsNotWaitedForWhenAPersonHasAnswered) {
  start();
  bench.feed(Feed(PermissionAnswer{.id = asked.id, .verdict = Verdict::allow}));
  bench.finish();
  EXPECT_EQ(bench.answers().front().result.text, "ran");
}

TEST_F(SlowOpinion, IsNotWaitedForWhenNobodyElseIsLeft) {
  start();
  bench.finish();
  EXPECT_EQ(bench.answers().front().result.error, Errc::denied);
}

}  // namespace
}  // namespace deft
