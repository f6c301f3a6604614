#include "deft/agent/subagents.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <random>
#include <utility>

#include "deft/agent/subagent.h"
#include "deft/base/check.h"
#include "deft/base/closing_tag.h"
#include "deft/base/text.h"
#include "deft/base/utf8.h"

// A subagent, from its start to its end:
//
//   start   on a worker of its parent: its Agent is opened and gets its tools (subagent_setup.cc), its thread begins
//   work    on its thread: one turn
//   finish  on its thread: those below it end, its Agent is closed, its parent is told
//
// Locks: mutex_ is held for looking and for handing items to an agent's inbox, never while something is waited for.

namespace deft {
namespace {

constexpr std::size_t kAgentIdDigits = 16;

std::string new_agent_id() {
  std::random_device random;
  std::uniform_int_distribution<unsigned long long> any;
  std::array<char, 24> text{};
  std::snprintf(text.data(), text.size(), "a%016llx", any(random));
  return text.data();
}

// It becomes part of a file's name.
bool is_agent_id(std::string_view id) {
  return id.size() == kAgentIdDigits + 1 && id.front() == 'a' &&
         std::ranges::all_of(id, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

// Its last message ends in the middle: what it wanted to say is not all there.
bool is_cut_off(const TurnEnd& end) {
  return end.reason == TurnReason::completed &&
         (end.stop_reason == "max_tokens" || end.stop_reason == "model_context_window_exceeded");
}

AgentReport::Status status_of(const TurnEnd& end) {
  const bool has_text = !end.text.empty();
  switch (end.reason) {
    case TurnReason::completed:
      return is_cut_off(end) ? AgentReport::Status::cut_short : AgentReport::Status::completed;
    case TurnReason::aborted_streaming:
    case TurnReason::aborted_tools: return AgentReport::Status::stopped;
    case TurnReason::model_error:
    case TurnReason::prompt_too_long:
    case TurnReason::prompt_blocked: return has_text ? AgentReport::Status::cut_short : AgentReport::Status::failed;
    case TurnReason::max_turns:
    case TurnReason::budget_exhausted:
    case TurnReason::hook_stopped:
    case TurnReason::structured_output_failed:
    case TurnReason::tool_deferred:
    case TurnReason::tool_deferred_unavailable:
    case TurnReason::refusal: return AgentReport::Status::cut_short;
  }
  return AgentReport::Status::failed;
}

std::string problem_of(const TurnEnd& end) {
  if (is_cut_off(end)) return "its last message was cut off, because it was too long for its model";
  switch (end.reason) {
    case TurnReason::completed: return {};
    case TurnReason::max_turns: return "it reached its limit of requests to the model";
    case TurnReason::budget_exhausted: return "the budget is used up";
    case TurnReason::refusal: return "its model declined";
    default: break;
  }
  return end.explanation.empty() ? std::string(to_string(end.reason)) : end.explanation;
}

TaskView::Status task_status(AgentReport::Status status) {
  switch (status) {
    case AgentReport::Status::completed:
    case AgentReport::Status::cut_short: return TaskView::Status::completed;
    case AgentReport::Status::failed: return TaskView::Status::failed;
    case AgentReport::Status::stopped: return TaskView::Status::stopped;
  }
  return TaskView::Status::failed;
}

TokenUse sum_of(const SessionUsage& usage) {
  TokenUse sum;
  for (const auto& [model, use] : usage.by_model) sum += use;
  return sum;
}

std::string news_of(const std::string& id, const std::string& title, const AgentReport& report) {
  std::string text = "The agent " + id + " (" + title + "), which worked in the background, ";
  switch (report.status) {
    case AgentReport::Status::completed: text += "is done."; break;
    case AgentReport::Status::cut_short: text += "did not come to its end: " + report.problem; break;
    case AgentReport::Status::failed: text += "failed: " + report.problem; break;
    case AgentReport::Status::stopped: text += "was stopped."; break;
  }
  if (!report.text.empty()) {
    const std::string_view shown = first_characters(report.text, kAgentNewsCharactersMax);
    text += "\nIts report:\n" + std::string(shown);
    if (shown.size() < report.text.size()) text += "\n… (the rest is in " + report.output_file + ")";
  }
  const std::string tag = "task-notification";
  return "<" + tag + ">\n" + without_closing_tag(text, tag) + "\n</" + tag + ">";
}

}  // namespace

// --- those above ---

std::vector<std::string> Subagents::Member::take_news() {
  const std::lock_guard lock(all_.mutex_);
  return std::exchange(news, {});
}

bool Subagents::Member::at_work() const {
  const std::lock_guard lock(all_.mutex_);
  return std::ranges::any_of(all_.subagents_, [this](const auto& it) {
    const Subagent& child = *it.second;
    return &child.parent == this && child.in_background && !child.is_told && !child.is_idle;
  });
}

Subagents::Subagents(SubagentOptions options, ModelClient& model, Frontend& frontend)
    : options_(std::move(options)),
      model_(model),
      frontend_(frontend),
      main_(std::make_unique<Member>(*this, std::string(), 0)),
      types_(options_.types) {}

Subagents::~Subagents() {
  main_->end();
  std::map<std::string, std::shared_ptr<Subagent>, std::less<>> rest;
  const std::lock_guard lock(mutex_);
  rest.swap(subagents_);
}

AgentChildren& Subagents::of_main() { return *main_; }

Result<void> Subagents::attach(Agent& main, const std::function<bool(const std::string& tool)>& wants) {
  for (auto& tool : {make_agent_tool(*this), make_send_message_tool(*this), make_team_create_tool(*this),
                     make_team_delete_tool(*this)}) {
    if (wants && !wants(tool->spec().name)) continue;
    if (auto added = main.add_tool(tool); !added) return added;
  }
  const std::lock_guard lock(mutex_);
  main_->agent = &main;
  return {};
}

Subagents::Member& Subagents::member(std::string_view agent_id) const {
  const auto found = subagents_.find(agent_id);
  return found == subagents_.end() ? *main_ : found->second->member;
}

Subagents::Members Subagents::children_of(const Member& member) const {
  Members children;
  for (const auto& [id, child] : subagents_) {
    if (&child->parent == &member && !child->is_over) children.push_back(child);
  }
  return children;
}

void Subagents::end_children_of(Member& member, bool wait) {
  std::unique_lock lock(mutex_);
  for (const auto& child : children_of(member)) ask_to_end(*child);
  if (!wait) return;
  member.is_closed = true;
  over_.wait(lock, [&] { return children_of(member).empty(); });
  if (&member == main_.get()) main_->agent = nullptr;  // nobody starts any more
}

// --- what is known of them ---

std::optional<AgentType> Subagents::type_named(std::string_view name) const {
  {
    const std::lock_guard lock(mutex_);
    const auto own = std::ranges::find(types_, name, &AgentType::name);
    if (own != types_.end()) return *own;
  }
  const auto& builtin = builtin_agent_types();
  const auto found = std::ranges::find(builtin, name, &AgentType::name);
  return found == builtin.end() ? std::nullopt : std::optional(*found);
}

void Subagents::add_types(std::vector<AgentType> types) {
  const std::lock_guard lock(mutex_);
  for (AgentType& type : types) {
    std::erase_if(types_, [&](const AgentType& other) { return other.name == type.name; });
    types_.push_back(std::move(type));
  }
  ++types_version_;
}

void Subagents::let_main_start(std::vector<std::string> types) {
  const std::lock_guard lock(mutex_);
  of_main_ = std::move(types);
  ++types_version_;
}

std::vector<AgentType> Subagents::types_for(std::string_view agent_id) const {
  std::vector<AgentType> own;
  std::string who;
  std::optional<std::vector<std::string>> only;
  {
    const std::lock_guard lock(mutex_);
    own = types_;
    const auto found = subagents_.find(agent_id);
    if (found != subagents_.end()) who = found->second->type;
    if (found == subagents_.end()) only = of_main_;
  }
  std::vector<AgentType> types;
  for (const AgentType& type : builtin_agent_types()) types.push_back(*type_named(type.name));
  for (AgentType& type : own) {
    if (std::ranges::find(types, type.name, &AgentType::name) == types.end()) types.push_back(std::move(type));
  }
  if (const auto its_type = type_named(who); its_type && its_type->agents) only = its_type->agents;
  if (!only) return types;
  std::erase_if(types, [&](const AgentType& type) { return std::ranges::find(*only, type.name) == only->end(); });
  return types;
}

std::optional<std::string> Subagents::type_of(std::string_view agent_id) const {
  if (!is_agent_id(agent_id)) return std::nullopt;
  std::string journal;
  {
    const std::lock_guard lock(mutex_);
    const auto found = subagents_.find(agent_id);
    if (found != subagents_.end()) return found->second->type;
    const auto seen = types_seen_.find(agent_id);
    if (seen != types_seen_.end()) return seen->second;
    if (!main_->agent) return std::nullopt;
    journal = main_->agent->engine().session_folder() + "/subagents/agent-" + std::string(agent_id) + ".jsonl";
  }
  const auto session = Session::load(journal);
  if (!session) return std::nullopt;
  const auto about = session->state.find("agent");
  const auto type = about == session->state.end() ? std::nullopt : find_string(about->second, "type");
  if (!type) return std::nullopt;
  const std::lock_guard lock(mutex_);
  return types_seen_.emplace(agent_id, *type).first->second;
}

bool Subagents::runs_in_background(const AgentRequest& request) const {
  if (!request.name.empty()) {
    const std::lock_guard lock(mutex_);
    if (!team_.empty()) return true;  // a member
  }
  if (request.background) return *request.background;
  const auto type = type_named(request.type);
  return type && type->background;
}

bool Subagents::needs_worktree(const AgentRequest& request) const {
  if (request.in_worktree) return true;
  const auto type = type_named(request.type);
  return type && type->in_worktree;
}

Result<void> Subagents::check(const AgentRequest& request, const ToolIo& io) const {
  const auto types = types_for(io.agent_id);
  if (std::ranges::find(types, request.type, &AgentType::name) == types.end()) {
    std::vector<std::string> names;
    for (const AgentType& type : types) names.push_back(type.name);
    return fail(Errc::invalid_input, "There is no agent type " + json_quote(one_line(request.type, 100)) +
                                         ". Use one of: " + join(names, ", ") + ".");
  }
  if (!options_.worktree && needs_worktree(request)) {
    return fail(Errc::unsupported, "Agents cannot work in a worktree of their own here; leave isolation out.");
  }
  const bool is_one_line = one_line(request.name, kAgentNameBytesMax) == request.name;
  if (request.name.size() > kAgentNameBytesMax || !is_one_line || request.name.find('*') != std::string::npos) {
    return fail(Errc::invalid_input,
                "A name is one line of at most 64 bytes, without '*' and control characters: give another one.");
  }
  if (!request.resume.empty() && !type_of(request.resume)) {
    return fail(Errc::not_found, "There is no agent " + json_quote(one_line(request.resume, 100)) +
                                     " in this session. Give the id that its first call told, or leave resume out.");
  }
  const std::lock_guard lock(mutex_);
  if (member(io.agent_id).depth >= kAgentDepthMax) {
    return fail(Errc::limit, "An agent at this depth starts no others: do it yourself.");
  }
  if (auto free = is_free(request); !free) return free;
  return has_room();
}

Result<void> Subagents::is_free(const AgentRequest& request) const {
  const auto resumed = subagents_.find(request.resume);
  if (!request.resume.empty() && resumed != subagents_.end() && !resumed->second->report) {
    return fail(Errc::invalid_input, "The agent " + request.resume + " is still at work: wait for it to be done.");
  }
  const bool is_taken = std::ranges::any_of(subagents_, [&](const auto& it) {
    return !request.name.empty() && it.second->name == request.name && !it.second->report;
  });
  if (is_taken || request.name == kLeaderName || request.name == kLeaderOtherName) {
    return fail(Errc::invalid_input, "The name " + json_quote(request.name) + " is taken: give another one.");
  }
  return {};
}

Result<void> Subagents::has_room() const {
  const auto running = std::ranges::count_if(subagents_, [](const auto& it) { return !it.second->report; });
  if (static_cast<std::size_t>(running) >= kAgentsRunningMax) {
    return fail(Errc::limit,
                std::to_string(kAgentsRunningMax) + " agents are at work already: wait until one of them is done.");
  }
  return {};
}

// A rule that denies a type denies it whoever starts one: a skill does so without a call of Agent.
Result<void> Subagents::may_start(const std::string& type, const ToolIo& io) const {
  const Json input = JsonObject{{"subagent_type", type}};
  const Decision decision = io.permissions->decide(
      {.tool = "Agent", .aliases = {"Task"}, .input = &input, .read_only = true, .session_only = true});
  if (decision.verdict != Verdict::deny) return {};
  return fail(Errc::denied, "Agents of the type " + type + " may not be started: " + decision.reason);
}

// --- a life ---

Result<std::string> Subagents::start(const AgentRequest& request, ToolIo& io) {
  reap();
  if (auto fine = check(request, io); !fine) return std::unexpected(fine.error());
  if (auto allowed = may_start(request.type, io); !allowed) return std::unexpected(allowed.error());
  const std::string id = request.resume.empty() ? new_agent_id() : request.resume;
  auto made = make(request, io, id);
  if (!made) return std::unexpected(made.error());
  Subagent& child = **made;
  const bool background = runs_in_background(request);
  {
    std::unique_lock lock(mutex_);
    // Whoever is gone on with has reported; its thread is about to be over, and is waited for.
    over_.wait(lock, [&] {
      const auto before = subagents_.find(id);
      return before == subagents_.end() || !before->second->report || before->second->is_over;
    });
    if (child.parent.is_closed || io.stop.stop_requested()) return fail(Errc::cancelled, "");
    // Others may have been faster.
    if (auto room = has_room(); !room) return std::unexpected(room.error());
    if (auto free = is_free(request); !free) return std::unexpected(free.error());
    child.is_member = !team_.empty() && !child.name.empty();
    subagents_.insert_or_assign(id, *made);
  }
  if (background) {
    go_to_background(child);
  } else {
    child.on_stop.emplace(io.stop, [this, &child] {
      const std::lock_guard lock(mutex_);
      if (!child.in_background) ask_to_end(child);
    });
    child.on_background.emplace(io.to_background, [this, &child] { go_to_background(child); });
  }
  child.thread = std::jthread([this, &child, prompt = request.prompt] { work(child, prompt); });
  return id;
}

void Subagents::work(Subagent& child, const std::string& prompt) {
  TurnEnd end = child.agent->run_turn(Prompt::of(prompt));
  while (waits_for_letters(child, end)) end = child.agent->run_turn({});
  finish(child, end);
}

void Subagents::finish(Subagent& child, const TurnEnd& end) {
  child.on_stop.reset();
  child.on_background.reset();
  AgentReport report{.status = status_of(end),
                     .text = end.text,
                     .problem = problem_of(end),
                     .type = child.type,
                     .model = child.model,
                     .calls = child.calls,
                     .use = sum_of(child.agent->usage()),
                     .duration = end.duration};
  const SessionUsage used = child.agent->usage_of_this_run();
  std::unique_ptr<Agent> agent;
  {
    const std::lock_guard lock(mutex_);
    agent = std::move(child.agent);
    child.member.agent = nullptr;
  }
  agent.reset();  // with those below it; from now on somebody may go on with its journal
  child.equipment.reset();
  if (child.worktree) end_worktree_of(child, report);
  if (child.in_background) {
    report.output_file = output_file(child.id);
    if (options_.tasks) options_.tasks->ended(child.id, task_status(report.status));
  }
  std::vector<std::function<void()>> callbacks;
  {
    const std::lock_guard lock(mutex_);
    child.report = std::move(report);
    callbacks.swap(child.callbacks);
    if (child.parent.agent) child.parent.agent->add_usage(used);
    std::erase_if(questions_, [&](const auto& it) { return it.second.whose == &child; });
  }
  if (child.in_background) tell_of_end(child);
  for (auto& callback : callbacks) callback();
  const std::lock_guard lock(mutex_);
  types_seen_.insert_or_assign(child.id, child.type);
  if (!child.name.empty()) names_gone_.insert_or_assign(child.name, child.id);
  child.is_over = true;
  over_.notify_all();
}

// Also of one that was waited for until now.
void Subagents::go_to_background(Subagent& child) {
  std::vector<std::function<void()>> callbacks;
  std::shared_ptr<OutputFolder> outputs;
  {
    const std::lock_guard lock(mutex_);
    if (child.report || !child.agent || !main_->agent || child.in_background.exchange(true)) return;
    callbacks.swap(child.callbacks);
    outputs = main_->agent->engine().workshop().results().folder();
  }
  const std::string title = child.type + ": " + one_line(child.description, 200);
  if (options_.tasks) {
    auto added = options_.tasks->add(
        child.id, {.type = "local_agent",
                   .title = title,
                   .description = child.description,
                   .output = std::make_unique<ShellOutput>(std::move(outputs), child.id, ShellOutput::Keep::all),
                   .stop = [this, id = child.id] {
                     const std::lock_guard lock(mutex_);
                     const auto found = subagents_.find(id);
                     if (found != subagents_.end()) ask_to_end(*found->second);
                   }});
    if (!added) frontend_.show(Notice{added.error().message});
  }
  frontend_.show(
      TaskBegan{.id = child.id, .call_id = child.call_id, .type = "local_agent", .description = child.description});
  for (auto& callback : callbacks) callback();
}

void Subagents::tell_of_end(Subagent& child) {
  const std::string title = child.type + ": " + one_line(child.description, 200);
  const AgentReport& report = *child.report;  // it does not change any more
  const std::string_view status = to_string(task_status(report.status));
  frontend_.show(TaskEnded{.id = child.id,
                           .call_id = child.call_id,
                           .status = std::string(status),
                           .output_file = report.output_file,
                           .summary = title + " " + std::string(status)});
  const std::lock_guard lock(mutex_);
  child.is_told = true;
  tell(child.parent, news_of(child.id, title, report), "An agent is done: " + title);
}

void Subagents::when_free(const std::string& agent_id, std::function<void()> callback) {
  {
    const std::lock_guard lock(mutex_);
    const auto found = subagents_.find(agent_id);
    if (found != subagents_.end() && !found->second->report && !found->second->in_background) {
      found->second->callbacks.push_back(std::move(callback));
      return;
    }
  }
  callback();
}

std::optional<AgentReport> Subagents::take_report(const std::string& agent_id) {
  const std::lock_guard lock(mutex_);
  const auto found = subagents_.find(agent_id);
  if (found == subagents_.end() || !found->second->report || found->second->in_background) return std::nullopt;
  found->second->is_told = true;
  return found->second->report;
}

std::string Subagents::output_file(const std::string& agent_id) const {
  if (options_.tasks) {
    for (const TaskView& task : options_.tasks->list()) {
      if (task.id == agent_id) return task.output_file;
    }
  }
  const std::lock_guard lock(mutex_);
  if (!main_->agent) return "";
  return main_->agent->engine().session_folder() + "/subagents/agent-" + agent_id + ".jsonl";
}

// Those whose end is known to everybody, and the oldest of those that nobody asks for.
void Subagents::reap() {
  Members gone;  // joined without the lock
  const std::lock_guard lock(mutex_);
  for (auto at = subagents_.begin(); at != subagents_.end();) {
    const auto next = std::next(at);
    const Subagent& child = *at->second;
    const bool is_forgotten = child.is_told || subagents_.size() > kAgentReportsKeptMax;
    if (child.is_over && is_forgotten) gone.push_back(std::move(subagents_.extract(at).mapped()));
    at = next;
  }
}

// --- what the main agent is fed with ---

bool Subagents::take(Feed& item) {
  const std::lock_guard lock(mutex_);
  const auto whose = [&](const std::string& id) -> std::optional<Question> {
    const auto found = questions_.find(id);
    if (found == questions_.end() || !found->second.whose->agent) return std::nullopt;
    return std::move(questions_.extract(found).mapped());
  };
  if (auto* answer = std::get_if<PermissionAnswer>(&item)) {
    auto question = whose(answer->id);
    if (!question) return false;
    answer->id = question->id;
    answer->ends_turn = false;  // its parent hears what was refused, and decides
    const bool for_all = answer->verdict == Verdict::allow && answer->always &&
                         answer->always->destination == SettingSource::session && main_->agent;
    if (for_all) {
      const auto& given = answer->always->rules;
      main_->agent->engine().feed(RulesGranted{given.empty() ? question->proposal : given});
    }
    question->whose->agent->engine().feed(std::move(item));
    return true;
  }
  if (const auto* answer = std::get_if<HostAnswer>(&item)) {
    const auto question = whose(answer->call_id);
    if (!question) return false;
    question->whose->agent->engine().feed(std::move(item));
    return true;
  }
  for (const auto& [id, child] : subagents_) {
    if (!child->agent) continue;
    if (std::holds_alternative<InputEnded>(item)) child->agent->engine().feed(InputEnded{});
    if (const auto* wanted = std::get_if<ModeWanted>(&item)) {
      child->agent->engine().feed(ModeWanted{subagent_mode(wanted->mode, child->wanted_mode)});
    }
  }
  return false;
}

}  // namespace deft
