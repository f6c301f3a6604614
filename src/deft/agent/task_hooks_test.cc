#include "deft/agent/task_hooks.h"

#include <gtest/gtest.h>

#include "deft/testing/engine_bench.h"

namespace deft {
namespace {

TEST(TaskHooks, AreToldOfTheTaskAndMayRefuse) {
  LambdaHooks hooks;
  std::vector<std::string> told;
  hooks.on[HookEvent::task_created] = [&](const HookMoment& moment, std::stop_token) {
    told.push_back(to_json(moment.fields));
    return HookOutcome{};
  };
  hooks.on[HookEvent::task_completed] = [&](const HookMoment&, std::stop_token) {
    return HookOutcome{.blocked = true, .block_reason = "the tests fail"};
  };
  SharedTaskList list({.hook = task_hooks(hooks, [] { return HookScene{.directory = "/p"}; })});
  const auto made = list.create({.id = {}, .subject = "Ship it", .description = "all"}, {});
  ASSERT_TRUE(made.has_value());
  EXPECT_EQ(told, (std::vector<std::string>{R"({"task_id":"1","task_subject":"Ship it","task_description":"all"})"}));
  const auto done = list.update("1", {.status = ListedTask::Status::completed}, {});
  ASSERT_FALSE(done.has_value());
  EXPECT_EQ(done.error().message, "A hook says that the task is not complete: the tests fail");
}

TEST(TaskHooks, NobodyIsAskedWhereNobodyListens) {
  LambdaHooks hooks;
  SharedTaskList list({.hook = task_hooks(hooks, [] { return HookScene{}; })});
  EXPECT_TRUE(list.create({.id = {}, .subject = "s", .description = ""}, {}).has_value());
}

}  // namespace
}  // namespace deft
