#include "deft/agent/advisor.h"
#include "deft/agent/model_search.h"
#include "deft/agent/task_hooks.h"
#include "deft/base/path.h"
#include "deft/base/text.h"
#include "deft/os/local_time.h"
#include "deft/ui/agent_session.h"

// What single tools need of a session: where a list is kept, a model to be asked, somebody to be told.

namespace deft {
namespace {

constexpr const char* kTasksState = "tasks";  // of the session's journal
constexpr std::size_t kTaskShownMax = 200;    // characters of what a task is about

// Of one project, for all its sessions; beside the sessions, so that no repository can schedule anything.
std::string schedule_file(const std::string& directory) {
  const std::string sessions = SessionStore::default_folder();
  if (sessions.empty()) return {};
  return std::string(parent_path(sessions)) + "/schedules/" + safe_file_name(directory) + ".json";
}

}  // namespace

// What is asked beside the conversation is the session's to pay for. A model judges calls where a small one was named,
// by the settings or by its makers: nobody wants the large one to be asked about every command.
void AgentSession::make_side_client() {
  side_.emplace(*client_, [this](const std::string& model, const Json& usage) {
    const ModelPrice* price = settings_.prices.of(model);
    SessionUsage used;
    used.add(model, usage, price ? cost_of(*price, token_use(usage)) : 0);
    if (agent_) agent_->add_usage(used);
  });
  const bool has_small = !provider_.small_model.empty() &&
                         (provider_.small_model != provider_.model || !settings_.model.small_model.empty());
  if (!has_small) return;
  classifier_.emplace(*side_, clock_, provider_.small_model, auto_mode_rules(settings_.auto_mode));
}

void AgentSession::use_toolbox(BuiltinOptions& builtin) {
  Engine* engine = &agent_->engine();
  const auto keep_tasks = [engine](const Json& list) { return engine->journal().state(kTasksState, list); };
  const auto hook = task_hooks(hooks_->runner(), [engine] {
    const auto permissions = engine->permissions();
    return HookScene{.directory = permissions->setup().directory, .mode = permissions->mode()};
  });
  builtin.task_list = std::make_shared<SharedTaskList>(SharedTaskList::Parts{.keep = keep_tasks, .hook = hook},
                                                       agent_->state(kTasksState));
  if (remembering_) {
    builtin.advisor.model = provider_.advisor_model;
    builtin.advisor.ask =
        advisor_model(*side_, clock_, provider_.advisor_model, [client = &*remembering_] { return client->history(); });
  }
  if (provider_.api == ModelApi::anthropic) {
    const std::string& model = provider_.small_model.empty() ? provider_.model : provider_.small_model;
    builtin.web_search.by_model = model_search(*side_, clock_, model);
  }
  SharedSchedule::Parts schedule{.clock = clock_,
                                 .offset = local_utc_offset,
                                 .durable_file = schedule_file(options_.working_directory),
                                 .gives_prompts = options_.give_prompt != nullptr};
  if (!options_.give_prompt) {
    ear_->agent = &*agent_;
    builtin.monitor = {.sink = [ear = ear_](const MonitorEvent& event) { ear->tell(event.text()); },
                       .turns_follow = false};
    builtin.schedule = std::make_shared<SharedSchedule>(std::move(schedule));
    for (std::string& line : builtin.schedule->overdue()) notices_.push_back(std::move(line));
    return;
  }
  builtin.monitor = {.sink = [give = options_.give_prompt](const MonitorEvent& event) { give(event.text()); }};
  schedule_.emplace(ScheduleWatch::Parts{.schedule = std::move(schedule),
                                         .give = options_.give_prompt,
                                         .tell = [this](std::string notice) { tell(std::move(notice)); }});
  builtin.schedule = schedule_->schedule();
}

// Of subagents those tell who have them.
void AgentSession::tell_of_tasks(Frontend& frontend) {
  tasks_->tell_of_tasks([watch = &frontend](const TaskView& task) {
    if (task.type == "local_agent") return;
    const std::string about = one_line(task.description.empty() ? task.command : task.description, kTaskShownMax);
    if (!task.is_completed()) {
      return watch->show(TaskBegan{.id = task.id, .call_id = task.call_id, .type = task.type, .description = about});
    }
    const bool is_late = task.status == TaskView::Status::timed_out;
    std::string summary =
        about + (is_late ? " took too long and was ended" : " " + std::string(to_string(task.status)));
    if (task.exit_code && *task.exit_code != 0) summary += " (exit code " + std::to_string(*task.exit_code) + ")";
    watch->show(TaskEnded{.id = task.id,
                          .call_id = task.call_id,
                          .status = std::string(to_string(is_late ? TaskView::Status::failed : task.status)),
                          .output_file = task.output_file,
                          .summary = std::move(summary)});
  });
}

std::vector<std::string> AgentSession::left_running() const {
  std::vector<std::string> lines;
  for (const TaskView& task : tasks_->list()) {
    if (task.is_completed()) continue;
    const std::string& about = task.description.empty() ? task.command : task.description;
    lines.push_back("Ended with this run: the background task " + task.id + " (" + one_line(about, kTaskShownMax) +
                    ")");
  }
  return lines;
}

}  // namespace deft
