#include "deft/tools/shared_task_list.h"

#include <utility>

namespace deft {

Result<void> SharedTaskList::keep(const TaskList& changed) {
  if (!parts_.keep) return {};
  return parts_.keep(changed.to_json_value());
}

Result<ListedTask> SharedTaskList::create(ListedTask task, std::stop_token stop) {
  Result<ListedTask> created;
  {
    const std::lock_guard lock(mutex_);
    TaskList after = list_;
    created = after.create(std::move(task));
    if (!created) return created;
    if (auto kept = keep(after); !kept) return std::unexpected(kept.error());
    list_ = std::move(after);
  }
  if (!parts_.hook) return created;
  const auto refused = parts_.hook(TaskMoment::created, *created, stop);
  if (!refused) return created;
  static_cast<void>(update(created->id, {.deleted = true}, std::move(stop)));
  return fail(Errc::denied, "A hook refused the task: " + *refused);
}

Result<TaskChanged> SharedTaskList::update(std::string_view id, const TaskChange& change, std::stop_token stop) {
  if (parts_.hook && change.status == ListedTask::Status::completed && !change.deleted) {
    const TaskList before = now();
    const ListedTask* task = before.find(id);
    if (task && task->status != ListedTask::Status::completed) {
      const auto refused = parts_.hook(TaskMoment::completed, *task, stop);
      if (refused) return fail(Errc::denied, "A hook says that the task is not complete: " + *refused);
    }
  }
  const std::lock_guard lock(mutex_);
  TaskList after = list_;
  auto changed = after.update(id, change);
  if (!changed) return changed;
  if (auto kept = keep(after); !kept) return std::unexpected(kept.error());
  list_ = std::move(after);
  return changed;
}

TaskList SharedTaskList::now() const {
  const std::lock_guard lock(mutex_);
  return list_;
}

}  // namespace deft
