#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "deft/base/clock.h"
#include "deft/base/result.h"
#include "deft/os/processes.h"
#include "deft/tools/shell_output.h"

namespace deft {

inline constexpr std::size_t kBackgroundTasksRunningMax = 100;
inline constexpr std::size_t kBackgroundTasksKeptMax = 300;  // ended ones are forgotten then, the oldest first

// A command that runs with nobody waiting for it.
struct BackgroundCommand {
  std::unique_ptr<Child> child;
  std::unique_ptr<ShellOutput> output;
  std::string command;
  std::string description;
  std::optional<TimePoint> deadline;
  std::string call_id = {};  // that started it
  // Also told of everything that it prints, as it comes, on a thread of the task's own; it must not wait.
  OutputSink on_output = nullptr;
};

// Something else that goes on with nobody waiting for it: a subagent. Whoever adds it tells when it has ended, and has
// ended it before it is gone itself.
struct BackgroundWork {
  std::string type;  // "local_agent"
  std::string title;
  std::string description;
  std::unique_ptr<ShellOutput> output;
  std::function<void()> stop;  // asks it to end; returns at once
  std::string call_id = {};    // that started it
};

struct TaskView {
  enum class Status : std::uint8_t { running, completed, failed, stopped, timed_out };
  std::string id;
  std::string type;     // "local_bash", "local_agent"
  std::string command;  // or its title
  std::string description;
  std::string call_id = {};  // that started it; empty: not known
  Status status = Status::running;
  std::optional<int> exit_code;  // nothing: it runs, or was killed
  std::string output_file;
  std::string output;  // look() only
  std::uint64_t output_bytes = 0;

  bool is_completed() const { return status != Status::running; }
};
std::string_view to_string(TaskView::Status status);

// What runs in the background of one session, whoever started it. They end with it. Any thread may call.
class BackgroundTasks {
 public:
  BackgroundTasks() = default;
  ~BackgroundTasks() { end(); }
  BackgroundTasks(const BackgroundTasks&) = delete;
  BackgroundTasks& operator=(const BackgroundTasks&) = delete;

  // `tell` hears of every task, when it is there and once more when it has ended, on any thread; it must not wait.
  // Before the first of them.
  using Tell = std::function<void(const TaskView& task)>;
  void tell_of_tasks(Tell tell);

  // A name for the next one: its output file is made before it starts.
  std::string next_id();
  // From now on the command is watched here. Error `limit`: too many run; then it is still the caller's.
  Result<void> adopt(const std::string& id, BackgroundCommand& command);
  // The same for other work, under an id of the caller's own: of letters and digits. An id that was used before is used
  // again.
  Result<void> add(const std::string& id, BackgroundWork work);
  void print(std::string_view id, std::string_view text);  // adds to its output
  void ended(std::string_view id, TaskView::Status status);

  enum class Part : std::uint8_t { all, since_last };
  std::optional<TaskView> look(std::string_view id, Part part);
  std::vector<TaskView> list() const;  // in the order of their starts, without output
  // Ends it and all its descendants; returns when that is done. Nothing: no such task. False: it had ended before.
  std::optional<bool> stop(std::string_view id);
  // Calls back once the task has ended: at once if it has, or if there is no such task.
  void when_ended(std::string_view id, std::function<void()> callback);
  // All commands end, and none begins any more. Before whoever runs them is gone; nobody is told.
  void end();

 private:
  struct Task;

  using Tasks = std::map<std::uint64_t, std::shared_ptr<Task>>;  // in the order of their starts

  Result<void> has_room() const;                            // under mutex_
  Task* find_task(std::string_view id) const;               // under mutex_; null: no such task
  void keep(std::shared_ptr<Task> task, Tasks& forgotten);  // under mutex_
  void end(Task& task, TaskView::Status status, std::optional<int> exit_code, std::string_view last_words);
  void watch(Task& task, std::stop_token stop);
  void tell(const TaskView& task);
  TaskView view_of(const Task& task) const;

  mutable std::mutex mutex_;
  std::uint64_t last_number_ = 0;  // of commands; under mutex_
  std::uint64_t started_ = 0;      // under mutex_
  Tasks tasks_;                    // under mutex_, and what is said so in Task
  Tell tell_;                      // under mutex_
  bool is_over_ = false;           // under mutex_
};

}  // namespace deft
