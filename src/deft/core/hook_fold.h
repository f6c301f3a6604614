#pragma once

#include <vector>

#include "deft/core/hook_answer.h"
#include "deft/core/hook_outcome.h"

namespace deft {

// One hook's answer, and how it ended.
struct AnsweredHook {
  HookAnswer answer;
  HookReport report;
};

// What the hooks of one event say together, given in the order of the configuration. deny beats defer beats ask beats
// allow; the reasons of all who said the word that counts are joined; of several replacements the last one counts; a
// denied permission beats a granted one. An input that is replaced is allowed only by the hook that gave it.
HookOutcome fold_hooks(std::vector<AnsweredHook> hooks);

}  // namespace deft
