#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "deft/base/json.h"
#include "deft/base/result.h"
#include "deft/core/permission.h"

// Calls that are judged without being run: those of past sessions, and the examples that a file of rules carries.

namespace deft {

struct ReplayedCall {
  std::string tool;
  Json input = JsonObject();
  std::string directory;  // where it was made; empty: that of the permissions
};

// "Bash(npm test)", "Read(src/a.cc)", "Glob": a call as people write it. The text between the parentheses is the
// tool's main input, or the whole input if it is a JSON object.
Result<ReplayedCall> parse_call(std::string_view text);

Decision judge(const Permissions& permissions, const PermissionSetup& setup, const ReplayedCall& call);

// The calls of a session that asked somebody, or began, in the order of its journal. `path` is the session's folder, or
// the journal itself.
Result<std::vector<ReplayedCall>> calls_of_session(const std::string& path);

// deft permissions simulate …, deft permissions test …: argv[0] is that word. Return the exit code.
int run_permissions_simulate(int argc, const char* const* argv);
int run_permissions_test(int argc, const char* const* argv);

}  // namespace deft
