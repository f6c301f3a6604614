#pragma once

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

// The same for what the model is shown of results (BASH_MAX_OUTPUT_LENGTH).
ResultOptions result_options(const Settings& settings);

}  // namespace deft
