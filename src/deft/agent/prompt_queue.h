#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "deft/agent/event.h"
#include "deft/agent/prompt.h"

namespace deft {

inline constexpr std::size_t kPromptsWaitingMax = 10'000;

// What people are being asked in a session, oldest first: by its agent, by subagents, by servers. Any number of front
// ends watch it; one of them, or several, bring answers. Every prompt has an owner, who pushed it and decides what
// becomes of it: an answer is handed to the owner, and remove() is the claim. It succeeds once; whoever comes later (a
// second answer, a hook, a classifier, an abort, the deadline) finds nothing, and is ignored.
// From any thread. Watchers are told in order and must not call back from within show().
class PromptQueue {
 public:
  PromptQueue() = default;
  PromptQueue(const PromptQueue&) = delete;
  PromptQueue& operator=(const PromptQueue&) = delete;

  // --- owners ---
  std::string next_id() { return "perm_" + std::to_string(++numbers_); }
  using Deliver = std::function<void(PromptAnswer)>;  // takes the answer to the owner; returns at once
  // The prompt's id is one of next_id(). False: too many wait.
  bool push(PendingPrompt prompt, Deliver deliver);
  // `change` must not touch the id.
  void update(const std::string& id, const std::function<void(PendingPrompt&)>& change);
  enum class Because : std::uint8_t { answered, withdrawn };
  bool remove(const std::string& id, Because because);

  // For owners on a thread of their own: pushes, and waits for the answer, the stop, or `at_most`.
  ServerAnswer ask(ServerAsked asked, std::stop_token stop, std::optional<Duration> at_most, const Clock& clock);

  // --- front ends ---
  // From now on, and at once what is waiting already. A watcher leaves before it ends.
  void watch(Frontend& watcher);
  void unwatch(Frontend& watcher);
  bool is_watched() const;
  std::optional<PendingPrompt> first(const std::unordered_set<std::string>& but_not = {}) const;
  std::vector<PendingPrompt> waiting() const;
  bool is_open(const std::string& id) const;
  // Takes it to the owner. False: nobody waits for it (any more), or for another kind of answer.
  bool answer(PromptAnswer answer);

 private:
  struct Entry {
    PendingPrompt prompt;
    Deliver deliver;
  };
  Entry* find(const std::string& id);
  void tell(const Event& event) const;

  std::atomic<std::uint64_t> numbers_ = 0;
  mutable std::mutex mutex_;
  // Under mutex_:
  std::list<Entry> entries_;
  std::unordered_map<std::string, std::list<Entry>::iterator> by_id_;
  std::vector<Frontend*> watchers_;
};

}  // namespace deft
