#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "deft/model/model.h"

namespace deft {

inline constexpr std::size_t kModelRetriesDefault = 10;
inline constexpr std::size_t kStreamFailuresMax = 3;    // in a row; then once without streaming
inline constexpr std::size_t kMisunderstoodMax = 2;     // in a row; what is no model does not become one
inline constexpr std::size_t kOverloadFailuresMax = 3;  // in a row; then the next model, if there is one

// How long to wait before the request is made again; nothing: it is not. `failures`: in a row, this one included.
using RetryDelay = std::function<std::optional<Duration>(const ModelFailure&, std::size_t failures)>;

struct BackOff {
  std::size_t retries_max = kModelRetriesDefault;
  bool overload_for_ever = false;            // a server that has too much to do is asked until it has time
  std::function<double()> random = nullptr;  // from 0 to 1: many of us shall not come back at once; nothing: 0
};
// What the server asks for, else longer each time; only for what may go better the next time.
RetryDelay back_off(BackOff options);

// The requests of one turn, as they fail and succeed: which model is asked next, in which way, and when. Pure.
class Attempts {
 public:
  Attempts(std::vector<std::string> models, RetryDelay delay) : models_(std::move(models)), delay_(std::move(delay)) {}

  const std::string& model() const { return models_[model_]; }
  bool streams() const { return streams_; }
  std::size_t failures() const { return failures_; }

  struct Next {
    enum class Step : std::uint8_t {
      retry,    // after `delay`
      shorten,  // the history is too long for the model
      give_up,
    };
    Step step = Step::give_up;
    Duration delay{};
    bool model_changed = false;
  };
  Next failed(const ModelFailure& failure);
  void succeeded();
  // Another model is asked from now on, with the same ones to fall back to.
  void use_model(const std::string& model);

 private:
  std::vector<std::string> models_;  // the first is the one that was asked for
  RetryDelay delay_;
  std::size_t model_ = 0;
  std::size_t failures_ = 0;         // in a row
  std::size_t stream_failures_ = 0;  // in a row
  std::size_t overloads_ = 0;        // in a row, of this model
  std::size_t misunderstood_ = 0;    // in a row
  bool streams_ = true;
};

// The prompt, or prompt and answer together, do not fit into the model's context.
bool is_context_overflow(const ModelFailure& failure);
bool is_overload(const ModelFailure& failure);
// There is no such model at this address, or not any more.
bool is_missing(const ModelFailure& failure);

}  // namespace deft
