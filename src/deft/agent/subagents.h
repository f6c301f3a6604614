#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "deft/agent/agent.h"
#include "deft/core/agent_type.h"
#include "deft/tools/agent_tool.h"
#include "deft/tools/background_tasks.h"
#include "deft/tools/team_tools.h"
#include "deft/tools/worktree.h"

namespace deft {

inline constexpr std::size_t kAgentNewsCharactersMax = 10'000;  // of a report that a parent is told without asking
inline constexpr std::size_t kAgentReportsKeptMax = 200;        // of ended agents, that nobody took

struct SubagentOptions {
  std::vector<AgentType> types = {};  // beside the built-in ones; one of the same name replaces it
  std::string model = {};             // of all of them, whatever a type or a call says; empty: as those say
  // What a model is called for the API: "sonnet". Nothing: as it is written.
  std::function<std::string(const std::string&)> model_named = nullptr;
  // The system prompt of a type; nothing: the type's own words alone.
  std::function<std::string(const AgentType& type, const std::string& model)> system = nullptr;
  // Where the background tasks of the session are seen; null: nowhere.
  std::shared_ptr<BackgroundTasks> tasks = nullptr;
  // What an agent has of its own by its type, made before it begins: hooks, servers and their tools. Taken away again
  // when it has ended, also if it never began.
  struct Equipment {
    std::vector<std::shared_ptr<Tool>> tools = {};
    std::vector<std::string> notices = {};  // for people
  };
  std::function<Equipment(const std::string& agent_id, const AgentType& type, std::stop_token stop)> equip = nullptr;
  std::function<void(const std::string& agent_id)> take_away = nullptr;
  // What one of this type may do without asking, beside all others: keep what it remembers.
  std::function<std::vector<std::string>(const AgentType& type)> rules = nullptr;
  // How one with `isolation: worktree` gets a checkout of its own; nothing: such agents are not started.
  std::optional<WorktreeToolOptions> worktree = std::nullopt;
};

// The subagents of a session: each an Agent on a thread of its own, in the workshop of the main agent, with a context,
// a tool subset and a journal of its own (`subagents/agent-<id>.jsonl`). They form a tree: whoever ends, ends those
// below.
//   Subagents subagents(options, model, frontend);
//   agent_options.children = &subagents.of_main();
//   auto agent = Agent::open(agent_options, model, frontend);   // the agent ends before `subagents`
//   subagents.attach(**agent);
// Any thread may call.
class Subagents final : public AgentLauncher, public AgentPost {
 public:
  Subagents(SubagentOptions options, ModelClient& model, Frontend& frontend);
  ~Subagents() override;
  Subagents(const Subagents&) = delete;
  Subagents& operator=(const Subagents&) = delete;

  AgentChildren& of_main();
  // Before its first turn: it gets the tools Agent, SendMessage, TeamCreate and TeamDelete.
  // `wants`: only those of them; nothing: all.
  Result<void> attach(Agent& main, const std::function<bool(const std::string& tool)>& wants = nullptr);
  // Further types; one of a name that was there replaces it.
  void add_types(std::vector<AgentType> types);
  // Only these may be started by the main agent.
  void let_main_start(std::vector<std::string> types);

  std::vector<AgentType> types_for(std::string_view agent_id) const override;
  std::uint64_t types_version() const override { return types_version_; }
  std::optional<std::string> type_of(std::string_view agent_id) const override;
  bool runs_in_background(const AgentRequest& request) const override;
  bool needs_worktree(const AgentRequest& request) const override;
  Result<void> check(const AgentRequest& request, const ToolIo& io) const override;
  Result<std::string> start(const AgentRequest& request, ToolIo& io) override;
  void when_free(const std::string& agent_id, std::function<void()> callback) override;
  std::optional<AgentReport> take_report(const std::string& agent_id) override;
  std::string output_file(const std::string& agent_id) const override;

  // Teams (subagent_team.cc).
  Result<std::vector<std::string>> send(std::string_view from, const Letter& letter) override;
  Result<void> create_team(const std::string& name) override;
  Result<std::vector<std::string>> delete_team(bool force) override;

 private:
  class Member;    // the main agent, or a subagent: what it has below it
  class Subagent;  // one that works, or has worked
  class ItsFrontend;
  class ItsSettings;
  using Members = std::vector<std::shared_ptr<Subagent>>;

  struct Question {
    Subagent* whose = nullptr;
    std::string id;  // as its own executor knows it
    std::vector<std::string> proposal;
  };

  std::optional<AgentType> type_named(std::string_view name) const;
  Result<std::shared_ptr<Subagent>> make(const AgentRequest& request, const ToolIo& io, const std::string& id);
  AgentOptions options_for(const AgentRequest& request, const AgentType& type, const ToolIo& io, Member& parent,
                           Subagent& child) const;
  std::string model_for(const AgentRequest& request, const AgentType& type, const AgentOptions& parent) const;
  Result<void> give_tools(const AgentRequest& request, const AgentType& type, const ToolIo& io, Agent& agent,
                          std::size_t depth) const;
  Result<void> equip(const AgentType& type, const ToolIo& io, Agent& agent, Subagent& child) const;
  Result<WorktreeStay> worktree_for(const AgentRequest& request, const ToolIo& io, const std::string& id) const;
  void end_worktree_of(Subagent& child, AgentReport& report) const;
  Result<void> may_start(const std::string& type, const ToolIo& io) const;
  void work(Subagent& child, const std::string& prompt);
  void finish(Subagent& child, const TurnEnd& end);
  void go_to_background(Subagent& child);
  void tell_of_end(Subagent& child);
  bool waits_for_letters(Subagent& child, const TurnEnd& end);
  bool tell(Member& member, std::string news, std::string notice);          // under mutex_; false: too much waits there
  Error nobody_reached(std::string_view from, const Letter& letter) const;  // under mutex_
  void ask_to_end(Subagent& child);                                         // under mutex_
  static std::string name_of(const Subagent& child);

  // For Member.
  bool take(Feed& item);
  void end_children_of(Member& member, bool wait);
  Members children_of(const Member& member) const;
  Member& member(std::string_view agent_id) const;          // the main agent's if it is unknown
  Result<void> has_room() const;                            // for one more; under mutex_
  Result<void> is_free(const AgentRequest& request) const;  // its name, and whom it goes on with; under mutex_
  void reap();

  const SubagentOptions options_;
  ModelClient& model_;
  Frontend& frontend_;
  const std::unique_ptr<Member> main_;
  mutable std::mutex mutex_;
  std::condition_variable over_;     // one more is
  std::condition_variable letters_;  // have come, or an end is wanted
  std::atomic<std::uint64_t> types_version_ = 1;
  // All under mutex_.
  std::vector<AgentType> types_;                     // beside the built-in ones
  std::optional<std::vector<std::string>> of_main_;  // that it may start; nothing: any
  std::string team_;                                 // empty: there is none
  std::map<std::string, std::shared_ptr<Subagent>, std::less<>> subagents_;
  std::map<std::string, Question, std::less<>> questions_;  // by the id that people see; calls of the host's tools too
  mutable std::map<std::string, std::string, std::less<>> types_seen_;  // of ended agents
  std::map<std::string, std::string, std::less<>> names_gone_;          // of ended agents: who had it last
};

}  // namespace deft
