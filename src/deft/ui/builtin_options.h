#pragma once

#include <memory>
#include <string_view>

#include "deft/agent/given_results.h"
#include "deft/config/settings.h"
#include "deft/tools/builtin.h"

namespace deft {

WorktreeOptions worktree_options(const Settings& settings);

// What the settings and the environment (BASH_DEFAULT_TIMEOUT_MS, BASH_MAX_TIMEOUT_MS) say about the tools that come
// with deft. A variable that is no sensible number is left out of account.
// `model` is the one that the session begins with; empty: not known.
BuiltinOptions builtin_options(const Settings& settings, std::string_view model = {});

// How many commands may run at once, of all deft processes of the user together.
std::shared_ptr<const CommandSlots> command_slots(const ShellSettings& shell);

// How long a turn waits for subagents in the background when the model has said its last word: ten minutes, or
// DEFT_PRINT_BG_WAIT_CEILING_MS (CLAUDE_CODE_… is read if ours is not set).
Duration background_patience();

// The same for what the model is shown of results (BASH_MAX_OUTPUT_LENGTH).
ResultOptions result_options(const Settings& settings);

}  // namespace deft
