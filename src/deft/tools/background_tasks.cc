#include "deft/tools/background_tasks.h"

#include <algorithm>
#include <charconv>
#include <condition_variable>
#include <thread>
#include <utility>

namespace deft {
namespace {

constexpr std::string_view kIdPrefix = "bash_";

std::uint64_t number_of(std::string_view id) {
  if (!id.starts_with(kIdPrefix)) return 0;
  id.remove_prefix(kIdPrefix.size());
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(id.data(), id.data() + id.size(), number);
  return error == std::errc{} && end == id.data() + id.size() ? number : 0;
}

TaskView::Status status_of(const Result<std::optional<CommandEnd>>& followed) {
  if (!followed || !*followed) return TaskView::Status::failed;
  const CommandEnd& end = **followed;
  switch (end.cause) {
    case CommandEnd::Cause::timeout: return TaskView::Status::timed_out;
    case CommandEnd::Cause::cancel: return TaskView::Status::stopped;
    case CommandEnd::Cause::itself: break;
  }
  return end.signal == 0 && end.exit_code == 0 ? TaskView::Status::completed : TaskView::Status::failed;
}

}  // namespace

std::string_view to_string(TaskView::Status status) {
  switch (status) {
    case TaskView::Status::running: return "running";
    case TaskView::Status::completed: return "completed";
    case TaskView::Status::failed: return "failed";
    case TaskView::Status::stopped: return "stopped";
    case TaskView::Status::timed_out: return "timed_out";
  }
  return "failed";
}

struct BackgroundTasks::Task {
  std::string id;
  BackgroundCommand what;                               // the child: its watcher's; the output: under mutex_
  TaskView::Status status = TaskView::Status::running;  // under mutex_
  std::optional<int> exit_code;                         // under mutex_
  std::vector<std::function<void()>> callbacks;         // under mutex_
  std::jthread watcher;                                 // last: it uses all of the above
};

BackgroundTasks::~BackgroundTasks() {
  Tasks tasks;
  {
    const std::lock_guard lock(mutex_);
    tasks.swap(tasks_);
    for (auto& [number, task] : tasks) task->callbacks.clear();  // nobody waits for the end of a session
  }
  for (auto& [number, task] : tasks) task->watcher.request_stop();  // all at once, then wait for each
  tasks.clear();
}

std::string BackgroundTasks::next_id() {
  const std::lock_guard lock(mutex_);
  return std::string(kIdPrefix) + std::to_string(++last_number_);
}

Result<void> BackgroundTasks::adopt(const std::string& id, BackgroundCommand& command) {
  auto task = std::make_shared<Task>();
  Tasks forgotten;  // destroyed without the lock: their watchers may still be on their way out
  const std::lock_guard lock(mutex_);
  const auto running = std::count_if(tasks_.begin(), tasks_.end(),
                                     [](const auto& it) { return it.second->status == TaskView::Status::running; });
  if (static_cast<std::size_t>(running) >= kBackgroundTasksRunningMax) {
    return fail(Errc::limit, std::to_string(kBackgroundTasksRunningMax) +
                                 " background tasks run already: stop one with TaskStop first.");
  }
  task->id = id;
  task->what = std::move(command);
  task->what.output->keep_all();
  Task& watched = *task;
  task->watcher = std::jthread([this, &watched](std::stop_token stop) { watch(watched, std::move(stop)); });
  tasks_.emplace(number_of(id), std::move(task));
  forgotten = take_old_ones();
  return {};
}

void BackgroundTasks::watch(Task& task, std::stop_token stop) {
  const auto keep = [&](OutputStream stream, std::string_view bytes) {
    {
      const std::lock_guard lock(mutex_);
      task.what.output->add(bytes);
    }
    if (task.what.on_output) task.what.on_output(stream, bytes);
  };
  const auto end = task.what.child->follow(keep, {.cancel = stop, .deadline = task.what.deadline}, {});
  std::vector<std::function<void()>> callbacks;
  {
    const std::lock_guard lock(mutex_);
    task.status = status_of(end);
    if (end && *end && (*end)->signal == 0) task.exit_code = (*end)->exit_code;
    if (!end) task.what.output->add("\n" + end.error().message + "\n");
    callbacks.swap(task.callbacks);
  }
  for (auto& callback : callbacks) callback();
}

BackgroundTasks::Tasks BackgroundTasks::take_old_ones() {
  Tasks taken;
  for (auto at = tasks_.begin(); at != tasks_.end() && tasks_.size() > kBackgroundTasksKeptMax;) {
    const auto next = std::next(at);
    if (at->second->status != TaskView::Status::running) taken.insert(tasks_.extract(at));
    at = next;
  }
  return taken;
}

TaskView BackgroundTasks::view_of(const Task& task) const {
  return {.id = task.id,
          .command = task.what.command,
          .description = task.what.description,
          .status = task.status,
          .exit_code = task.exit_code,
          .output_file = task.what.output->file(),
          .output = {},
          .output_bytes = task.what.output->size()};
}

std::optional<TaskView> BackgroundTasks::look(std::string_view id, Part part) {
  const std::lock_guard lock(mutex_);
  const auto found = tasks_.find(number_of(id));
  if (found == tasks_.end()) return std::nullopt;
  TaskView view = view_of(*found->second);
  ShellOutput& output = *found->second->what.output;
  const std::string fresh = output.take_new();
  view.output = part == Part::all ? output.text() : fresh;
  return view;
}

std::vector<TaskView> BackgroundTasks::list() const {
  const std::lock_guard lock(mutex_);
  std::vector<TaskView> views;
  for (const auto& [number, task] : tasks_) views.push_back(view_of(*task));
  return views;
}

std::optional<bool> BackgroundTasks::stop(std::string_view id) {
  std::shared_ptr<Task> task;
  {
    const std::lock_guard lock(mutex_);
    const auto found = tasks_.find(number_of(id));
    if (found == tasks_.end()) return std::nullopt;
    if (found->second->status != TaskView::Status::running) return false;
    task = found->second;
  }
  std::mutex mutex;
  std::condition_variable changed;
  bool ended = false;
  when_ended(id, [&] {
    const std::lock_guard lock(mutex);
    ended = true;
    changed.notify_all();
  });
  task->watcher.request_stop();
  std::unique_lock lock(mutex);
  changed.wait(lock, [&] { return ended; });
  return true;
}

void BackgroundTasks::when_ended(std::string_view id, std::function<void()> callback) {
  {
    const std::lock_guard lock(mutex_);
    const auto found = tasks_.find(number_of(id));
    if (found != tasks_.end() && found->second->status == TaskView::Status::running) {
      found->second->callbacks.push_back(std::move(callback));
      return;
    }
  }
  callback();
}

}  // namespace deft
