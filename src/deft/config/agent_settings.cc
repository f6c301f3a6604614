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
  if (const Json* globs = find(settings, "claudeMdExcludes"); globs && !globs->is_null()) {
    const auto wrong = [&] { return wrong_setting("claudeMdExcludes", "a list of globs", *globs); };
    if (!globs->is_array()) return wrong();
    for (const Json& glob : globs->get_array()) {
      if (!glob.is_string()) return wrong();
      parsed.memory_excludes.emplace_back(view(glob.get_string()));
    }
  }
  if (const Json* memory = find(settings, "claudeMd"); memory && !memory->is_null()) {
    if (!memory->is_string()) return wrong_setting("claudeMd", "a text", *memory);
    parsed.managed_memory = view(memory->get_string());
  }
  return parsed;
}

}  // namespace deft
