#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "deft/agent/engine.h"
#include "deft/testing/lambda_tool.h"
#include "deft/testing/temp_folder.h"

namespace deft {

// Keeps every event, and lets a test wait for one.
class RecordingFrontend final : public Frontend {
 public:
  void show(Event event) override;
  bool wants_stages() const override { return true; }
  // At once, on the thread that shows it; set before the first.
  std::function<void(const Event&)> when_shown = nullptr;

  std::vector<Event> events() const;
  template <class Kind>
  std::vector<Kind> all() const {
    std::vector<Kind> found;
    for (const Event& event : events()) {
      if (const auto* kind = std::get_if<Kind>(&event)) found.push_back(*kind);
    }
    return found;
  }
  // Blocks until `count` events of this kind have come. A test that waits in vain is ended by ctest.
  template <class Kind>
  Kind wait_for(std::size_t count = 1) {
    std::unique_lock lock(mutex_);
    for (;;) {
      std::size_t seen = 0;
      for (const Event& event : events_) {
        const auto* kind = std::get_if<Kind>(&event);
        if (kind && ++seen == count) return *kind;
      }
      changed_.wait(lock);
    }
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Event> events_;
};

// Hooks that a test scripts.
class LambdaHooks final : public HookRunner {
 public:
  std::map<HookEvent, std::function<HookOutcome(const HookMoment&, std::stop_token)>> on = {};
  bool listens(HookEvent event) const override { return on.contains(event); }
  HookOutcome run(const HookMoment& moment, std::stop_token stop) override { return on.at(moment.event)(moment, stop); }
  std::vector<LateHookWord> take_late_words() override {
    const std::lock_guard lock(mutex_);
    return std::exchange(late_, {});
  }
  void add_late(LateHookWord word) {
    const std::lock_guard lock(mutex_);
    late_.push_back(std::move(word));
  }

 private:
  std::mutex mutex_;
  std::vector<LateHookWord> late_;
};

// A whole engine on a temporary folder, with tools that the test makes and real threads.
class EngineBench {
 public:
  struct Options {
    ExecutorOptions executor = {};
    Mode mode = Mode::bypass;
    PermissionRules rules = {};
    const Clock* clock = nullptr;
    CallClassifier* classifier = nullptr;  // asked without patience
    PromptQueue* prompts = nullptr;        // see EngineOptions
  };
  EngineBench();
  explicit EngineBench(Options options);
  ~EngineBench();

  void add_tool(LambdaTool::Parts parts);
  void add_tool(std::shared_ptr<Tool> tool);
  // Feeds; the engine runs from the first item on.
  void feed(Feed item);
  void call(std::string id, std::string tool, Json input = JsonObject());
  // Ends the input, waits until everything is answered.
  ExecutorSummary finish();
  // The answers so far, in the order they left.
  std::vector<CallAnswered> answers() const { return frontend.all<CallAnswered>(); }
  std::string journal_text() const;

  const SessionState& session() const { return engine_->session(); }

  TempFolder folder;
  RecordingFrontend frontend;
  LambdaHooks hooks;
  PermissionStore* store = nullptr;  // set before the first tool

 private:
  Engine& engine();

  Options options_;
  std::unique_ptr<Engine> engine_;
  std::thread turn_;  // runs from the first feed on
  ExecutorSummary summary_;
};

}  // namespace deft
