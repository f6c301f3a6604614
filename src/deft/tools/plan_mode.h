#pragma once

#include <memory>
#include <string>

#include "deft/tools/tool.h"

namespace deft {

// Where an agent writes its plan: in the session's folder. Each subagent has its own.
std::string plan_file_in(std::string_view session_folder, std::string_view agent_id = {});

// From here on nothing changes but the plan file, until the plan is approved.
std::shared_ptr<Tool> make_enter_plan_mode_tool();
// Shows the plan to the user, who approves it (perhaps edited) or says what to change. Then the mode before is back. A
// subagent's goes to whoever leads it, under the name of the call. `grants_by_meaning`: somebody can judge commands by
// what was granted in words (agent/call_classifier.h); else such wishes are shown, and grant nothing.
std::shared_ptr<Tool> make_exit_plan_mode_tool(bool grants_by_meaning = false);

}  // namespace deft
