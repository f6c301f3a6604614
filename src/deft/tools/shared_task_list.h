#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "deft/core/task_list.h"

namespace deft {

enum class TaskMoment : std::uint8_t { created, completed };

// One task list for all agents of a session. Any thread may call; each change is whole, and changes follow one another.
class SharedTaskList {
 public:
  struct Parts {
    // Where the list is kept after each change, as the last word of it; nothing: nowhere. A change that cannot be kept
    // is not made.
    std::function<Result<void>(const Json& list)> keep = nullptr;
    // The user's hooks: why it may not be, or nothing. May take its time; others go on meanwhile.
    std::function<std::optional<std::string>(TaskMoment, const ListedTask&, std::stop_token)> hook = nullptr;
  };
  SharedTaskList() = default;
  // With what was kept by an earlier run of the session; null: nothing.
  explicit SharedTaskList(Parts parts, const Json& kept = nullptr)
      : parts_(std::move(parts)), list_(TaskList::from_json(kept)) {}

  Result<ListedTask> create(ListedTask task, std::stop_token stop);
  Result<TaskChanged> update(std::string_view id, const TaskChange& change, std::stop_token stop);
  TaskList now() const;

 private:
  Result<void> keep(const TaskList& changed);  // under mutex_

  const Parts parts_ = {};
  mutable std::mutex mutex_;
  TaskList list_;  // under mutex_
};

}  // namespace deft
