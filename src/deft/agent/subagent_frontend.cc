#include <utility>

#include "deft/agent/subagent.h"
#include "deft/base/text.h"
#include "deft/core/session_permissions.h"

// What is seen of a subagent from outside: its events, wrapped; its questions, under ids that name it; what it says, in
// the file of a background task.

namespace deft {
namespace {

constexpr std::size_t kInputShownCharacters = 200;

}  // namespace

void Subagents::ItsFrontend::show(Event event) {
  if (auto* asked = std::get_if<PermissionAsked>(&event)) return show_question(std::move(*asked));
  if (auto* withdrawn = std::get_if<PermissionWithdrawn>(&event)) {
    withdrawn->id = whose_.id + ":" + withdrawn->id;
    forget_question(withdrawn->id);
    return all_.frontend_.show(std::move(event));
  }
  if (auto* changed = std::get_if<PromptChanged>(&event)) {
    if (auto* asked = std::get_if<PermissionAsked>(&changed->now)) name_it(*asked);
    return all_.frontend_.show(std::move(event));
  }
  if (auto* answered = std::get_if<PromptAnswered>(&event)) {
    answered->id = whose_.id + ":" + answered->id;
    forget_question(answered->id);
    return all_.frontend_.show(std::move(event));
  }
  if (const auto* made = std::get_if<HostCallMade>(&event)) {
    remember_question(made->call.id, {.whose = &whose_, .id = made->call.id, .proposal = {}});
    return all_.frontend_.show(std::move(event));
  }
  if (const auto* withdrawn = std::get_if<HostCallWithdrawn>(&event)) {
    forget_question(withdrawn->call_id);
    return all_.frontend_.show(std::move(event));
  }
  if (std::holds_alternative<CallAnswered>(event)) ++whose_.calls;
  if (std::holds_alternative<TurnBegan>(event)) {
    // An abort is meant for the turn under way: one that came before it is said again.
    const std::lock_guard lock(all_.mutex_);
    if (whose_.end_is_wanted) all_.ask_to_end(whose_);
  }
  if (const auto* completed = std::get_if<BlockCompleted>(&event)) tell_progress(completed->block);
  if (whose_.in_background) print(event);
  all_.frontend_.show(SubagentEvent{.parent_call_id = whose_.call_id,
                                    .agent_id = whose_.id,
                                    .agent_type = whose_.type,
                                    .description = whose_.description,
                                    .what = std::make_shared<const EventOfAgent>(std::move(event))});
}

void Subagents::ItsFrontend::show_question(PermissionAsked asked) {
  Question question{.whose = &whose_, .id = asked.id, .proposal = asked.proposal};
  name_it(asked);
  remember_question(asked.id, std::move(question));
  all_.frontend_.show(std::move(asked));
}

// Every agent counts its own questions: with whose it is, the number is the session's.
void Subagents::ItsFrontend::name_it(PermissionAsked& asked) const {
  asked.id = whose_.id + ":" + asked.id;
  asked.agent_id = whose_.id;
  asked.agent_type = whose_.type;
}

void Subagents::ItsFrontend::remember_question(const std::string& id, Question question) {
  const std::lock_guard lock(all_.mutex_);
  all_.questions_.insert_or_assign(id, std::move(question));
}

void Subagents::ItsFrontend::forget_question(const std::string& id) {
  const std::lock_guard lock(all_.mutex_);
  all_.questions_.erase(id);
}

// Of the call that waits for it.
void Subagents::ItsFrontend::tell_progress(const Block& block) {
  const auto* use = std::get_if<ToolUseBlock>(&block);
  if (!use || !whose_.progress || whose_.in_background) return;
  whose_.progress(JsonObject{{"type", "agent_progress"},
                             {"agentId", whose_.id},
                             {"agentType", whose_.type},
                             {"tool", use->call.name},
                             {"toolUseCount", whose_.calls.load()}});
}

void Subagents::ItsFrontend::print(const Event& event) {
  if (!all_.options_.tasks) return;
  const auto* completed = std::get_if<BlockCompleted>(&event);
  if (!completed) return;
  std::string text;
  if (const auto* said = std::get_if<TextBlock>(&completed->block)) text = said->text + "\n";
  if (const auto* use = std::get_if<ToolUseBlock>(&completed->block)) {
    text = "> " + use->call.name + " " + one_line(use->call.input_text, kInputShownCharacters) + "\n";
  }
  if (!text.empty()) all_.options_.tasks->print(whose_.id, text);
}

// --- its settings ---

Result<void> Subagents::ItsSettings::keep(SettingSource destination, const std::vector<std::string>& rules) {
  PermissionStore* store = nullptr;
  {
    const std::lock_guard lock(all_.mutex_);
    if (all_.main_->agent) store = all_.main_->agent->engine().workshop().store();
  }
  if (!store) return fail(Errc::unsupported, "there are no settings to write to here");
  return store->keep(destination, rules);
}

std::optional<PermissionStore::Changed> Subagents::ItsSettings::reload() {
  const std::lock_guard lock(all_.mutex_);
  if (!parent_.agent) return std::nullopt;
  auto now = parent_.agent->engine().permissions();
  if (now == std::exchange(known_, now)) return std::nullopt;
  return Changed{.setup = inherited(now->setup()), .notices = {}};
}

}  // namespace deft
