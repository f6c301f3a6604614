#include "deft/tools/builtin.h"

#include <gtest/gtest.h>

#include "deft/tools/registry.h"

namespace deft {
namespace {

TEST(BuiltinTools, AreAllThereWithUsableSchemasAndADescription) {
  ToolRegistry registry;
  for (auto& tool : make_builtin_tools()) ASSERT_TRUE(registry.add(std::move(tool)));
  std::vector<std::string> names;
  const auto pool = registry.pool(Permissions({}, Mode::normal, {}));
  for (const RegisteredTool& entry : pool->advertised()) {
    names.push_back(entry.tool->spec().name);
    EXPECT_FALSE(entry.tool->spec().description.empty());
    EXPECT_EQ(find_string(entry.tool->spec().input_schema, "type"), "object");
  }
  EXPECT_EQ(names, (std::vector<std::string>{
                       "AskUserQuestion", "Bash",    "Edit",     "EnterPlanMode", "EnterWorktree", "ExitPlanMode",
                       "ExitWorktree",    "Glob",    "Grep",     "NotebookEdit",  "Read",          "Sleep",
                       "TaskCreate",      "TaskGet", "TaskList", "TaskOutput",    "TaskStop",      "TaskUpdate",
                       "WebFetch",        "Write"}));
}

}  // namespace
}  // namespace deft
