#pragma once

#include <atomic>
#include <optional>
#include <span>
#include <utility>

#include "deft/os/command_launch.h"
#include "deft/os/processes.h"

namespace deft {

// A command that was handed to the warden; run() and start() both are made of it.
class WardenChild final : public Child {
 public:
  WardenChild(const Clock& clock, WardenLink& link, RunningCommand running, Duration end_grace)
      : clock_(clock), link_(link), end_grace_(end_grace), running_(std::move(running)) {}
  ~WardenChild() override;

  Result<void> wait_for_start(std::stop_token stop);
  // follow() for who has told the deadline to the supervisor already.
  Result<std::optional<CommandEnd>> pass_on(const OutputSink& on_output, const RunUntil& until, std::stop_token leave);

  Result<void> write(std::string_view bytes, std::stop_token stop) override;
  std::size_t write_some(std::string_view bytes) override;
  void close_input() override { running_.input.reset(); }
  Result<std::size_t> read(OutputStream stream, std::span<char> into, std::stop_token stop,
                           std::optional<TimePoint> deadline) override;
  Result<std::optional<CommandEnd>> follow(const OutputSink& on_output, const RunUntil& until,
                                           std::stop_token leave) override;
  Result<CommandEnd> wait(std::stop_token stop, std::optional<TimePoint> deadline) override;
  void end(Duration grace) override { running_.channel->request_end(grace); }

 private:
  const Clock& clock_;
  WardenLink& link_;
  const Duration end_grace_;
  RunningCommand running_;
  std::atomic<bool> is_given_up_ = false;  // no answer came in time: none is waited for again
};

}  // namespace deft
