#include "deft/agent/prompt_queue.h"

#include <algorithm>
#include <array>
#include <condition_variable>
#include <iterator>
#include <memory>
#include <utility>

#include "deft/base/check.h"
#include "deft/core/rule.h"

namespace deft {
namespace {

constexpr std::array<std::string_view, 6> kKindNames = {"permission",       "question",        "plan_approval",
                                                        "elicitation_form", "elicitation_url", "sampling"};

Event shown(const PendingPrompt& prompt) {
  return std::visit([](const auto& asked) { return Event(asked); }, prompt);
}

Event withdrawn(const PendingPrompt& prompt) {
  if (std::holds_alternative<PermissionAsked>(prompt)) return PermissionWithdrawn{id_of(prompt)};
  return ServerAskWithdrawn{id_of(prompt)};
}

}  // namespace

std::string_view to_string(PromptKind kind) { return kKindNames[static_cast<std::size_t>(kind)]; }

PromptKind prompt_kind_of(std::string_view tool) {
  const std::string_view name = todays_tool_name(tool);
  if (name == "AskUserQuestion") return PromptKind::question;
  if (name == "ExitPlanMode") return PromptKind::plan_approval;
  return PromptKind::permission;
}

std::string_view to_string(ServerAnswer::Action action) {
  switch (action) {
    case ServerAnswer::Action::accept: return "accept";
    case ServerAnswer::Action::decline: return "decline";
    case ServerAnswer::Action::cancel: return "cancel";
  }
  return "cancel";
}

const std::string& id_of(const PendingPrompt& prompt) {
  return std::visit([](const auto& asked) -> const std::string& { return asked.id; }, prompt);
}

const std::string& id_of(const PromptAnswer& answer) {
  return std::visit([](const auto& given) -> const std::string& { return given.id; }, answer);
}

PromptQueue::Entry* PromptQueue::find(const std::string& id) {
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? nullptr : &*found->second;
}

void PromptQueue::tell(const Event& event) const {
  for (Frontend* watcher : watchers_) watcher->show(event);
}

bool PromptQueue::push(PendingPrompt prompt, Deliver deliver) {
  const std::lock_guard lock(mutex_);
  if (entries_.size() >= kPromptsWaitingMax) return false;
  entries_.push_back({std::move(prompt), std::move(deliver)});
  const bool is_new = by_id_.emplace(id_of(entries_.back().prompt), std::prev(entries_.end())).second;
  DEFT_CHECK(is_new);
  tell(shown(entries_.back().prompt));
  return true;
}

void PromptQueue::update(const std::string& id, const std::function<void(PendingPrompt&)>& change) {
  const std::lock_guard lock(mutex_);
  Entry* const found = find(id);
  if (!found) return;
  change(found->prompt);
  DEFT_CHECK(id_of(found->prompt) == id);
  tell(PromptChanged{found->prompt});
}

bool PromptQueue::remove(const std::string& id, Because because) {
  const std::lock_guard lock(mutex_);
  const auto found = by_id_.find(id);
  if (found == by_id_.end()) return false;
  const Event event = because == Because::answered ? Event(PromptAnswered{id}) : withdrawn(found->second->prompt);
  entries_.erase(found->second);
  by_id_.erase(found);
  tell(event);
  return true;
}

bool PromptQueue::answer(PromptAnswer answer) {
  Deliver deliver;
  {
    const std::lock_guard lock(mutex_);
    const Entry* const found = find(id_of(answer));
    if (!found || found->prompt.index() != answer.index()) return false;
    deliver = found->deliver;
  }
  deliver(std::move(answer));  // outside: the owner may remove it at once
  return true;
}

ServerAnswer PromptQueue::ask(ServerAsked asked, std::stop_token stop, std::optional<Duration> at_most,
                              const Clock& clock) {
  // Shared with whoever is just bringing an answer when we have stopped waiting.
  struct Desk {
    std::mutex mutex;
    std::condition_variable_any came;
    std::optional<ServerAnswer> answer;
  };
  const auto desk = std::make_shared<Desk>();
  asked.id = next_id();
  const std::string id = asked.id;
  if (at_most) asked.deadline = clock.now() + *at_most;
  const auto deadline = asked.deadline;
  const ServerAnswer nobody{.id = id, .action = ServerAnswer::Action::cancel, .content = {}};
  const bool is_pushed = push(std::move(asked), [this, desk](PromptAnswer given) {
    // The claim: of two who answer at once, the first is heard.
    if (!remove(id_of(given), Because::answered)) return;
    const std::lock_guard lock(desk->mutex);
    desk->answer = std::get<ServerAnswer>(std::move(given));
    desk->came.notify_all();
  });
  if (!is_pushed) return nobody;
  std::unique_lock lock(desk->mutex);
  const auto is_there = [&] { return desk->answer.has_value(); };
  if (deadline) {
    desk->came.wait_until(lock, stop, clock.on_steady_clock(*deadline), is_there);
  } else {
    desk->came.wait(lock, stop, is_there);
  }
  lock.unlock();
  if (remove(id, Because::withdrawn)) return nobody;
  lock.lock();
  desk->came.wait(lock, is_there);  // somebody has claimed it, and is about to put the answer here
  return std::move(*desk->answer);
}

void PromptQueue::watch(Frontend& watcher) {
  const std::lock_guard lock(mutex_);
  watchers_.push_back(&watcher);
  for (const Entry& entry : entries_) watcher.show(shown(entry.prompt));
}

void PromptQueue::unwatch(Frontend& watcher) {
  const std::lock_guard lock(mutex_);
  std::erase(watchers_, &watcher);
}

bool PromptQueue::is_watched() const {
  const std::lock_guard lock(mutex_);
  return !watchers_.empty();
}

std::optional<PendingPrompt> PromptQueue::first(const std::unordered_set<std::string>& but_not) const {
  const std::lock_guard lock(mutex_);
  for (const Entry& entry : entries_) {
    if (!but_not.contains(id_of(entry.prompt))) return entry.prompt;
  }
  return std::nullopt;
}

std::vector<PendingPrompt> PromptQueue::waiting() const {
  const std::lock_guard lock(mutex_);
  std::vector<PendingPrompt> prompts;
  for (const Entry& entry : entries_) prompts.push_back(entry.prompt);
  return prompts;
}

bool PromptQueue::is_open(const std::string& id) const {
  const std::lock_guard lock(mutex_);
  return by_id_.contains(id);
}

}  // namespace deft
