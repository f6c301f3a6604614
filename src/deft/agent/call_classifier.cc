#include "deft/agent/call_classifier.h"

#include <utility>

namespace deft {

void Judgement::spoke(std::optional<RiskOpinion> opinion) {
  std::function<void(std::optional<RiskOpinion>)> listener;
  {
    const std::lock_guard lock(mutex_);
    has_spoken_ = true;
    opinion_ = std::move(opinion);
    listener = std::exchange(listener_, nullptr);
  }
  came_.notify_all();
  if (listener) listener(this->opinion());
}

bool Judgement::wait(std::stop_token stop, TimePoint until) {
  std::unique_lock lock(mutex_);
  return came_.wait_until(lock, std::move(stop), until, [this] { return has_spoken_; });
}

std::optional<RiskOpinion> Judgement::opinion() const {
  const std::lock_guard lock(mutex_);
  return opinion_;
}

void Judgement::then(std::function<void(std::optional<RiskOpinion>)> listener) {
  {
    const std::lock_guard lock(mutex_);
    if (!has_spoken_) {
      listener_ = std::move(listener);
      return;
    }
  }
  listener(opinion());
}

}  // namespace deft
