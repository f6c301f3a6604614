#pragma once

#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <utility>

#include "deft/os/unique_fd.h"

namespace deft {

// A stop token as a descriptor: it becomes readable when the stop is requested, so that poll() can wait for it beside
// other things. A token that can't be stopped costs nothing and has the descriptor -1, which poll() ignores.
class StopEvent {
 public:
  explicit StopEvent(const std::stop_token& token) {
    if (!token.stop_possible()) return;
    event_ = UniqueFd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    works_ = static_cast<bool>(event_);
    if (!works_) return;
    callback_.emplace(token, Signal{event_.get()});
  }
  StopEvent(const StopEvent&) = delete;
  StopEvent& operator=(const StopEvent&) = delete;

  int fd() const { return event_.get(); }
  bool works() const { return works_; }  // false: no descriptor was left, and a stop would not be noticed

 private:
  struct Signal {
    int fd;
    void operator()() const {
      const std::uint64_t one = 1;
      [[maybe_unused]] const auto written = ::write(fd, &one, sizeof one);
    }
  };
  bool works_ = true;
  UniqueFd event_;
  std::optional<std::stop_callback<Signal>> callback_;  // after event_: ends before it
};

}  // namespace deft
