#include "deft/agent/prompt_queue.h"

#include <gtest/gtest.h>

#include <thread>

#include "deft/testing/engine_bench.h"
#include "deft/testing/virtual_clock.h"

namespace deft {
namespace {

PermissionAsked permission(PromptQueue& queue, std::string call) {
  return {.id = queue.next_id(), .call = {.id = std::move(call), .name = "A"}, .title = "A", .decision = {}};
}

ServerAsked form() { return {.id = {}, .server = "tracker", .message = "Which project?", .details = {}, .url = {}}; }

TEST(PromptQueue, TellsEveryWatcherInOrder) {
  PromptQueue queue;
  RecordingFrontend one, other;
  queue.watch(one);
  queue.watch(other);
  const PermissionAsked asked = permission(queue, "1");
  ASSERT_TRUE(queue.push(asked, [](const PromptAnswer&) {}));
  queue.update(asked.id, [](PendingPrompt& prompt) { std::get<PermissionAsked>(prompt).decision.reason = "new"; });
  EXPECT_TRUE(queue.remove(asked.id, PromptQueue::Because::withdrawn));
  for (const RecordingFrontend* watcher : {&one, &other}) {
    const auto events = watcher->events();
    ASSERT_EQ(events.size(), 3U);
    EXPECT_TRUE(std::holds_alternative<PermissionAsked>(events[0]));
    EXPECT_EQ(std::get<PermissionAsked>(std::get<PromptChanged>(events[1]).now).decision.reason, "new");
    EXPECT_EQ(std::get<PermissionWithdrawn>(events[2]).id, asked.id);
  }
}

TEST(PromptQueue, IsClaimedOnce) {
  PromptQueue queue;
  const PermissionAsked asked = permission(queue, "1");
  ASSERT_TRUE(queue.push(asked, [](const PromptAnswer&) {}));
  EXPECT_TRUE(queue.remove(asked.id, PromptQueue::Because::answered));
  EXPECT_FALSE(queue.remove(asked.id, PromptQueue::Because::withdrawn));
  queue.update(asked.id, [](PendingPrompt&) { FAIL() << "it is gone"; });
}

TEST(PromptQueue, ShowsTheOldestFirst) {
  PromptQueue queue;
  for (const char* call : {"1", "2", "3"}) {
    ASSERT_TRUE(queue.push(permission(queue, call), [](const PromptAnswer&) {}));
  }
  EXPECT_EQ(id_of(*queue.first()), "perm_1");
  EXPECT_EQ(id_of(*queue.first({"perm_1"})), "perm_2");
  queue.remove("perm_2", PromptQueue::Because::withdrawn);
  EXPECT_EQ(queue.waiting().size(), 2U);
  EXPECT_EQ(id_of(*queue.first({"perm_1"})), "perm_3");
}

TEST(PromptQueue, TakesAnAnswerToItsOwnerIfItIsOneToThat) {
  PromptQueue queue;
  std::vector<std::string> heard;
  ASSERT_TRUE(queue.push(permission(queue, "1"), [&](const PromptAnswer& answer) { heard.push_back(id_of(answer)); }));
  EXPECT_FALSE(queue.answer(ServerAnswer{.id = "perm_1", .content = {}}));
  EXPECT_FALSE(queue.answer(PermissionAnswer{.id = "perm_9"}));
  EXPECT_TRUE(queue.answer(PermissionAnswer{.id = "perm_1"}));
  EXPECT_EQ(heard, std::vector<std::string>{"perm_1"});
  EXPECT_TRUE(queue.is_open("perm_1")) << "its owner decides";
}

TEST(PromptQueue, WhoLeavesIsNotToldAnyMore) {
  PromptQueue queue;
  RecordingFrontend watcher;
  queue.watch(watcher);
  EXPECT_TRUE(queue.is_watched());
  queue.unwatch(watcher);
  EXPECT_FALSE(queue.is_watched());
  ASSERT_TRUE(queue.push(permission(queue, "1"), [](const PromptAnswer&) {}));
  EXPECT_TRUE(watcher.events().empty());
}

TEST(PromptQueue, HoldsOnlySoMany) {
  PromptQueue queue;
  for (std::size_t i = 0; i < kPromptsWaitingMax; ++i) {
    ASSERT_TRUE(queue.push(ServerAsked{.id = queue.next_id()}, nullptr));
  }
  EXPECT_FALSE(queue.push(ServerAsked{.id = queue.next_id()}, nullptr));
}

TEST(PromptQueue, AServerWaitsForItsAnswer) {
  PromptQueue queue;
  RecordingFrontend person;
  queue.watch(person);
  std::thread answering([&] {
    const ServerAsked asked = person.wait_for<ServerAsked>();
    EXPECT_EQ(asked.server, "tracker");
    EXPECT_TRUE(queue.answer(ServerAnswer{
        .id = asked.id, .action = ServerAnswer::Action::accept, .content = JsonObject{{"project", "deft"}}}));
  });
  const ServerAnswer answer = queue.ask(form(), {}, std::nullopt, SystemClock());
  answering.join();
  EXPECT_EQ(answer.action, ServerAnswer::Action::accept);
  EXPECT_EQ(to_json(answer.content), R"({"project":"deft"})");
  EXPECT_EQ(person.all<PromptAnswered>().size(), 1U);
  EXPECT_TRUE(person.all<ServerAskWithdrawn>().empty());
}

TEST(PromptQueue, AServersQuestionEndsWithItsDeadlineOrAStop) {
  PromptQueue queue;
  RecordingFrontend person;
  queue.watch(person);
  const VirtualClock clock;
  EXPECT_EQ(queue.ask(form(), {}, std::chrono::minutes(1), clock).action, ServerAnswer::Action::cancel);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(queue.ask(form(), stop.get_token(), std::nullopt, clock).action, ServerAnswer::Action::cancel);
  EXPECT_EQ(person.all<ServerAskWithdrawn>().size(), 2U);
  EXPECT_FALSE(queue.first());
}

TEST(PromptQueue, OfManyWhoAnswerAServerAtOnceOneIsHeard) {
  for (int run = 0; run < 200; ++run) {
    PromptQueue queue;
    RecordingFrontend person;
    queue.watch(person);
    std::stop_source stop;
    std::vector<std::thread> people;
    for (int i = 0; i < 4; ++i) {
      people.emplace_back([&, i] {
        const std::string id = person.wait_for<ServerAsked>().id;
        if (i == 3) return stop.request_stop(), void();
        queue.answer(ServerAnswer{.id = id, .action = ServerAnswer::Action::accept, .content = i});
      });
    }
    const ServerAnswer answer = queue.ask(form(), stop.get_token(), std::nullopt, SystemClock());
    for (std::thread& one : people) one.join();
    const bool is_accepted = answer.action == ServerAnswer::Action::accept;
    EXPECT_EQ(person.all<PromptAnswered>().size(), is_accepted ? 1U : 0U);
    EXPECT_EQ(person.all<ServerAskWithdrawn>().size(), is_accepted ? 0U : 1U);
  }
}

}  // namespace
}  // namespace deft
