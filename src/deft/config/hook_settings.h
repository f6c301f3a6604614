#pragma once

#include <vector>

#include "deft/config/settings_files.h"
#include "deft/core/hook_config.h"

namespace deft {

// The hooks of all settings files, `files` the strongest first, and what the files say about hooks as such:
//   disableAllHooks         the strongest file that says it counts; managed hooks can only be disabled by managed files
//   allowManagedHooksOnly   in managed files alone
//   allowedHttpHookUrls, httpHookAllowedEnvVars   lists are joined; those of a folder only narrow, where nobody else
//   has
//                           one
// Of a folder that is not trusted nothing counts. What is wrong is in `problems`.
HookConfig merge_hooks(const std::vector<LoadedFile>& files, bool trusted);

// What those files say about hooks as such.
struct HookPolicy {
  bool disabled = false;             // disableAllHooks, whoever says it
  bool disabled_by_managed = false;  // then not even managed ones run
  bool managed_only = false;
};
HookPolicy hook_policy(const std::vector<LoadedFile>& files, bool trusted);

}  // namespace deft
