#pragma once

#include <span>

#include "deft/shell/commands.h"

namespace deft::shell {

// The command that a wrapper runs, for rules about commands: `timeout 5 nice rm x` is `rm x`. Stripped are timeout,
// time, nice, nohup, ionice, stdbuf, command, builtin, noglob, and xargs without options; not what changes more than
// how a command runs (env, sudo, docker exec, watch). A wrapper whose options are not understood stays.
std::span<const Argument> strip_wrappers(std::span<const Argument> words);

}  // namespace deft::shell
