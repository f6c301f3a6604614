#include <utility>

#include "deft/agent/executor.h"
#include "deft/agent/executor_records.h"

// What is done of a call on a worker's thread, or by the turn itself while it has nothing else to do.

namespace deft {
namespace {

constexpr std::chrono::milliseconds kQuickCallPatience{20};  // how long one that reads a file may keep others waiting

}  // namespace

void Executor::start_worker(CallIndex index) {
  CallRecord& record = active_->calls[index];
  // A call that conflicts with everything was not asked for its footprint; now that it is alone its paths are settled.
  if (!record.admitted->resolved) parts_.pipeline.resolve(*record.admitted, view_for(index), scheduling());
  if (record.started == TimePoint{}) {
    record.started = parts_.clock.now();
    if (parts_.frontend.wants_progress()) active_->started.push_back(record.id);
  }
  record.place = CallRecord::Place::worker;
  SessionView view = view_for(index);
  auto permissions = permissions_for(view);
  auto progress = [frontend = &parts_.frontend, id = record.id](Json data) {
    frontend->show(CallProgressed{id, std::move(data)});
  };
  auto task = std::make_unique<Task>(Task{.message = active_->number,
                                          .index = index,
                                          .call = record.admitted,
                                          .setting = {.session = std::move(view),
                                                      .permissions = std::move(permissions),
                                                      .pool = active_->pool,
                                                      .stop = record.stop.get_token(),
                                                      .to_background = record.to_background.get_token(),
                                                      .wants_proposal = wants_proposals(),
                                                      .progress = std::move(progress)},
                                          .answer = std::exchange(record.host_answer, std::nullopt),
                                          .is_prepared = record.wait_is_over,
                                          .hooks = record.admitted->hooks.value_or(HookOutcome{})});
  if (parts_.frontend.wants_times()) task->setting.times = &task->times;
  auto its_work = [this](std::unique_ptr<Task> owned) {
    return [this, own = std::move(owned)] { inbox_->push(work(parts_.pipeline, *own)); };
  };
  if (!parts_.pipeline.is_quick(*record.admitted)) return parts_.runner.start(its_work(std::move(task)));
  bool waits = false;
  if (is_brief(record)) {
    waits = parts_.runner.start_brief([this, its_work, own = std::move(task)]() mutable {
      auto report = work_briefly(parts_.pipeline, *own);
      if (report) return inbox_->push(std::move(*report));
      parts_.runner.start(its_work(std::move(own)));
    });
  } else {
    waits = parts_.runner.start_quick(its_work(std::move(task)));
  }
  if (!waits || std::exchange(hurries_later_, true)) return;
  post_at(parts_.clock.now() + kQuickCallPatience, [this] {
    hurries_later_ = false;
    parts_.runner.hurry();
  });
}

// Whoever would have to wait for somebody's opinion is not brief.
bool Executor::is_brief(const CallRecord& record) const {
  const PermissionSetup& setup = parts_.permissions->setup();
  return record.admitted->tool().spec().may_be_brief && setup.mode != Mode::auto_ && setup.meanings.empty();
}

// These three touch nothing but their task: they are a worker's, or of whoever helps.
std::optional<Executor::WorkerReport> Executor::work_briefly(const CallPipeline& pipeline, Task& task) {
  if (auto ends_here = prepare(pipeline, task)) return ends_here;
  const TimePoint began = pipeline.now();
  auto result = pipeline.run_briefly(*task.call, task.setting);
  if (!result) return std::nullopt;
  return finish(pipeline, task, pipeline.now() - began, std::move(*result));
}

Executor::WorkerReport Executor::work(const CallPipeline& pipeline, Task& task) {
  if (auto ends_here = prepare(pipeline, task)) return std::move(*ends_here);
  const TimePoint began = pipeline.now();
  ToolResult result = pipeline.run(*task.call, task.setting);
  return finish(pipeline, task, pipeline.now() - began, std::move(result));
}

// Nothing: it may run.
std::optional<Executor::WorkerReport> Executor::prepare(const CallPipeline& pipeline, Task& task) {
  const auto report = [&](auto what) {
    return WorkerReport{task.message, task.index, std::move(what), std::move(task.times)};
  };
  const AdmittedCall& call = *task.call;
  if (task.answer) task.setting.answer = &*task.answer;
  if (std::exchange(task.is_prepared, true)) return std::nullopt;
  Prepared prepared = pipeline.prepare(call, task.setting);
  if (auto* denied = std::get_if<Denied>(&prepared)) return report(Ended{.result = std::move(denied->result)});
  if (auto* asks = std::get_if<Asks>(&prepared)) return report(std::move(*asks));
  if (auto* replaced = std::get_if<InputReplaced>(&prepared)) return report(std::move(*replaced));
  auto& allowed = std::get<Allowed>(prepared);
  task.hooks = std::move(allowed.hooks);
  task.setting.paths = std::move(allowed.paths);
  if (auto wait = pipeline.wait_for(call, task.setting)) return report(Waits{std::move(*wait), std::move(task.hooks)});
  return std::nullopt;
}

Executor::WorkerReport Executor::finish(const CallPipeline& pipeline, Task& task, Duration took, ToolResult result) {
  const bool finished = result.error != Errc::cancelled;
  if (finished) {
    pipeline.finish(*task.call, task.setting, task.hooks, took, result);
  } else {
    pipeline.finish_stopped(*task.call, task.setting, result);
  }
  return {task.message, task.index, Ended{.result = std::move(result), .ran = true, .recorded = finished},
          std::move(task.times)};
}

}  // namespace deft
