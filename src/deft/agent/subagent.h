#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "deft/agent/subagents.h"

// What Subagents keeps of each of them. Only for its own files.

namespace deft {

// The main agent, or a subagent: who asks for what is below it.
class Subagents::Member final : public AgentChildren {
 public:
  Member(Subagents& all, std::string its_id, std::size_t its_depth)
      : id(std::move(its_id)), depth(its_depth), all_(all) {}

  bool take(Feed& item) override { return all_.take(item); }
  std::vector<std::string> take_news() override;
  bool at_work() const override;
  void abort() override { all_.end_children_of(*this, /*wait=*/false); }
  void end() override { all_.end_children_of(*this, /*wait=*/true); }

  const std::string id;  // empty: the main agent
  const std::size_t depth;
  // Under Subagents::mutex_:
  Agent* agent = nullptr;  // null: it is not there yet, or no longer
  std::vector<std::string> news;
  bool is_closed = false;  // it starts no more of them

 private:
  Subagents& all_;
};

// Shows to the session's frontend what happens to one subagent, and what it asks.
class Subagents::ItsFrontend final : public Frontend {
 public:
  ItsFrontend(Subagents& all, Subagent& whose) : all_(all), whose_(whose) {}
  void show(Event event) override;
  bool wants_stages() const override { return all_.frontend_.wants_stages(); }

 private:
  void show_question(PermissionAsked asked);
  void name_it(PermissionAsked& asked) const;
  void remember_question(const std::string& id, Question question);
  void forget_question(const std::string& id);
  void tell_progress(const Block& block);
  void print(const Event& event);

  Subagents& all_;
  Subagent& whose_;
};

// The rules of a subagent are those of its parent, also when these change; what people allow for good in its name is
// written where their settings are.
class Subagents::ItsSettings final : public PermissionStore {
 public:
  ItsSettings(Subagents& all, Member& parent) : all_(all), parent_(parent) {}
  Result<void> keep(SettingSource destination, const std::vector<std::string>& rules) override;
  std::optional<Changed> reload() override;

 private:
  Subagents& all_;
  Member& parent_;
  std::shared_ptr<const Permissions> known_;
};

class Subagents::Subagent {
 public:
  Subagent(Subagents& all, std::string its_id, const AgentRequest& request, const AgentType& its_type, Member& of,
           const ToolIo& io)
      : id(std::move(its_id)),
        type(its_type.name),
        description(request.description),
        name(request.name),
        call_id(io.call_id),
        wanted_mode(its_type.mode),
        progress(io.progress),
        parent(of),
        member(all, id, of.depth + 1),
        frontend(all, *this),
        settings(all, of) {}

  const std::string id;
  const std::string type;
  const std::string description;
  const std::string name;
  const std::string call_id;  // that started it
  const std::optional<Mode> wanted_mode;
  const std::function<void(Json)> progress;
  Member& parent;
  Member member;
  ItsFrontend frontend;
  ItsSettings settings;
  std::string model;
  std::optional<WorktreeStay> worktree;  // that it works in
  bool is_trusted = false;               // the folder that it works in
  // What its type brings along ends with it, however it ends.
  std::shared_ptr<void> equipment;
  std::atomic<std::size_t> calls = 0;
  std::atomic<bool> in_background = false;

  // Under Subagents::mutex_:
  std::unique_ptr<Agent> agent;
  std::optional<AgentReport> report;  // it is done, and this is what came of it
  bool is_told = false;               // its parent knows
  bool is_over = false;               // its thread touches nothing any more
  bool is_member = false;             // of the team: it goes idle instead of ending
  bool is_idle = false;
  bool end_is_wanted = false;
  std::set<std::string> told_when_idle;  // ids of agents that asked for it
  std::vector<std::function<void()>> callbacks;

  // Of start() and finish(), one after the other:
  using OnStop = std::stop_callback<std::function<void()>>;
  std::optional<OnStop> on_stop;
  std::optional<OnStop> on_background;
  std::jthread thread;  // last: it uses all of the above
};

}  // namespace deft
