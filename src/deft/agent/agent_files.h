#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "deft/base/json.h"
#include "deft/config/settings_files.h"
#include "deft/core/agent_type.h"
#include "deft/os/files.h"

namespace deft {

inline constexpr std::size_t kAgentFolderDepthMax = 8;
inline constexpr std::size_t kAgentFilesPerFolderMax = 1'000;

struct AgentFilesRequest {
  SettingsPlaces places;  // `directory` is where the session works; canonical
  bool trusted = false;   // the user has trusted that directory
  WantedSources sources = {};
  std::vector<std::string> directories = {};  // further ones that the user has named
  std::optional<Json> given = std::nullopt;   // what the command line says: {"name": {…}}
};

struct FoundAgentTypes {
  std::vector<AgentType> types;       // beside the built-in ones; no two of the same name
  std::vector<std::string> problems;  // for people: each file that cannot be used, and why
};

// The types of subagents that people have written, each name once, from the strongest place that has it:
//   machine      /etc/deft/agents, /etc/claude-code/.claude/agents
//   command line
//   project      .deft/agents and .claude/agents, of the session's folder and of those above it up to the repository's
//   user         ~/.config/deft/agents, ~/.claude/agents
// All *.md in them and below them. Where the project is not trusted, its files neither loosen permissions nor take the
// place of a type that the user or deft brings along.
FoundAgentTypes find_agent_types(const AgentFilesRequest& request, Files& files);

}  // namespace deft
