#pragma once

#include <optional>
#include <string>

#include "deft/core/permission.h"

namespace deft {

// What decides whether permissions may be bypassed here.
struct BypassGround {
  bool is_root = false;
  bool is_accepted = false;  // somebody says for this very run that nothing can be lost
};
// `on_command_line`: it was asked for there. DEFT_ALLOW_ROOT_BYPASS=1 and IS_SANDBOX=1 say the same.
BypassGround bypass_ground(bool on_command_line);

// If the mode is bypassPermissions: an error where root would bypass because of a settings file alone, a
// notice where the policy forbids it and the default mode takes its place.
Result<std::optional<std::string>> check_bypass(PermissionSetup& permissions, const BypassGround& ground);

}  // namespace deft
