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
  // Also told of everything that it prints, as it comes, on a thread of the task's own; it must not wait.
  OutputSink on_output = nullptr;
};

struct TaskView {
  enum class Status : std::uint8_t { running, completed, failed, stopped, timed_out };
  std::string id;
  std::string command;
  std::string description;
  Status status = Status::running;
  std::optional<int> exit_code;  // nothing: it runs, or was killed
  std::string output_file;
  std::string output;  // look() only
  std::uint64_t output_bytes = 0;

  bool is_completed() const { return status != Status::running; }
};
std::string_view to_string(TaskView::Status status);

// The background commands of one session, whoever started them. They end with it. Any thread may call.
class BackgroundTasks {
 public:
  BackgroundTasks() = default;
  ~BackgroundTasks();
  BackgroundTasks(const BackgroundTasks&) = delete;
  BackgroundTasks& operator=(const BackgroundTasks&) = delete;

  // A name for the next one: its output file is made before it starts.
  std::string next_id();
  // From now on the command is watched here. Error `limit`: too many run; then it is still the caller's.
  Result<void> adopt(const std::string& id, BackgroundCommand& command);

  enum class Part : std::uint8_t { all, since_last };
  std::optional<TaskView> look(std::string_view id, Part part);
  std::vector<TaskView> list() const;  // in the order of their starts, without output
  // Ends it and all its descendants; returns when that is done. Nothing: no such task. False: it had ended before.
  std::optional<bool> stop(std::string_view id);
  // Calls back once the task has ended: at once if it has, or if there is no such task.
  void when_ended(std::string_view id, std::function<void()> callback);

 private:
  struct Task;

  using Tasks = std::map<std::uint64_t, std::shared_ptr<Task>>;

  void watch(Task& task, std::stop_token stop);
  Tasks take_old_ones();  // under mutex_
  TaskView view_of(const Task& task) const;

  mutable std::mutex mutex_;
  std::uint64_t last_number_ = 0;  // under mutex_
  Tasks tasks_;                    // under mutex_, and what is said so in Task
};

}  // namespace deft
