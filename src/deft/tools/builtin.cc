#include "deft/tools/builtin.h"

#include "deft/tools/edit.h"
#include "deft/tools/glob_tool.h"
#include "deft/tools/grep.h"
#include "deft/tools/notebook_edit.h"
#include "deft/tools/read.h"
#include "deft/tools/sleep.h"
#include "deft/tools/task_tools.h"
#include "deft/tools/write.h"

namespace deft {

std::vector<std::shared_ptr<Tool>> make_builtin_tools(const BuiltinOptions& options) {
  auto tasks = std::make_shared<BackgroundTasks>();
  return {make_bash_tool(options.bash, tasks),
          make_edit_tool(),
          make_glob_tool(options.search),
          make_grep_tool(options.search),
          make_notebook_edit_tool(),
          make_read_tool(),
          make_sleep_tool(),
          make_task_output_tool(tasks),
          make_task_stop_tool(tasks),
          make_write_tool()};
}

}  // namespace deft
