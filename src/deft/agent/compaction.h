#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "deft/agent/agent_hooks.h"
#include "deft/agent/attempts.h"
#include "deft/base/result.h"
#include "deft/core/history.h"
#include "deft/model/model.h"

namespace deft {

inline constexpr std::size_t kCompactionsInARowMax = 3;  // with one request between them; then they do not help
inline constexpr std::size_t kSummaryTokensMax = 16'000;

struct CompactionJob {
  std::string trigger;  // "manual" or "auto"
  std::string instructions = {};
  std::shared_ptr<const History> history;
  std::size_t kept = 0;  // of its last messages
  ModelRequest request;  // as the next one of the conversation would be, so that the provider's cache holds
  Attempts attempts;
  HookScene scene;
};
struct CompactedText {
  std::string summary;
  std::string content;  // of the first message of the shorter history
  std::string model;
  Json usage;
};

// Has a summary written: PreCompact hooks may forbid it, the model writes it (with less and less of the conversation if
// it does not fit), SessionStart hooks may add to it, PostCompact hooks hear of it. What the model would like to call
// meanwhile is not done. Used on the turn's thread; one at a time.
class Compaction {
 public:
  struct Parts {
    ModelClient& model;
    Executor& executor;
    AgentHooks& hooks;
    const Clock& clock;
    // What an answer has cost that became no summary; that of the one that did is in CompactedText.
    std::function<void(const std::string& model, const Json& usage)> wasted;
  };
  explicit Compaction(Parts parts) : parts_(std::move(parts)) {}

  // Errors: `denied` by a hook, else why there is no summary. Not called after a stop().
  using Then = std::move_only_function<void(Result<CompactedText>)>;
  void start(CompactionJob job, Then then);
  void stop();

 private:
  void ask_model();
  void take(ModelEvent event);
  void take_message(const Message& message);
  void take_failure(const ModelFailure& failure);
  void ask_again_in(Duration delay);
  void ask_hooks_to_add(std::string summary);
  void tell_hooks();
  void end(Result<CompactedText> result);

  Parts parts_;
  std::optional<CompactionJob> job_;
  Then then_;
  CompactedText text_;
  std::unique_ptr<ModelCall> call_;
  std::size_t number_ = 0;   // of the request: what comes late from another is left alone
  std::size_t attempt_ = 0;  // how much of the conversation is left out
};

}  // namespace deft
