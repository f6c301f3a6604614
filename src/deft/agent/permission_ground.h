#pragma once

#include "deft/core/permission.h"
#include "deft/os/files.h"

namespace deft {

// Gives permissions their view of the real disk: where links lead, what patterns match, what git is configured to run.
// `files` outlives the permissions.
void put_on_ground(PermissionSetup& setup, Files& files);
// The same for a command that only asks.
void put_on_ground(PermissionSetup& setup);

}  // namespace deft
