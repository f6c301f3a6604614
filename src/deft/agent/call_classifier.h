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

// A call that nobody else settles.
struct CallToJudge {
  std::string tool;
  std::string text;      // what the tool gives to judge, and all that may be known of the call
  OpinionWanted wanted;  // is it harmless, or is it one of those that were granted?
};

// A second opinion on calls, for instance a model's. It starts beside the hooks, so that its answer is there when
// permission is decided. Called on workers, several at once.
class CallClassifier {
 public:
  virtual ~CallClassifier() = default;
  // Nothing: it cannot tell, and whoever else can be asked is.
  virtual std::optional<RiskOpinion> judge(const CallToJudge& call, std::stop_token stop) = 0;
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
