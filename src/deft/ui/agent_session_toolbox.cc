#include "deft/agent/advisor.h"
#include "deft/agent/model_search.h"
#include "deft/agent/task_hooks.h"
#include "deft/base/path.h"
#include "deft/os/local_time.h"
#include "deft/ui/agent_session.h"

// What single tools need of a session: where a list is kept, a model to be asked, somebody to be told.

namespace deft {
namespace {

constexpr const char* kTasksState = "tasks";  // of the session's journal

// Of one project, for all its sessions; beside the sessions, so that no repository can schedule anything.
std::string schedule_file(const std::string& directory) {
  const std::string sessions = SessionStore::default_folder();
  if (sessions.empty()) return {};
  return std::string(parent_path(sessions)) + "/schedules/" + safe_file_name(directory) + ".json";
}

}  // namespace

void AgentSession::use_toolbox(BuiltinOptions& builtin) {
  Engine* engine = &agent_->engine();
  const auto keep_tasks = [engine](const Json& list) { return engine->journal().state(kTasksState, list); };
  const auto hook = task_hooks(hooks_->runner(), [engine] {
    const auto permissions = engine->permissions();
    return HookScene{.directory = permissions->setup().directory, .mode = permissions->mode()};
  });
  builtin.task_list = std::make_shared<SharedTaskList>(SharedTaskList::Parts{.keep = keep_tasks, .hook = hook},
                                                       agent_->state(kTasksState));
  if (settings_.tools.advisor_enabled && !provider_.advisor_model.empty()) {
    builtin.advisor.model = provider_.advisor_model;
    builtin.advisor.ask = advisor_model(*client_, clock_, provider_.advisor_model,
                                        [client = &*remembering_] { return client->history(); });
  }
  if (provider_.api == ModelApi::anthropic) {
    const std::string& model = provider_.small_model.empty() ? provider_.model : provider_.small_model;
    builtin.web_search.by_model = model_search(*client_, clock_, model);
  }
  if (!options_.give_prompt) return;
  builtin.monitor = [give = options_.give_prompt](const MonitorEvent& event) { give(event.text()); };
  schedule_.emplace(ScheduleWatch::Parts{.schedule = {.clock = clock_,
                                                      .offset = local_utc_offset,
                                                      .durable_file = schedule_file(options_.working_directory)},
                                         .give = options_.give_prompt,
                                         .tell = [this](std::string notice) { tell(std::move(notice)); }});
  builtin.schedule = schedule_->schedule();
}

}  // namespace deft
