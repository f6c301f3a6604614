#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "deft/base/result.h"
#include "deft/tools/tool.h"

namespace deft {

inline constexpr std::size_t kLetterBytesMax = 100'000;
inline constexpr std::size_t kLetterSummaryCharactersMax = 200;
inline constexpr std::size_t kTeamNameBytesMax = 64;
inline constexpr std::string_view kLeaderName = "team-lead";  // the main agent
inline constexpr std::string_view kLeaderOtherName = "main";

// What one agent tells another.
struct Letter {
  std::string to;  // a name, an id, "team-lead", or "*": everybody else
  std::string text;
  std::string summary;
  bool notify_when_idle = false;  // the sender wants to know when who gets it has nothing to do
};

// Carries letters between the agents of a session, and knows their team: agent/subagents.h. `from` is the id of the
// agent that asks; empty: the main agent. Any thread may call.
class AgentPost {
 public:
  virtual ~AgentPost() = default;
  // To whom it went, by their names. Errors: `not_found`, nobody of that name is there, or no longer; `limit`, too many
  // letters wait there unread; `invalid_input`, it is to the sender itself.
  virtual Result<std::vector<std::string>> send(std::string_view from, const Letter& letter) = 0;
  virtual Result<void> create_team(const std::string& name) = 0;
  // Ends its members: those that are at work only if `force` says so, else it is an error that names them. Returns who
  // was ended.
  virtual Result<std::vector<std::string>> delete_team(bool force) = 0;
};

// SendMessage, for every agent; TeamCreate and TeamDelete, for the main agent. The post outlives the tools' calls.
std::shared_ptr<Tool> make_send_message_tool(AgentPost& post);
std::shared_ptr<Tool> make_team_create_tool(AgentPost& post);
std::shared_ptr<Tool> make_team_delete_tool(AgentPost& post);

}  // namespace deft
