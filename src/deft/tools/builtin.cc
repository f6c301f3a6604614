#include "deft/tools/builtin.h"

#include <iterator>

#include "deft/tools/apply_patch.h"
#include "deft/tools/ask_user_question.h"
#include "deft/tools/edit.h"
#include "deft/tools/glob_tool.h"
#include "deft/tools/grep.h"
#include "deft/tools/notebook_edit.h"
#include "deft/tools/plan_mode.h"
#include "deft/tools/powershell.h"
#include "deft/tools/read.h"
#include "deft/tools/schedule_tools.h"
#include "deft/tools/sleep.h"
#include "deft/tools/task_list_tools.h"
#include "deft/tools/task_tools.h"
#include "deft/tools/todo_write.h"
#include "deft/tools/tool_search.h"
#include "deft/tools/web_fetch.h"
#include "deft/tools/write.h"

namespace deft {

std::vector<std::shared_ptr<Tool>> make_builtin_tools(const BuiltinOptions& options) {
  const auto tasks = options.tasks ? options.tasks : std::make_shared<BackgroundTasks>();
  const OtherTools others = options.others ? options.others() : OtherTools{};
  const auto commands = std::make_shared<BashCommands>(options.bash);
  std::vector<std::shared_ptr<Tool>> tools = {
      make_ask_user_question_tool(),
      make_bash_tool(commands, tasks),
      options.apply_patch ? make_apply_patch_tool(others.observer) : make_edit_tool(others.observer),
      make_enter_plan_mode_tool(),
      make_enter_worktree_tool(options.worktree),
      make_exit_plan_mode_tool(options.grants_by_meaning),
      make_exit_worktree_tool(options.worktree),
      make_glob_tool(options.search),
      make_grep_tool(options.search),
      make_read_tool(options.after_reading),
      make_skill_tool(options.skill),
      make_notebook_edit_tool(others.observer),
      make_sleep_tool(),
      make_task_output_tool(tasks),
      make_task_stop_tool(tasks),
      make_todo_write_tool(),
      make_tool_search_tool(),
      make_web_fetch_tool(options.web),
      make_write_tool(others.observer)};
  // Those that are there only where the settings name what they need.
  for (const auto& tool : {make_web_search_tool(options.web, options.web_search), make_advisor_tool(options.advisor),
                           make_remote_trigger_tool(options.web, options.remote_targets)}) {
    if (tool) tools.push_back(tool);
  }
  tools.insert(tools.end(), others.tools.begin(), others.tools.end());
  const auto add = [&](std::vector<std::shared_ptr<Tool>> more) {
    tools.insert(tools.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  };
  add(make_task_list_tools(options.task_list ? options.task_list : std::make_shared<SharedTaskList>()));
  if (options.monitor.sink) tools.push_back(make_monitor_tool(commands, tasks, options.monitor, options.web));
  if (!options.powershell.empty()) tools.push_back(make_powershell_tool(options.powershell, options.bash, tasks));
  if (options.schedule) add(make_schedule_tools(options.schedule));
  return tools;
}

}  // namespace deft
