#pragma once

#include <optional>
#include <string>
#include <vector>

#include "deft/core/permission.h"
#include "deft/core/powershell_permission.h"

// Internal to the chain: a call with all that was found out about it, once.

namespace deft {

struct Permissions::Call {
  const PermissionQuestion& question;
  std::string tool;                // today's name
  std::vector<std::string> names;  // it, and its aliases; of a server's tool all that may mean it
  Subject subject;
  std::string directory;             // where it runs
  std::vector<TouchedPath> touched;  // by tools with paths
  std::unique_ptr<ShellLine> line;   // of a shell
  std::unique_ptr<shell::ClassifyOptions> classify;
  std::unique_ptr<ShellPermission> shell;            // refers to both
  std::unique_ptr<PowerShellPermission> powershell;  // of that one
};

}  // namespace deft
