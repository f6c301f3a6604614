#pragma once

#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "deft/model/credentials.h"
#include "deft/model/provider_choice.h"
#include "deft/os/processes.h"

namespace deft {

inline constexpr Duration kKeyHelperTtl = std::chrono::minutes(5);
inline constexpr Duration kKeyHelperTimeout = std::chrono::minutes(1);

// A key that a command of the user's prints. It is run when a key is needed, again when that has become old or was
// refused, and never twice at once. Who makes this knows that the settings which name the command are trusted.
class HelperCredentials final : public Credentials {
 public:
  struct Parts {
    Processes& processes;
    const Clock& clock;
    std::string command;
    std::vector<std::string> environment;  // of the command
    Duration ttl = kKeyHelperTtl;
    ModelApi api = ModelApi::anthropic;
  };
  explicit HelperCredentials(Parts parts) : parts_(std::move(parts)) {}

  bool at_hand() const override;
  Result<HttpHeaders> headers(std::stop_token stop) override;
  bool refused() override;

 private:
  bool is_fresh() const;
  Result<std::string> run(const std::stop_token& stop) const;

  const Parts parts_;
  std::mutex running_;  // held while the command runs
  mutable std::mutex mutex_;
  std::string key_;           // under mutex_; empty: none
  TimePoint printed_{};       // under mutex_
  bool was_refused_ = false;  // under mutex_: the last key was, and no other has come since
};

}  // namespace deft
