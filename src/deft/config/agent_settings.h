#pragma once

#include <string>
#include <vector>

#include "deft/base/json.h"
#include "deft/base/result.h"

namespace deft {

struct AgentSettings {
  std::string agent{};             // "agent": the type that the main agent is of; empty: none
  bool file_checkpointing = true;  // "fileCheckpointingEnabled": a host may take file changes back (rewind_files)
  std::vector<std::string> memory_excludes{};  // "claudeMdExcludes": globs of memory files that are not loaded
  std::string managed_memory{};                // "claudeMd", which counts in managed settings alone
};

// From the whole settings object. Strict: a known key with a wrong value is an error that names it.
Result<AgentSettings> parse_agent_settings(const Json& settings);

}  // namespace deft
