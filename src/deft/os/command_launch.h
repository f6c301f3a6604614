#pragma once

#include <memory>
#include <optional>

#include "deft/os/command_channel.h"
#include "deft/os/processes.h"
#include "deft/os/unique_fd.h"
#include "deft/os/warden_link.h"

namespace deft {

// What runs, seen from here: the channel, and our ends of its pipes, which never block.
struct RunningCommand {
  std::unique_ptr<CommandChannel> channel;
  UniqueFd input;  // StandardInput::pipe only
  UniqueFd output;
  UniqueFd errors;  // if separate
  pid_t warden = -1;
};

enum class StandardInput {
  text,  // Command::input, as a file: nobody has to feed it, and a command that never reads it blocks nobody
  pipe,
};

// For the first command, which may be a restricted one.
void prepare_for_commands(WardenLink& link);

// Hands a command to the warden. Whether it runs is what the channel reports next.
Result<RunningCommand> launch_command(WardenLink& link, const Command& command, StandardInput input,
                                      std::optional<Duration> timeout);

}  // namespace deft
