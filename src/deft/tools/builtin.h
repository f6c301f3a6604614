#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "deft/tools/advisor.h"
#include "deft/tools/background_tasks.h"
#include "deft/tools/bash.h"
#include "deft/tools/file_change_observer.h"
#include "deft/tools/monitor.h"
#include "deft/tools/read.h"
#include "deft/tools/remote_trigger.h"
#include "deft/tools/search_root.h"
#include "deft/tools/shared_schedule.h"
#include "deft/tools/shared_task_list.h"
#include "deft/tools/skill.h"
#include "deft/tools/tool.h"
#include "deft/tools/web_page.h"
#include "deft/tools/web_search.h"
#include "deft/tools/worktree.h"

namespace deft {

// Tools of the layers above this one, and who looks at files when a tool has changed them.
struct OtherTools {
  std::vector<std::shared_ptr<Tool>> tools{};
  std::shared_ptr<FileChangeObserver> observer{};
};

struct BuiltinOptions {
  BashOptions bash{};
  AfterReading after_reading{};
  SearchOptions search{};
  WebOptions web{};
  WebSearchOptions web_search{};
  SkillToolOptions skill{};
  WorktreeToolOptions worktree{};
  std::function<OtherTools()> others{};  // called for each session
  bool apply_patch = false;              // instead of Edit, for models that were trained on it: is_trained_on_patches()
  // Shared by all agents of the session; null: a list of their own, which nobody keeps.
  std::shared_ptr<SharedTaskList> task_list = nullptr;
  // Null: nothing can be scheduled, because nobody would give what is due to the model.
  std::shared_ptr<SharedSchedule> schedule = nullptr;
  MonitorOptions monitor = {};
  std::vector<RemoteTriggerTarget> remote_targets = {};  // empty: there is no RemoteTrigger
  AdvisorOptions advisor = {};
  bool grants_by_meaning = false;  // of ExitPlanMode: there is a classifier that judges commands by them
  std::string powershell = {};     // the program, absolute: find_powershell(); empty: there is none
  // What runs in the background, if others add to it too (agent/subagents.h); null: the tools' own.
  std::shared_ptr<BackgroundTasks> tasks{};
};

// Every tool that comes with deft, for one session.
std::vector<std::shared_ptr<Tool>> make_builtin_tools(const BuiltinOptions& options = {});

}  // namespace deft
