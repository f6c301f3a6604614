#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "deft/agent/hook_environment.h"
#include "deft/core/hook_answer.h"
#include "deft/os/processes.h"

namespace deft {

inline constexpr std::size_t kHookFloodBytesMax = std::size_t{64} << 20;  // who prints more is ended

// The command that a hook means: without arguments a text for sh, with arguments a program and no shell.
Command hook_command(const Hook& hook, const HookSession& session, std::span<const std::string> own,
                     std::string_view directory, std::string input);

// A hook's program while it runs. start() and follow() block and are called by one thread at a time, not always the
// same: so a hook goes on in the background.
class HookProgram {
 public:
  HookProgram(Processes& processes, const Clock& clock, Command command)
      : processes_(processes), clock_(clock), command_(std::move(command)) {}

  // Runs it to its end, which is always one: whatever happens is a HookEnd. Nothing: it said {"async": true} as its
  // first line, and runs on; `follow` it again for the rest.
  std::optional<HookEnd> follow(Duration timeout, std::stop_token stop);
  // The same without looking for "async".
  HookEnd follow_to_end(Duration timeout, std::stop_token stop);

  // Of one that asked to run on: how long it may, if it said so.
  std::optional<Duration> asked_for() const { return asked_for_; }
  std::size_t left_behind() const { return left_behind_; }

 private:
  std::optional<HookEnd> follow(Duration timeout, std::stop_token stop, bool may_leave);
  void take(OutputStream stream, std::string_view bytes, std::stop_source& leave, std::stop_source& flooded);
  HookEnd end_of(const CommandEnd& end, Duration timeout, bool flooded);

  Processes& processes_;
  const Clock& clock_;
  Command command_;
  std::unique_ptr<Child> child_;
  std::string output_, errors_;
  std::size_t printed_ = 0;
  bool output_cut_ = false;
  bool has_first_line_ = false;
  std::optional<Duration> asked_for_;
  std::size_t left_behind_ = 0;
};

}  // namespace deft
