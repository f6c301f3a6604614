#include "deft/config/agent_settings.h"

#include "deft/config/wrong_setting.h"

namespace deft {

Result<AgentSettings> parse_agent_settings(const Json& settings) {
  AgentSettings parsed;
  if (const Json* agent = find(settings, "agent"); agent && !agent->is_null()) {
    if (!agent->is_string()) return wrong_setting("agent", "the name of an agent type", *agent);
    parsed.agent = view(agent->get_string());
  }
  if (const Json* value = find(settings, "fileCheckpointingEnabled"); value && !value->is_null()) {
    if (!value->is_bool()) return wrong_setting("fileCheckpointingEnabled", "true or false", *value);
    parsed.file_checkpointing = value->get_bool();
  }
  return parsed;
}

}  // namespace deft
