#pragma once

#include <cstddef>
#include <functional>
#include <list>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

#include "deft/agent/hook_runner.h"

namespace deft {

inline constexpr std::size_t kBackgroundHooksMax = 50;  // at once
inline constexpr std::size_t kLateHookWordsMax = 1'000;

// Hooks that nobody waits for, and what they say when they have ended. At the end, those that still run are ended.
class BackgroundHooks {
 public:
  using Job = std::function<LateHookWord(std::stop_token stop)>;

  BackgroundHooks() = default;
  ~BackgroundHooks();

  // False: too many run already.
  bool start(Job job);
  std::vector<LateHookWord> take();
  void when_a_word_comes(std::function<void()> tell);  // called on their threads

 private:
  struct Running {
    std::jthread thread;
    bool has_ended = false;
  };
  void run(Running& self, const Job& job, std::stop_token stop);
  void join_ended();

  std::mutex mutex_;
  // Under mutex_:
  std::list<Running> running_;
  std::vector<LateHookWord> words_;
  std::function<void()> tell_;
  bool closing_ = false;
};

}  // namespace deft
