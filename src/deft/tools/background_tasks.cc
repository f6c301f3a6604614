#include "deft/tools/background_tasks.h"

#include <algorithm>
#include <condition_variable>
#include <semaphore>
#include <thread>
#include <utility>

namespace deft {
namespace {

constexpr std::string_view kIdPrefix = "bash_";

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
  std::string type;
  std::string command;
  std::string description;
  std::string call_id;
  std::unique_ptr<ShellOutput> output;                  // under mutex_
  TaskView::Status status = TaskView::Status::running;  // under mutex_
  std::optional<int> exit_code;                         // under mutex_
  std::vector<std::function<void()>> callbacks;         // under mutex_
  std::function<void()> stop_work;                      // of other work
  std::unique_ptr<Child> child;                         // of a command: its watcher's
  std::optional<TimePoint> deadline;
  OutputSink on_output;
  std::binary_semaphore is_told{0};  // that it began: nobody hears of its end before
  std::jthread watcher;              // last: it uses all of the above

  void request_stop() {
    if (stop_work) {
      stop_work();
    } else {
      watcher.request_stop();
    }
  }
};

void BackgroundTasks::end() {
  Tasks tasks;
  {
    const std::lock_guard lock(mutex_);
    tasks.swap(tasks_);
    tell_ = nullptr;
    is_over_ = true;
    for (auto& [number, task] : tasks) task->callbacks.clear();  // nobody waits for the end of a session
  }
  for (auto& [number, task] : tasks) task->watcher.request_stop();  // all at once, then wait for each
  tasks.clear();
}

void BackgroundTasks::tell_of_tasks(Tell tell) {
  const std::lock_guard lock(mutex_);
  tell_ = std::move(tell);
}

void BackgroundTasks::tell(const TaskView& task) {
  Tell tell;
  {
    const std::lock_guard lock(mutex_);
    tell = tell_;
  }
  if (tell) tell(task);
}

std::string BackgroundTasks::next_id() {
  const std::lock_guard lock(mutex_);
  return std::string(kIdPrefix) + std::to_string(++last_number_);
}

Result<void> BackgroundTasks::has_room() const {
  if (is_over_) return fail(Errc::cancelled, "The session ends: nothing begins in the background any more.");
  const auto running = std::count_if(tasks_.begin(), tasks_.end(),
                                     [](const auto& it) { return it.second->status == TaskView::Status::running; });
  if (static_cast<std::size_t>(running) < kBackgroundTasksRunningMax) return {};
  return fail(Errc::limit, std::to_string(kBackgroundTasksRunningMax) +
                               " background tasks run already: stop one with TaskStop first.");
}

BackgroundTasks::Task* BackgroundTasks::find_task(std::string_view id) const {
  const auto found = std::ranges::find_if(tasks_, [&](const auto& it) { return it.second->id == id; });
  return found == tasks_.end() ? nullptr : found->second.get();
}

void BackgroundTasks::keep(std::shared_ptr<Task> task, Tasks& forgotten) {
  tasks_.emplace(++started_, std::move(task));
  for (auto at = tasks_.begin(); at != tasks_.end() && tasks_.size() > kBackgroundTasksKeptMax;) {
    const auto next = std::next(at);
    if (at->second->status != TaskView::Status::running) forgotten.insert(tasks_.extract(at));
    at = next;
  }
}

Result<void> BackgroundTasks::adopt(const std::string& id, BackgroundCommand& command) {
  auto task = std::make_shared<Task>();
  Tasks forgotten;  // destroyed without the lock: their watchers may still be on their way out
  std::unique_lock lock(mutex_);
  if (auto room = has_room(); !room) return room;
  task->id = id;
  task->type = "local_bash";
  task->command = std::move(command.command);
  task->description = std::move(command.description);
  task->output = std::move(command.output);
  task->output->keep_all();
  task->child = std::move(command.child);
  task->deadline = command.deadline;
  task->on_output = std::move(command.on_output);
  task->call_id = std::move(command.call_id);
  Task& watched = *task;
  task->watcher = std::jthread([this, &watched](std::stop_token stop) { watch(watched, std::move(stop)); });
  const TaskView begun = view_of(watched);
  keep(task, forgotten);
  lock.unlock();
  tell(begun);
  watched.is_told.release();
  return {};
}

Result<void> BackgroundTasks::add(const std::string& id, BackgroundWork work) {
  auto task = std::make_shared<Task>();
  Tasks forgotten;
  std::unique_lock lock(mutex_);
  if (auto room = has_room(); !room) return room;
  for (auto at = tasks_.begin(); at != tasks_.end();) {
    const auto next = std::next(at);
    if (at->second->id == id) forgotten.insert(tasks_.extract(at));
    at = next;
  }
  task->id = id;
  task->type = std::move(work.type);
  task->command = std::move(work.title);
  task->description = std::move(work.description);
  task->output = std::move(work.output);
  task->output->keep_all();
  task->stop_work = std::move(work.stop);
  task->call_id = std::move(work.call_id);
  const TaskView begun = view_of(*task);
  keep(std::move(task), forgotten);
  lock.unlock();
  tell(begun);
  return {};
}

void BackgroundTasks::print(std::string_view id, std::string_view text) {
  const std::lock_guard lock(mutex_);
  if (Task* task = find_task(id)) task->output->add(text);
}

void BackgroundTasks::ended(std::string_view id, TaskView::Status status) {
  std::shared_ptr<Task> task;
  {
    const std::lock_guard lock(mutex_);
    const auto found = std::ranges::find_if(tasks_, [&](const auto& it) { return it.second->id == id; });
    if (found == tasks_.end()) return;
    task = found->second;
  }
  end(*task, status, std::nullopt, {});
}

void BackgroundTasks::watch(Task& task, std::stop_token stop) {
  const auto print_it = [&](OutputStream stream, std::string_view bytes) {
    {
      const std::lock_guard lock(mutex_);
      task.output->add(bytes);
    }
    if (task.on_output) task.on_output(stream, bytes);
  };
  const auto followed = task.child->follow(print_it, {.cancel = stop, .deadline = task.deadline}, {});
  task.is_told.acquire();
  const bool exited = followed && *followed && (*followed)->signal == 0;
  end(task, status_of(followed), exited ? std::optional((*followed)->exit_code) : std::nullopt,
      followed ? "" : "\n" + followed.error().message + "\n");
}

void BackgroundTasks::end(Task& task, TaskView::Status status, std::optional<int> exit_code,
                          std::string_view last_words) {
  std::vector<std::function<void()>> callbacks;
  TaskView ended;
  {
    const std::lock_guard lock(mutex_);
    task.status = status;
    task.exit_code = exit_code;
    if (!last_words.empty()) task.output->add(last_words);
    callbacks.swap(task.callbacks);
    ended = view_of(task);
  }
  tell(ended);
  for (auto& callback : callbacks) callback();
}

TaskView BackgroundTasks::view_of(const Task& task) const {
  return {.id = task.id,
          .type = task.type,
          .command = task.command,
          .description = task.description,
          .call_id = task.call_id,
          .status = task.status,
          .exit_code = task.exit_code,
          .output_file = task.output->file(),
          .output = {},
          .output_bytes = task.output->size()};
}

std::optional<TaskView> BackgroundTasks::look(std::string_view id, Part part) {
  const std::lock_guard lock(mutex_);
  Task* task = find_task(id);
  if (!task) return std::nullopt;
  TaskView view = view_of(*task);
  const std::string fresh = task->output->take_new();
  view.output = part == Part::all ? task->output->text() : fresh;
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
    const auto found = std::ranges::find_if(tasks_, [&](const auto& it) { return it.second->id == id; });
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
  task->request_stop();
  std::unique_lock lock(mutex);
  changed.wait(lock, [&] { return ended; });
  return true;
}

void BackgroundTasks::when_ended(std::string_view id, std::function<void()> callback) {
  {
    const std::lock_guard lock(mutex_);
    Task* task = find_task(id);
    if (task && task->status == TaskView::Status::running) {
      task->callbacks.push_back(std::move(callback));
      return;
    }
  }
  callback();
}

}  // namespace deft
