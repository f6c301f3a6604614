#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "deft/testing/places.h"
#include "deft/testing/run_command.h"

namespace deft::testing {
namespace {

TEST(ToolsPage, IsWhatTheProgramPrints) {
  const CommandOutput printed = run_command({DEFT_PROGRAM, "tools", "--markdown"}, "/", "deft");
  ASSERT_EQ(printed.exit_code, 0) << printed.errors;
  std::ostringstream page;
  page << std::ifstream(DEFT_SOURCE_DIR "/docs/tools.md").rdbuf();
  EXPECT_EQ(page.str(), printed.output) << "A tool's declaration has changed. Make the page anew, in the project's "
                                           "folder: build/release/deft tools --markdown > docs/tools.md";
}

TEST(ToolsPage, NamesEveryInputOfEveryTool) {
  const CommandOutput printed = run_command({DEFT_PROGRAM, "tools", "--markdown"}, "/", "deft");
  for (const char* expected : {"\n## Bash\n", "\n## Edit\n", "\n## NotebookEdit\n", "\n## Read\n", "\n## Write\n",
                               "| `old_string` (required) | string |", "| `pages` | string |",
                               "| `edit_mode` | `\"replace\"`, `\"insert\"`, `\"delete\"` |"}) {
    EXPECT_NE(printed.output.find(expected), std::string::npos) << expected;
  }
}

}  // namespace
}  // namespace deft::testing
