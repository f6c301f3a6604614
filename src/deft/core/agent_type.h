#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "deft/base/json.h"
#include "deft/core/mcp_tool_name.h"
#include "deft/core/mode.h"
#include "deft/core/rule.h"

// What kinds of subagents there are, and what each of them may have. Pure.

namespace deft {

inline constexpr std::size_t kAgentDepthMax = 3;      // of the deepest subagent; the main agent has 0
inline constexpr std::size_t kAgentsRunningMax = 20;  // of one session, at once
inline constexpr std::size_t kAgentTypesMax = 500;
inline constexpr std::string_view kDefaultAgentType = "general-purpose";

// A kind of subagent: built in, or from a file (config/agent_files.h).
struct AgentType {
  std::string name;
  std::string description;                                        // for the model: when to use it
  std::string prompt = {};                                        // its system prompt
  std::optional<std::vector<std::string>> tools = std::nullopt;   // nothing: all that its parent has
  std::vector<std::string> disallowed_tools = {};                 // taken away first
  std::optional<std::vector<std::string>> agents = std::nullopt;  // types that it may start; nothing: any
  std::string model = {};                                         // empty: that of its parent
  std::string effort = {};
  std::optional<Mode> mode = std::nullopt;
  std::optional<std::size_t> turns_max = std::nullopt;  // requests to the model
  bool only_reads = false;                              // whatever the permissions allow
  bool background = false;                              // unless a call says otherwise
  bool in_worktree = false;
  std::vector<std::string> skills = {};  // that it knows from the start
  std::string initial_prompt = {};       // of one that is the main agent: said before the first prompt
  Json hooks = nullptr;                  // of its own, while it works: {"<Event>": […]}
  JsonArray servers = {};                // MCP servers: names of those that there are, {"name": entry} for its own
  enum class Memory : std::uint8_t { none, user, project, local };
  Memory memory = Memory::none;  // what it remembers from one task to the next: whose, and where it is kept
  std::string origin = {};       // a file, for people; empty: built in
  SettingSource source = SettingSource::managed;  // who wrote it
};

// general-purpose, Explore, Plan, Bash.
const std::vector<AgentType>& builtin_agent_types();

// A tool, as lists of tools name it.
struct ToolName {
  std::string_view name;
  const std::vector<std::string>& aliases;
  const McpToolName* mcp = nullptr;  // of a server's tool
};
// Does an entry of a list mean this tool? "Read", an alias, "mcp__server", "mcp__server__*", "*".
bool names_tool(std::string_view entry, const ToolName& tool);
// What follows from lists that people wrote: entries that mean something else than whole tools ("Bash(git *)") cannot
// be kept to, so they are left out, and told.
struct ToolEntries {
  std::vector<std::string> names;
  std::optional<std::vector<std::string>> agents = std::nullopt;  // of "Agent(a, b)"
  std::vector<std::string> left_out = {};
};
ToolEntries tool_entries(const std::vector<std::string>& list);

// What the type itself says of a tool.
bool has_tool(const AgentType& type, const ToolName& tool);

struct SubagentPlace {
  std::size_t depth = 1;
  bool background = false;
  bool plans = false;  // it begins in plan mode
};
// May a subagent of this type have a tool that its parent has?
bool may_have_tool(const AgentType& type, const ToolName& tool, const SubagentPlace& place);

// The mode of a subagent. Nobody gets more by being one: bypass is only ever inherited, planning and not asking are
// passed on, and what the parent may do without asking is what its subagents may.
Mode subagent_mode(Mode parent, std::optional<Mode> wanted);

}  // namespace deft
