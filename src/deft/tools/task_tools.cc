#include "deft/tools/task_tools.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "deft/base/text.h"

// TaskOutput and TaskStop: what is done with a command that Bash left running, and with a subagent in the background.

namespace deft {
namespace {

constexpr std::size_t kCommandShownCharacters = 80;

// Old transcripts call it bash_id or shell_id.
std::string task_id(const Json& input) {
  for (const std::string_view field : {"task_id", "bash_id", "shell_id"}) {
    if (const auto id = find_string(input, field)) return std::string(*id);
  }
  return {};
}

std::string line_about(const TaskView& task) {
  std::string line = task.id + "  " + std::string(to_string(task.status));
  if (task.exit_code && *task.exit_code != 0) line += " (exit code " + std::to_string(*task.exit_code) + ")";
  return line + "  " + one_line(task.command, kCommandShownCharacters);
}

std::string list_text(const std::vector<TaskView>& tasks) {
  if (tasks.empty()) return "There are no background tasks.";
  std::vector<std::string> lines;
  for (const TaskView& task : tasks) lines.push_back(line_about(task));
  return join(lines, "\n");
}

Json details_of(const TaskView& task) {
  JsonObject details{{"task_id", task.id},
                     {"task_type", task.type},
                     {"status", to_string(task.status)},
                     {"is_completed", task.is_completed()},
                     {"command", task.command},
                     {"description", task.description},
                     {"outputFile", task.output_file},
                     {"outputBytes", task.output_bytes}};
  if (task.exit_code) details["exitCode"] = *task.exit_code;
  return details;
}

Error no_such_task(const std::string& id, const std::vector<TaskView>& tasks) {
  return {Errc::not_found, "No background task " + json_quote(one_line(id, 100)) + ". " + list_text(tasks)};
}

class TaskOutputTool final : public Tool {
 public:
  explicit TaskOutputTool(std::shared_ptr<BackgroundTasks> tasks) : tasks_(std::move(tasks)) {}
  const ToolSpec& spec() const override { return spec_; }
  bool is_read_only(const Json&, const SessionView&) const override { return true; }
  bool is_session_only(const Json&) const override { return true; }
  std::optional<Footprint> footprint(const Json&, const SessionView&) const override {
    return Footprint::uses_session(Footprint::Use::read);
  }

  std::optional<Wait> wait_for(const Json& input, ToolIo&) const override {
    const std::string id = task_id(input);
    if (id.empty() || !find_bool(input, "block").value_or(true)) return std::nullopt;
    const auto wait_ms =
        std::clamp<std::int64_t>(find_int(input, "timeout").value_or(kTaskWaitMsDefault), 0, kTaskWaitMsMax);
    return Wait{
        .at_most = std::chrono::milliseconds(wait_ms),
        .watch = [tasks = tasks_, id](std::function<void()> end_wait) { tasks->when_ended(id, std::move(end_wait)); }};
  }

  Result<ToolResult> run(const Json& input, ToolIo&) override {
    const std::string id = task_id(input);
    if (id.empty()) return list();
    const auto part = find_bool(input, "since_last").value_or(find(input, "bash_id") != nullptr)
                          ? BackgroundTasks::Part::since_last
                          : BackgroundTasks::Part::all;
    const auto task = tasks_->look(id, part);
    if (!task) return std::unexpected(no_such_task(id, tasks_->list()));
    const bool waited = find_bool(input, "block").value_or(true);
    const std::string_view retrieval = task->is_completed() ? "success" : waited ? "timeout" : "not_ready";
    JsonObject details{{"retrieval_status", retrieval}, {"task", details_of(*task)}};
    details["task"].get_object()["output"] = task->output;
    return ToolResult{.text = text_of(*task, part), .details = std::move(details)};
  }

  std::string render_use(const Json& input) const override { return "TaskOutput(" + task_id(input) + ")"; }

 private:
  ToolResult list() const {
    const auto tasks = tasks_->list();
    JsonArray all;
    for (const TaskView& task : tasks) all.push_back(details_of(task));
    return {.text = list_text(tasks), .details = JsonObject{{"tasks", std::move(all)}}};
  }

