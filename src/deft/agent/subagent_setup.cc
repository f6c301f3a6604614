#include <algorithm>
#include <utility>

#include "deft/agent/session_effects.h"
#include "deft/agent/subagent.h"
#include "deft/base/text.h"
#include "deft/core/session_permissions.h"

// What a subagent begins with: its options, which are its parent's where nothing else is said, and its tools.

namespace deft {
namespace {

std::optional<std::size_t> smaller_of(std::optional<std::size_t> a, std::optional<std::size_t> b) {
  if (!a || !b) return a ? a : b;
  return std::min(*a, *b);
}

// What its parent has left of the run's budget.
TurnLimits limits_of(const TurnLimits& parent, const Agent::Spent& spent, std::optional<std::size_t> requests_max) {
  TurnLimits limits{.requests_max = requests_max};
  if (parent.cost_max) limits.cost_max = std::max(0.0, *parent.cost_max - spent.cost);
  if (parent.tokens_max) limits.tokens_max = *parent.tokens_max - std::min(*parent.tokens_max, spent.tokens);
  return limits;
}

}  // namespace

Result<std::shared_ptr<Subagents::Subagent>> Subagents::make(const AgentRequest& request, const ToolIo& io,
                                                             const std::string& id) {
  const auto found = type_named(request.type);
  if (!found) return fail(Errc::invalid_input, "There is no agent type " + json_quote(request.type) + ".");
  const AgentType& type = *found;
  std::shared_ptr<Subagent> child;
  AgentOptions options;
  std::optional<WorktreeStay> worktree;
  if (needs_worktree(request)) {
    auto made = worktree_for(request, io, id);
    if (!made) return std::unexpected(made.error());
    worktree = *std::move(made);
  }
  {
    const std::lock_guard lock(mutex_);
    Member& parent = member(io.agent_id);
    if (!parent.agent || !main_->agent) return fail(Errc::cancelled, "");
    child = std::make_shared<Subagent>(*this, id, request, type, parent, io);
    child->worktree = worktree;
    child->is_trusted = io.permissions->setup().trusted;
    options = options_for(request, type, io, parent, *child);
  }
  child->model = options.model;
  auto agent = Agent::open(std::move(options), model_, child->frontend);
  if (!agent) return std::unexpected(agent.error());
  if (request.resume.empty()) {
    if (!worktree) (*agent)->engine().go_to(std::string(io.session.working_directory()));
    (*agent)->set_state("agent", JsonObject{{"type", type.name}, {"description", request.description}});
  }
  // Where it goes back to when its plan is approved. Whose parent plans, plans on.
  ModeMemory& mode = (*agent)->engine().session().mode;
  if (mode.now == Mode::plan) mode.before_plan = io.permissions->mode();
  (*agent)->set_state(std::string(kStartedByState), JsonObject{{"call", io.call_id}});
  if (auto equipped = equip(type, io, **agent, *child); !equipped) return std::unexpected(equipped.error());
  if (auto given = give_tools(request, type, io, **agent, child->member.depth); !given) {
    return std::unexpected(given.error());
  }
  const std::lock_guard lock(mutex_);
  child->agent = std::move(*agent);
  child->member.agent = child->agent.get();
  return child;
}

// One that goes on finds the worktree that it left something in.
Result<WorktreeStay> Subagents::worktree_for(const AgentRequest& request, const ToolIo& io,
                                             const std::string& id) const {
  const PermissionSetup& setup = io.permissions->setup();
  const std::string name = "agent-" + id;
  if (!request.resume.empty()) {
    auto kept = existing_worktree(setup.directory, worktree_path(setup.directory, name, io.os), io.os);
    if (kept) kept->is_made_here = true;
    if (kept) return kept;
  }
  return new_worktree(*options_.worktree, setup.directory, name, setup.trusted, io.os, io.stop);
}

// Where nothing is left there is nothing to keep.
void Subagents::end_worktree_of(Subagent& child, AgentReport& report) const {
  Os os = main_->agent->engine().workshop().os();
  if (end_worktree(*options_.worktree, *child.worktree, child.is_trusted, os, {})) return;
  report.worktree = child.worktree->path;
  report.worktree_branch = child.worktree->branch;
}

AgentOptions Subagents::options_for(const AgentRequest& request, const AgentType& type, const ToolIo& io,
                                    Member& parent, Subagent& child) const {
  AgentOptions options = parent.agent->options();
  options.model = model_for(request, type, options);
  if (options.model != parent.agent->options().model) options.fallback_models.clear();
  options.effort = !request.effort.empty() ? request.effort : !type.effort.empty() ? type.effort : options.effort;
  if (options_.system) {
    options.system = options_.system(type, options.model);
  } else if (!type.prompt.empty()) {
    options.system = type.prompt;
  }
  options.resume = {};
  options.output_format.reset();
  options.structured.reset();
  options.tool_choice.reset();
  options.raw_events = false;
  options.take_reminders = nullptr;  // each is told once: to whom it is meant for
  options.tasks = nullptr;           // it cannot look at them
  const auto turns_max = smaller_of(request.turns_max, type.turns_max);
  options.limits = limits_of(options.limits, parent.agent->spent(), turns_max);
  options.children = &child.member;
  options.waits_for_children = true;

  EngineOptions& engine = options.engine;
  PermissionSetup permissions = inherited(io.permissions->setup());
  if (child.worktree) permissions = in_worktree(std::move(permissions), *child.worktree);
  permissions.mode = subagent_mode(io.permissions->mode(), type.mode);
  if (options_.rules) {
    PermissionSource own{.rules = {}, .source = SettingSource::session, .origin = "the agent type " + type.name};
    for (const std::string& rule : options_.rules(type)) own.rules.allow.push_back(read_rule(rule));
    if (!own.rules.allow.empty()) permissions.sources.push_back(std::move(own));
  }
  engine.working_directory = permissions.directory;
  engine.permissions = std::move(permissions);
  engine.workshop = &main_->agent->engine().workshop();
  engine.agent_id = child.id;
  engine.started_by = child.call_id;
  engine.agent_type = type.name;
  engine.only_reads = engine.only_reads || type.only_reads;
  engine.store = &child.settings;
  const bool is_member = !team_.empty() && !request.name.empty();
  engine.executor.handler = is_member ? Handler::worker : Handler::coordinator;
  engine.executor.stop_grace = engine.executor.stop_grace * 3 / 4;  // so that its parent still hears of it
  return options;
}

std::string Subagents::model_for(const AgentRequest& request, const AgentType& type, const AgentOptions& parent) const {
  for (const std::string& model : {options_.model, request.model, type.model}) {
    if (model.empty()) continue;
    if (model == "inherit") break;
    return options_.model_named ? options_.model_named(model) : model;
  }
  return parent.model;
}

// What it has of its own, beside what its parent has.
Result<void> Subagents::equip(const AgentType& type, const ToolIo& io, Agent& agent, Subagent& child) const {
  if (!options_.equip) return {};
  if (options_.take_away) {
    child.equipment = {nullptr, [take_away = options_.take_away, id = child.id](void*) { take_away(id); }};
  }
  SubagentOptions::Equipment equipment = options_.equip(child.id, type, io.stop);
  for (std::string& notice : equipment.notices) frontend_.show(Notice{std::move(notice)});
  for (auto& tool : equipment.tools) {
    if (auto added = agent.add_tool(std::move(tool)); !added) return added;
  }
  return {};
}

// Those of its parent that its type may have: never more.
Result<void> Subagents::give_tools(const AgentRequest& request, const AgentType& type, const ToolIo& io, Agent& agent,
                                   std::size_t depth) const {
  const SubagentPlace place{.depth = depth,
                            .background = runs_in_background(request),
                            .plans = agent.engine().session().mode.now == Mode::plan};
  std::size_t given = 0;
  for (const RegisteredTool& entry : io.pool->advertised()) {
    const ToolSpec& spec = entry.tool->spec();
    const ToolName name{spec.name, spec.aliases, spec.mcp ? &*spec.mcp : nullptr};
    if (!may_have_tool(type, name, place)) continue;
    const auto is_named = [&](const std::string& wanted) { return names_tool(wanted, name); };
    if (request.allowed_tools && std::ranges::none_of(*request.allowed_tools, is_named)) continue;
    if (auto added = agent.add_tool(entry.tool, Engine::SchemaCheck::with_the_first_call); !added) return added;
    ++given;
  }
  if (given > 0) return {};
  return fail(Errc::invalid_input, "An agent of the type " + type.name +
                                       " would have no tools here. Use another type, or name tools in allowed_tools "
                                       "that it has.");
}

}  // namespace deft
