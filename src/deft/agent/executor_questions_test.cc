#include <gtest/gtest.h>

#include <mutex>

#include "deft/testing/engine_bench.h"

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

}  // namespace
}  // namespace deft
