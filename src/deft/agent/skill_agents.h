#pragma once

#include "deft/tools/agent_tool.h"
#include "deft/tools/skill.h"

namespace deft {

// Skills with `context: fork` are done by subagents. The launcher outlives the tool's calls.
RunSkillAgent run_by_agent(AgentLauncher& launcher);

}  // namespace deft
