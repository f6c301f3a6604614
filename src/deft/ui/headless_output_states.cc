#include <algorithm>
#include <chrono>
#include <utility>

#include "deft/os/uuid.h"
#include "deft/ui/headless_output.h"

// What goes on beside the messages of a conversation: hooks, tasks in the background, and whether anything goes on at
// all. The lines of one change stand together.

namespace deft {
namespace {

std::string_view hook_outcome_word(HookReport::End end) {
  switch (end) {
    case HookReport::End::fine:
    case HookReport::End::in_background: return "success";
    case HookReport::End::cancelled: return "cancelled";
    case HookReport::End::blocked:
    case HookReport::End::failed: return "error";
  }
  return "error";
}

std::int64_t now_ms() {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(since).count();
}

}  // namespace

void HeadlessOutput::put_system(std::string_view subtype, JsonObject line) {
  if (!wants_lines()) return;
  line["type"] = "system";
  line["subtype"] = subtype;
  line["uuid"] = random_uuid();
  line["session_id"] = session_id_;
  put_line(to_json(line));
}

// --- hooks ---

// Those of a session's start are told to everybody: what they print has a say in all that follows.
void HeadlessOutput::show_hook(const HookLife& life) {
  if (!options_.hook_events && life.event != HookEvent::session_start) return;
  JsonObject line{{"hook_id", life.id}, {"hook_name", life.name}, {"hook_event", to_string(life.event)}};
  const std::lock_guard lock(mutex_);
  if (!life.ended) return put_system("hook_started", std::move(line));
  const HookReport& report = *life.ended;
  line["output"] = report.output.empty() && report.errors.empty() ? report.error : report.output + report.errors;
  line["stdout"] = report.output;
  line["stderr"] = report.errors;
  if (report.exit_code) line["exit_code"] = *report.exit_code;
  line["outcome"] = hook_outcome_word(report.end);
  put_system("hook_response", std::move(line));
}

// --- tasks in the background ---

void HeadlessOutput::put_tasks() {
  JsonArray tasks;
  for (const TaskBegan& task : tasks_) {
    tasks.push_back(JsonObject{{"task_id", task.id}, {"task_type", task.type}, {"description", task.description}});
  }
  put_system("background_tasks_changed", {{"tasks", std::move(tasks)}});
}

void HeadlessOutput::show_tasks() {
  const std::lock_guard lock(mutex_);
  put_tasks();
}

void HeadlessOutput::put_task(const TaskBegan& begun) {
  const std::lock_guard lock(mutex_);
  std::erase_if(tasks_, [&](const TaskBegan& task) { return task.id == begun.id; });  // one that is resumed
  tasks_.push_back(begun);
  put_tasks();
  JsonObject line{
      {"task_id", begun.id}, {"task_type", begun.type}, {"description", begun.description}, {"is_backgrounded", true}};
  if (!begun.call_id.empty()) line["tool_use_id"] = begun.call_id;
  put_system("task_started", std::move(line));
}

void HeadlessOutput::put_task(const TaskEnded& ended) {
  const std::lock_guard lock(mutex_);
  const std::string_view status = ended.status == "stopped" ? "killed" : std::string_view(ended.status);
  put_system("task_updated",
             {{"task_id", ended.id}, {"patch", JsonObject{{"status", status}, {"end_time", now_ms()}}}});
  JsonObject line{
      {"task_id", ended.id}, {"status", ended.status}, {"output_file", ended.output_file}, {"summary", ended.summary}};
  if (!ended.call_id.empty()) line["tool_use_id"] = ended.call_id;
  put_system("task_notification", std::move(line));
  if (std::erase_if(tasks_, [&](const TaskBegan& task) { return task.id == ended.id; }) > 0) put_tasks();
}

// --- the session's state ---

void HeadlessOutput::put_state() {
  const std::string_view state = questions_ > 0 ? "requires_action" : works_ ? "running" : "idle";
  if (std::exchange(state_, state) == state || !options_.session_states) return;
  put_system("session_state_changed", {{"state", state}});
}

void HeadlessOutput::begin_work() {
  const std::lock_guard lock(mutex_);
  works_ = true;
  put_state();
}

void HeadlessOutput::rest() {
  const std::lock_guard lock(mutex_);
  works_ = false;
  put_state();
}

void HeadlessOutput::begin_question() {
  const std::lock_guard lock(mutex_);
  ++questions_;
  put_state();
}

void HeadlessOutput::end_question() {
  const std::lock_guard lock(mutex_);
  if (questions_ > 0) --questions_;
  put_state();
}

}  // namespace deft
