#include "deft/tools/builtin.h"

#include "deft/tools/bash.h"
#include "deft/tools/edit.h"
#include "deft/tools/glob_tool.h"
#include "deft/tools/grep.h"
#include "deft/tools/notebook_edit.h"
#include "deft/tools/read.h"
#include "deft/tools/sleep.h"
#include "deft/tools/write.h"

namespace deft {

std::vector<std::shared_ptr<Tool>> make_builtin_tools() {
  return {make_bash_tool(),          make_edit_tool(), make_glob_tool(),  make_grep_tool(),
          make_notebook_edit_tool(), make_read_tool(), make_sleep_tool(), make_write_tool()};
}

}  // namespace deft
