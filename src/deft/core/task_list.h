#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "deft/base/json.h"
#include "deft/base/result.h"

// The tasks that the agents of a session share: who works on what, and what must be done before what. Pure values; who
// shares a list between threads guards it (tools/shared_task_list.h).

namespace deft {

inline constexpr std::size_t kTasksMax = 1'000;
inline constexpr std::size_t kTaskSubjectCharactersMax = 500;
inline constexpr std::size_t kTaskDescriptionCharactersMax = 20'000;
inline constexpr std::size_t kTaskMetadataBytesMax = 16'384;
inline constexpr std::size_t kTaskListBytesMax = std::size_t{1} << 20;  // of all of it, as JSON

struct ListedTask {
  enum class Status : std::uint8_t { pending, in_progress, completed };
  std::string id;  // a number from 1 on; never used again
  std::string subject;
  std::string description;
  std::string active_form = {};  // "Running the tests": what to show meanwhile
  Status status = Status::pending;
  std::string owner = {};
  std::vector<std::string> blocked_by = {};  // ids, in the order they were added
  JsonObject metadata = {};
};
std::string_view to_string(ListedTask::Status status);

// What TaskUpdate changes of a task; what is not set stays.
struct TaskChange {
  std::optional<std::string> subject = std::nullopt;
  std::optional<std::string> description = std::nullopt;
  std::optional<std::string> active_form = std::nullopt;
  std::optional<ListedTask::Status> status = std::nullopt;
  bool deleted = false;
  std::optional<std::string> owner = std::nullopt;
  std::vector<std::string> add_blocks = {};
  std::vector<std::string> add_blocked_by = {};
  JsonObject metadata = {};  // merged; null removes a key
};

struct TaskChanged {
  std::vector<std::string> fields;                                 // what is different now, as the input calls it
  std::optional<ListedTask::Status> status_before = std::nullopt;  // if that changed
};

class TaskList {
 public:
  // Errors: `limit`; `invalid_input` for an empty subject.
  Result<ListedTask> create(ListedTask task);
  // All of it or nothing. Errors: `not_found` for an unknown id; `invalid_input` for a circle, for work on a task that
  // waits for others or that somebody else works on; `limit`.
  Result<TaskChanged> update(std::string_view id, const TaskChange& change);

  const ListedTask* find(std::string_view id) const;
  std::vector<const ListedTask*> all() const;                            // by number
  std::vector<std::string> blocks(std::string_view id) const;            // who waits for it
  std::vector<std::string> open_blockers(const ListedTask& task) const;  // what it still waits for

  // One task as tools show it, with what it blocks.
  JsonObject task_json(const ListedTask& task) const;
  // The whole list, to be kept; and back. What of it cannot be read is left out.
  Json to_json_value() const;
  static TaskList from_json(const Json& json);

 private:
  Result<void> add_dependency(std::string_view waiting, std::string_view for_what);
  bool waits_for(std::string_view waiting, std::string_view for_what) const;
  Result<void> check_size() const;
  static Result<void> check_text(const ListedTask& task);

  std::map<std::uint64_t, ListedTask> tasks_;
  std::uint64_t last_number_ = 0;
};

}  // namespace deft
