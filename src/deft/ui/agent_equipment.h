#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "deft/agent/subagents.h"
#include "deft/agent/user_hooks.h"
#include "deft/config/settings_files.h"
#include "deft/ui/session_servers.h"

namespace deft {

inline constexpr std::size_t kAgentMemoryLinesMax = 200;
inline constexpr std::size_t kAgentMemoryBytesMax = 25 << 10;

// What agents have by their types' files: hooks, MCP servers and a memory. For Subagents and for the main agent. Any
// thread.
class AgentEquipment {
 public:
  // Both outlive it. `servers` is asked for when the first agent wants one.
  AgentEquipment(UserHooks& hooks, std::function<SessionServers*()> servers, SettingsPlaces places)
      : hooks_(hooks), servers_(std::move(servers)), places_(std::move(places)) {}

  // `agent_id` "": the main agent, whose Stop hooks are its own; those of a subagent are told of its end.
  SubagentOptions::Equipment equip(const std::string& agent_id, const AgentType& type, std::stop_token stop);
  void take_away(const std::string& agent_id);
  void end();  // whatever was started ends, and nothing is started any more

  // Where one of this type remembers: canonical as far as it exists; "": nowhere.
  std::string memory_folder(const AgentType& type, Files& files) const;
  // What it may do there without asking.
  std::vector<std::string> rules(const AgentType& type, Files& files) const;
  // What it is told of it: where it is, what to do with it, and the beginning of MEMORY.md.
  std::string memory_text(const AgentType& type, Files& files) const;

 private:
  UserHooks& hooks_;
  const std::function<SessionServers*()> servers_;
  const SettingsPlaces places_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<void>> started_;  // servers, by agent; under mutex_
  bool has_ended_ = false;                                // under mutex_
};

// "tools" of a type names what it has; the servers that it names are among that.
void name_servers_as_tools(AgentType& type);

}  // namespace deft
