#include "deft/agent/background_hooks.h"

#include <system_error>
#include <utility>

namespace deft {

BackgroundHooks::~BackgroundHooks() {
  std::list<Running> running;
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
    tell_ = nullptr;
    // A list's entries stay where they are when they change hands, so their threads still find them.
    running.splice(running.end(), running_);
  }
  for (Running& hook : running) hook.thread.request_stop();
  running.clear();  // joins
}

bool BackgroundHooks::start(Job job) {
  join_ended();
  const std::lock_guard lock(mutex_);
  if (closing_ || running_.size() >= kBackgroundHooksMax) return false;
  Running& self = running_.emplace_back();
  try {
    self.thread = std::jthread(
        [this, &self, its_job = std::move(job)](std::stop_token stop) { run(self, its_job, std::move(stop)); });
  } catch (const std::system_error&) {  // no more threads
    running_.pop_back();
    return false;
  }
  return true;
}

void BackgroundHooks::run(Running& self, const Job& job, std::stop_token stop) {
  LateHookWord word = job(stop);
  std::function<void()> tell;
  {
    const std::lock_guard lock(mutex_);
    self.has_ended = true;
    const bool says_nothing = word.context.empty() && word.message.empty() && word.error.empty() && !word.wakes_model;
    if (closing_ || says_nothing || words_.size() >= kLateHookWordsMax) return;
    words_.push_back(std::move(word));
    tell = tell_;
  }
  if (tell) tell();
}

void BackgroundHooks::join_ended() {
  std::list<Running> ended;  // joined when the lock is free again
  const std::lock_guard lock(mutex_);
  for (auto hook = running_.begin(); hook != running_.end();) {
    const auto next = std::next(hook);
    if (hook->has_ended) ended.splice(ended.end(), running_, hook);
    hook = next;
  }
}

std::vector<LateHookWord> BackgroundHooks::take() {
  join_ended();
  const std::lock_guard lock(mutex_);
  return std::exchange(words_, {});
}

void BackgroundHooks::when_a_word_comes(std::function<void()> tell) {
  const std::lock_guard lock(mutex_);
  tell_ = std::move(tell);
}

}  // namespace deft
