#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>

#include "deft/base/clock.h"
#include "deft/core/permission.h"

namespace deft {

// How long a call waits for the opinion before somebody else is asked too.
inline constexpr Duration kOpinionPatience = std::chrono::seconds(10);

// A second opinion on calls in auto mode, for instance a model's. It starts beside the hooks, so that its answer is
// there when permission is decided. Called on workers, several at once.
class CallClassifier {
 public:
  virtual ~CallClassifier() = default;
  // `text` is what the tool gives to judge. Nothing: it cannot tell, and the built-in classifier decides alone.
  virtual std::optional<RiskOpinion> judge(const std::string& tool, const std::string& text, std::stop_token stop) = 0;
};

// One opinion that is being formed: made on one thread, waited for on another, and if it comes late, told to a third.
class Judgement {
 public:
  std::stop_token stop_token() const { return stop_.get_token(); }
  void stop() { stop_.request_stop(); }  // nobody wants to know any more
  void spoke(std::optional<RiskOpinion> opinion);

  // False: it is not there yet.
  bool wait(std::stop_token stop, TimePoint until);
  std::optional<RiskOpinion> opinion() const;  // after wait() was true
  // Tells it once, at once if it is there. From whichever thread brings it.
  void then(std::function<void(std::optional<RiskOpinion>)> listener);

 private:
  std::stop_source stop_;
  mutable std::mutex mutex_;
  std::condition_variable_any came_;
  // Under mutex_:
  bool has_spoken_ = false;
  std::optional<RiskOpinion> opinion_;
  std::function<void(std::optional<RiskOpinion>)> listener_;
};

}  // namespace deft
