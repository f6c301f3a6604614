#include "deft/tools/task_list_tools.h"

#include <gtest/gtest.h>

#include <thread>

#include "deft/testing/fake_files.h"
#include "deft/testing/tool_bench.h"

namespace deft {
namespace {

class TaskListToolsTest : public testing::Test {
 protected:
  void use(SharedTaskList::Parts parts, const Json& kept = nullptr) {
    list = std::make_shared<SharedTaskList>(std::move(parts), kept);
    tools = make_task_list_tools(list);
  }
  ToolResult call(std::string_view name, const Json& input) {
    for (const auto& tool : tools) {
      if (tool->spec().name != name) continue;
      auto result = bench.call(*tool, input);
      return result ? std::move(*result) : ToolResult{.text = result.error().message, .error = result.error().code};
    }
    return {.text = "no such tool"};
  }

  FakeFiles files;
  ToolBench bench{files};
  std::shared_ptr<SharedTaskList> list = std::make_shared<SharedTaskList>();
  std::vector<std::shared_ptr<Tool>> tools = make_task_list_tools(list);
};

TEST_F(TaskListToolsTest, MakeTasksAndShowThem) {
  const ToolResult made = call("TaskCreate", JsonObject{{"subject", "Fix it"}, {"description", "The login test."}});
  EXPECT_EQ(made.text, "Created task 1: Fix it");
  EXPECT_EQ(to_json(made.details), R"({"task":{"id":"1","subject":"Fix it","description":"The login test."}})");
  call("TaskCreate", JsonObject{{"subject", "Ship it"}, {"description", ""}});
  const ToolResult updated = call("TaskUpdate", JsonObject{{"taskId", "2"}, {"addBlockedBy", JsonArray{"1"}}});
  EXPECT_EQ(to_json(updated.details), R"({"success":true,"taskId":"2","updatedFields":["blockedBy"]})");
  const ToolResult begun =
      call("TaskUpdate", JsonObject{{"taskId", "1"}, {"status", "in_progress"}, {"owner", "worker"}});
  EXPECT_EQ(begun.text, "Updated task 1  in_progress  Fix it (worker)");
  EXPECT_EQ(to_json(*find(begun.details, "statusChange")), R"({"from":"pending","to":"in_progress"})");
  const ToolResult all = call("TaskList", JsonObject());
  EXPECT_EQ(all.text, "1  in_progress  Fix it (worker)\n2  pending  Ship it (waits for 1)");
  EXPECT_EQ(to_json(all.details),
            R"({"tasks":[{"id":"1","subject":"Fix it","status":"in_progress","owner":"worker","blockedBy":[]},)"
            R"({"id":"2","subject":"Ship it","status":"pending","blockedBy":["1"]}]})");
  const ToolResult one = call("TaskGet", JsonObject{{"taskId", "1"}});
  EXPECT_EQ(one.text, "1  in_progress  Fix it (worker)\nThe login test.\nBlocks: 2");
  EXPECT_EQ(to_json(one.details),
            R"({"task":{"id":"1","subject":"Fix it","description":"The login test.","status":"in_progress",)"
            R"("owner":"worker","blocks":["2"],"blockedBy":[]}})");
  EXPECT_EQ(to_json(call("TaskGet", JsonObject{{"taskId", "9"}}).details), R"({"task":null})");
  EXPECT_EQ(
      to_json(call("TaskUpdate", JsonObject{{"taskId", "2"}, {"status", "deleted"}}).details),
      R"({"success":true,"taskId":"2","updatedFields":["deleted"],"statusChange":{"from":"pending","to":"deleted"}})");
}

TEST_F(TaskListToolsTest, AnUpdateThatCannotBeSaysWhyInTheStructuredResultToo) {
  const ToolResult result = call("TaskUpdate", JsonObject{{"taskId", "5"}, {"status", "completed"}});
  EXPECT_EQ(result.error, Errc::not_found);
  EXPECT_EQ(
      to_json(result.details),
      R"({"success":false,"taskId":"5","updatedFields":[],"error":"There is no task \"5\": see TaskList for those )"
      R"(that there are."})");
}

TEST_F(TaskListToolsTest, EveryChangeIsKeptAndIsThereAgainAfterwards) {
  std::vector<std::string> kept;
  use({.keep = [&](const Json& now) -> Result<void> {
    kept.push_back(to_json(now));
    return {};
  }});
  call("TaskCreate", JsonObject{{"subject", "a"}, {"description", "b"}});
  call("TaskUpdate", JsonObject{{"taskId", "1"}, {"status", "completed"}});
  ASSERT_EQ(kept.size(), 2U);
  use({}, parse_json(kept.back()).value());
  EXPECT_EQ(call("TaskList", JsonObject()).text, "1  completed  a");
}

TEST_F(TaskListToolsTest, WhatCannotBeKeptIsNotChanged) {
  use({.keep = [](const Json&) -> Result<void> { return fail(Errc::io, "The disk is full."); }});
  EXPECT_EQ(call("TaskCreate", JsonObject{{"subject", "a"}, {"description", "b"}}).text, "The disk is full.");
  EXPECT_EQ(call("TaskList", JsonObject()).text, "There are no tasks.");
}

TEST_F(TaskListToolsTest, HooksMayRefuseATaskAndItsEnd) {
  std::optional<std::string> why = "too vague";
  use({.hook = [&](TaskMoment, const ListedTask&, std::stop_token) { return why; }});
  EXPECT_EQ(call("TaskCreate", JsonObject{{"subject", "a"}, {"description", "b"}}).text,
            "A hook refused the task: too vague");
  EXPECT_EQ(call("TaskList", JsonObject()).text, "There are no tasks.");
  why.reset();
  call("TaskCreate", JsonObject{{"subject", "a"}, {"description", "b"}});
  why = "the tests fail";
  const ToolResult refused = call("TaskUpdate", JsonObject{{"taskId", "2"}, {"status", "completed"}});
  EXPECT_EQ(refused.text, "A hook says that the task is not complete: the tests fail");
  EXPECT_EQ(call("TaskList", JsonObject()).text, "2  pending  a");
}

TEST_F(TaskListToolsTest, ManyAgentsAtOnceLoseNothing) {
  std::size_t kept = 0;
  use({.keep = [&](const Json&) -> Result<void> {  // one at a time, so it needs no lock of its own
    ++kept;
    return {};
  }});
  constexpr int kAgents = 8;
  constexpr int kTasksEach = 20;
  {
    std::vector<std::jthread> agents;
    for (int agent = 0; agent < kAgents; ++agent) {
      agents.emplace_back([this] {
        for (int i = 0; i < kTasksEach; ++i) {
          const auto made = list->create({.id = {}, .subject = "s", .description = ""}, {});
          static_cast<void>(list->update(made->id, {.status = ListedTask::Status::completed}, {}));
        }
      });
    }
  }
  const TaskList now = list->now();
  EXPECT_EQ(now.all().size(), std::size_t{kAgents * kTasksEach});
  for (const ListedTask* task : now.all()) EXPECT_EQ(task->status, ListedTask::Status::completed);
  EXPECT_EQ(kept, std::size_t{2 * kAgents * kTasksEach});
}

TEST_F(TaskListToolsTest, OnlyOneOfManyGetsATask) {
  const auto made = list->create({.id = {}, .subject = "s", .description = ""}, {});
  std::atomic<int> winners = 0;
  {
    std::vector<std::jthread> agents;
    for (int agent = 0; agent < 8; ++agent) {
      agents.emplace_back([&, agent] {
        const auto claimed = list->update(
            made->id, {.status = ListedTask::Status::in_progress, .owner = "agent-" + std::to_string(agent)}, {});
        if (claimed) ++winners;
      });
    }
  }
  EXPECT_EQ(winners, 1);
}

}  // namespace
}  // namespace deft