  static std::string text_of(const TaskView& task, BackgroundTasks::Part part) {
    std::string text = line_about(task) + "\n";
    if (task.status == TaskView::Status::running) text += "It is not ready: ask again later, or wait with block.\n";
    const bool only_new = part == BackgroundTasks::Part::since_last;
    if (task.output.empty()) return text + (only_new ? "No new output." : "No output so far.");
    return text + (only_new ? "New output:\n" : "Output:\n") + task.output;
  }

  const std::shared_ptr<BackgroundTasks> tasks_;
  const ToolSpec spec_{
      .name = "TaskOutput",
      .aliases = {"BashOutput"},
      .description =
          "Shows what a background task has printed so far and whether it has ended.\n"
          "- task_id comes from the Bash or Agent call that started it; without one all tasks are listed.\n"
          "- Waits for its end by default (block), at most timeout milliseconds; with block: false it answers at "
          "once.\n"
          "- since_last: true gives only what came since the last look. The whole output is in the task's file too.",
      .input_schema =
          JsonObject{
              {"type", "object"},
              {"properties",
               {{"task_id", {{"type", "string"}, {"description", "The task; without it all are listed."}}},
                {"bash_id", {{"type", "string"}, {"description", "Old name of task_id."}}},
                {"block", {{"type", "boolean"}, {"description", "Wait for its end; true if not given."}}},
                {"timeout",
                 {{"type", "integer"},
                  {"minimum", 0},
                  {"description", "Milliseconds to wait at most; 30000 if not given, 600000 at most."}}},
                {"since_last", {{"type", "boolean"}, {"description", "Only what is new since the last look."}}}}},
              {"additionalProperties", false}},
      .search_hint = "background shell task result progress wait log",
      .on_interrupt = OnInterrupt::cancel,
      .result_characters_max = kUnlimited};  // bounded by what a task shows
};

class TaskStopTool final : public Tool {
 public:
  explicit TaskStopTool(std::shared_ptr<BackgroundTasks> tasks) : tasks_(std::move(tasks)) {}
  const ToolSpec& spec() const override { return spec_; }
  bool is_session_only(const Json&) const override { return true; }
  std::optional<Footprint> footprint(const Json&, const SessionView&) const override {
    return Footprint::uses_session(Footprint::Use::write);
  }
  Result<void> validate(const Json& input, ToolIo&) const override {
    if (task_id(input).empty()) return fail(Errc::invalid_input, "task_id is missing. " + list_text(tasks_->list()));
    return {};
  }

  Result<ToolResult> run(const Json& input, ToolIo&) override {
    const std::string id = task_id(input);
    const auto stopped = tasks_->stop(id);
    const auto task = tasks_->look(id, BackgroundTasks::Part::all);
    if (!stopped || !task) return std::unexpected(no_such_task(id, tasks_->list()));
    const std::string message = *stopped ? "Stopped " + id + " and everything it had started: "
                                         : id + " had ended before (" + std::string(to_string(task->status)) + "): ";
    return ToolResult{.text = message + one_line(task->command, kCommandShownCharacters),
                      .details = JsonObject{{"message", message + task->command},
                                            {"task_id", id},
                                            {"task_type", task->type},
                                            {"command", task->command}}};
  }

  std::string render_use(const Json& input) const override { return "TaskStop(" + task_id(input) + ")"; }

 private:
  const std::shared_ptr<BackgroundTasks> tasks_;
  const ToolSpec spec_{
      .name = "TaskStop",
      .aliases = {"KillShell", "KillBash"},
      .description = "Ends a background task and every process that it has started. Its output so far stays readable.",
      .input_schema = JsonObject{{"type", "object"},
                                 {"properties",
                                  {{"task_id", {{"type", "string"}, {"description", "The task to end."}}},
                                   {"shell_id", {{"type", "string"}, {"description", "Old name of task_id."}}}}},
                                 {"additionalProperties", false}},
      .search_hint = "kill end background shell task process"};
};

}  // namespace

std::shared_ptr<Tool> make_task_output_tool(std::shared_ptr<BackgroundTasks> tasks) {
  return std::make_shared<TaskOutputTool>(std::move(tasks));
}

std::shared_ptr<Tool> make_task_stop_tool(std::shared_ptr<BackgroundTasks> tasks) {
  return std::make_shared<TaskStopTool>(std::move(tasks));
}

}  // namespace deft
