#include "deft/core/task_list.h"

#include <gtest/gtest.h>

#include <random>

namespace deft {
namespace {

using Status = ListedTask::Status;

class TaskListTest : public testing::Test {
 protected:
  std::string add(std::string subject) {
    const auto created = list.create({.id = {}, .subject = std::move(subject), .description = "d"});
    return created ? created->id : created.error().message;
  }
  std::string change(std::string_view id, const TaskChange& wanted) {
    const auto changed = list.update(id, wanted);
    if (!changed) return std::string(to_string(changed.error().code)) + ": " + changed.error().message;
    std::string fields;
    for (const std::string& field : changed->fields) fields += (fields.empty() ? "" : " ") + field;
    return fields;
  }

  TaskList list;
};

TEST_F(TaskListTest, GivesNumbersThatAreNeverUsedAgain) {
  EXPECT_EQ(add("one"), "1");
  EXPECT_EQ(add("two"), "2");
  EXPECT_EQ(change("2", {.deleted = true}), "deleted");
  EXPECT_EQ(add("three"), "3");
  EXPECT_EQ(list.find("2"), nullptr);
  EXPECT_EQ(list.find("#3")->subject, "three");
  EXPECT_EQ(add("  \n"), "A task needs a subject: say in a few words what is to be done.");
}

TEST_F(TaskListTest, SaysWhatChanged) {
  add("one");
  EXPECT_EQ(change("1", {.subject = "one", .status = Status::in_progress, .owner = "me"}), "owner status");
  EXPECT_EQ(change("1", {.status = Status::in_progress}), "");
  EXPECT_EQ(change("1", {.metadata = {{"a", 1}, {"b", 2}}}), "metadata");
  EXPECT_EQ(change("1", {.metadata = {{"a", nullptr}, {"none", nullptr}}}), "metadata");
  EXPECT_EQ(to_json(list.find("1")->metadata), R"({"b":2})");
  EXPECT_EQ(change("7", {}), R"(not_found: There is no task "7": see TaskList for those that there are.)");
}

TEST_F(TaskListTest, ATaskThatWaitsCannotBegin) {
  add("first");
  add("second");
  EXPECT_EQ(change("2", {.add_blocked_by = {"1"}}), "blockedBy");
  EXPECT_EQ(change("2", {.status = Status::in_progress}),
            "invalid_input: Task 2 waits for 1: complete or delete that first.");
  EXPECT_EQ(list.find("2")->status, Status::pending);
  change("1", {.status = Status::completed});
  EXPECT_EQ(change("2", {.status = Status::in_progress}), "status");
}

TEST_F(TaskListTest, NobodyTakesATaskFromWhoWorksOnIt) {
  add("one");
  EXPECT_EQ(change("1", {.status = Status::in_progress, .owner = "a"}), "owner status");
  EXPECT_EQ(change("1", {.status = Status::in_progress, .owner = "b"}),
            "invalid_input: a works on task 1 already: take another one, or set the owner alone to hand it over.");
  EXPECT_EQ(change("1", {.owner = "b"}), "owner");
}

TEST_F(TaskListTest, DependenciesMakeNoCircle) {
  for (const char* name : {"a", "b", "c"}) add(name);
  EXPECT_EQ(change("1", {.add_blocks = {"2"}}), "blocks");
  EXPECT_EQ(change("2", {.add_blocks = {"3"}}), "blocks");
  EXPECT_EQ(change("3", {.add_blocks = {"1"}}),
            "invalid_input: Task 3 waits for task 1 already: if that waited for it too, neither could begin.");
  EXPECT_EQ(change("1", {.add_blocked_by = {"1"}}), "invalid_input: Task 1 cannot wait for itself.");
  EXPECT_EQ(change("1", {.subject = "new", .add_blocks = {"9"}}).substr(0, 9), "not_found");
  EXPECT_EQ(list.find("1")->subject, "a") << "all of a change or nothing";
  change("2", {.deleted = true});
  EXPECT_TRUE(list.find("3")->blocked_by.empty()) << "nobody waits for what is gone";
}

TEST_F(TaskListTest, RandomDependenciesNeverMakeACircle) {
  for (int i = 0; i < 12; ++i) add("t");
  std::mt19937 random(7);
  std::uniform_int_distribution<int> any(1, 12);
  for (int i = 0; i < 500; ++i) {
    change(std::to_string(any(random)), {.add_blocked_by = {std::to_string(any(random))}});
  }
  // Whoever completes what waits for nothing, again and again, comes to the end.
  for (int round = 0; round < 12; ++round) {
    for (const ListedTask* task : list.all()) {
      if (task->status == Status::pending && list.open_blockers(*task).empty()) {
        change(std::string(task->id), {.status = Status::completed});
        break;
      }
    }
  }
  for (const ListedTask* task : list.all()) EXPECT_EQ(task->status, Status::completed) << task->id;
}

TEST_F(TaskListTest, HasLimits) {
  EXPECT_EQ(add(std::string(501, 'x')), "A subject has at most 500 characters: put the rest into the description.");
  for (std::size_t i = 0; i < 60; ++i) {
    static_cast<void>(list.create({.id = {}, .subject = "s", .description = std::string(19'900, 'd')}));
  }
  EXPECT_EQ(list.create({.id = {}, .subject = "s", .description = std::string(19'900, 'd')}).error().message,
            "The task list holds at most 1.0 MB: delete tasks that are done, or write less into each.");
}

TEST_F(TaskListTest, IsTheSameAfterItWasKept) {
  add("one");
  add("two");
  change("2", {.active_form = "doing two", .owner = "me", .add_blocked_by = {"1"}, .metadata = {{"k", "v"}}});
  change("1", {.status = Status::completed});
  add("three");
  change("3", {.deleted = true});
  TaskList back = TaskList::from_json(list.to_json_value());
  EXPECT_EQ(to_json(back.to_json_value()), to_json(list.to_json_value()));
  EXPECT_EQ(back.create({.id = {}, .subject = "four", .description = ""})->id, "4");
}

TEST_F(TaskListTest, LeavesOutWhatCannotBeRead) {
  const auto json = parse_json(
      R"({"last":-3,"tasks":[{"id":"1","subject":"a","blockedBy":["2",7,"9"]},{"id":"x","subject":"b"},7,
          {"id":"2","subject":"","blockedBy":[]},{"id":"3","subject":"c","status":"odd","blockedBy":["1"]},
          {"id":"1"}]})");
  const TaskList back = TaskList::from_json(*json);
  ASSERT_EQ(back.all().size(), 2U);
  EXPECT_TRUE(back.find("1")->blocked_by.empty());
  EXPECT_EQ(back.find("3")->status, Status::pending);
  EXPECT_EQ(TaskList::from_json(nullptr).all().size(), 0U);
}

}  // namespace
}  // namespace deft
