#pragma once

#include <string>
#include <string_view>

#include "deft/core/permission.h"

namespace deft {

// What deft knows of a tool by its name, for questions about calls that no tool answers for.
void declare_by_name(PermissionQuestion& question, const Permissions& permissions, const PermissionSetup& setup);

// One line of `deft permissions check --json`, in and out, without the line end. A line that cannot be used is asked
// for and carries "error". `directory` and `home` hold where the line does not say.
std::string permission_check_line(std::string_view line, const std::string& directory, const std::string& home);

}  // namespace deft
