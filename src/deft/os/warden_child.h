#pragma once

#include <poll.h>

#include <optional>
#include <span>
#include <utility>

#include "deft/os/command_launch.h"
#include "deft/os/processes.h"

namespace deft {

// The most that a supervisor takes to answer once its command's time is up, its ending of everything included. Only
// one that is stuck in the kernel (a program on a dead network file system) takes longer; nobody waits for that.
inline constexpr Duration kSupervisorAnswerMax = std::chrono::seconds(8);

// poll() until the deadline; EINTR is no event.
int poll_until(std::span<pollfd> watched, const Clock& clock, std::optional<TimePoint> deadline);

// A read that doesn't wait.
struct ReadOnce {
  enum class State { data, nothing_yet, ended } state = State::ended;
  std::size_t bytes = 0;
};
ReadOnce read_once(int fd, std::span<char> into);

class WardenChild final : public Child {
 public:
  WardenChild(const Clock& clock, RunningCommand running) : clock_(clock), running_(std::move(running)) {}
  ~WardenChild() override;

  Result<void> write(std::string_view bytes, std::stop_token stop) override;
  void close_input() override { running_.input.reset(); }
  Result<std::size_t> read(OutputStream stream, std::span<char> into, std::stop_token stop,
                           std::optional<TimePoint> deadline) override;
  Result<CommandEnd> wait(std::stop_token stop, std::optional<TimePoint> deadline) override;
  void end(Duration grace) override { running_.channel->request_end(grace); }

 private:
  const Clock& clock_;
  RunningCommand running_;
};

}  // namespace deft
