#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "deft/core/agent_type.h"
#include "deft/core/token_use.h"
#include "deft/tools/tool.h"

namespace deft {

inline constexpr std::size_t kAgentPromptBytesMax = std::size_t{1} << 20;
inline constexpr std::size_t kAgentNameBytesMax = 64;
inline constexpr std::size_t kAgentRequestsMax = 10'000;  // that one call may ask for

// What an Agent call asks for.
struct AgentRequest {
  std::string description;  // three to five words
  std::string prompt;
  std::string type;
  std::string model = {};  // empty: as the type says
  std::string effort = {};
  std::string name = {};    // by which others may send it messages
  std::string resume = {};  // id of an agent that goes on
  std::optional<std::size_t> turns_max = std::nullopt;
  std::optional<std::vector<std::string>> allowed_tools = std::nullopt;  // narrows what the type has
  std::optional<bool> background = std::nullopt;                         // nothing: as the type says
  bool in_worktree = false;
};

// What became of a subagent.
struct AgentReport {
  enum class Status : std::uint8_t {
    completed,
    cut_short,  // a limit, a hook or the model itself ended it: there may be a text all the same
    failed,
    stopped,  // it was told to
  };
  Status status = Status::completed;
  std::string text;     // its last message
  std::string problem;  // if it did not complete
  std::string type;
  std::string model;
  std::size_t calls = 0;
  TokenUse use;
  std::chrono::nanoseconds duration{};
  std::string output_file = {};  // of one in the background
  std::string worktree = {};     // where it worked, if something is left there
  std::string worktree_branch = {};
};

// Starts subagents and tells what became of them: agent/subagents.h. Any thread may call.
class AgentLauncher {
 public:
  virtual ~AgentLauncher() = default;

  // Those that the agent may start, in the order in which the model is told of them.
  virtual std::vector<AgentType> types_for(std::string_view agent_id) const = 0;
  // Another one whenever those of the main agent may have changed.
  virtual std::uint64_t types_version() const = 0;
  // Of an agent that ran in this session and may go on; nothing: there is no such one.
  virtual std::optional<std::string> type_of(std::string_view agent_id) const = 0;
  virtual bool runs_in_background(const AgentRequest& request) const = 0;
  virtual bool needs_worktree(const AgentRequest& request) const = 0;  // a checkout of its own is made for it
  // Says why it cannot be started. `io.agent_id` is its parent.
  virtual Result<void> check(const AgentRequest& request, const ToolIo& io) const = 0;
  // Returns its id. It works from now on, on a thread of its own, until it is done, or stopped by `io.stop`.
  virtual Result<std::string> start(const AgentRequest& request, ToolIo& io) = 0;
  // Calls back once: when it has ended, or went on in the background because `io.to_background` asked for it.
  virtual void when_free(const std::string& agent_id, std::function<void()> callback) = 0;
  // Of one that has ended; asked once. Nothing: it goes on in the background.
  virtual std::optional<AgentReport> take_report(const std::string& agent_id) = 0;
  virtual std::string output_file(const std::string& agent_id) const = 0;
};

// Hands a task to a subagent, which has a context of its own and tools of its type. Its calls pass the same gate as
// those of its parent. The launcher outlives the tool's calls.
std::shared_ptr<Tool> make_agent_tool(AgentLauncher& launcher);

}  // namespace deft
