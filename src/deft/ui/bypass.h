#pragma once

#include <optional>
#include <string>

#include "deft/core/permission.h"

namespace deft {

// What decides whether permissions may be bypassed here.
struct BypassGround {
  bool is_root = false;
  bool is_accepted = false;  // DEFT_ALLOW_ROOT_BYPASS=1, or IS_SANDBOX=1: whoever set it says that nothing can be lost
};
BypassGround bypass_ground();

// If the mode is bypassPermissions: an error where root would bypass on a machine that nobody called expendable, a
// notice where the policy forbids it and the default mode takes its place.
Result<std::optional<std::string>> check_bypass(PermissionSetup& permissions, const BypassGround& ground);

}  // namespace deft
