#pragma once

#include <string>
#include <vector>

#include "deft/core/permission.h"

namespace deft {

inline constexpr std::size_t kProposedRulesMax = 5;
inline constexpr std::size_t kProposedRuleBytesMax = 300;

// The smallest sensible allow rules for this call, as "always allow" would write them: one for each simple command that
// nothing allows yet (a whole command, or a well-known one with its subcommand: `Bash(git commit:*)`), the folder of a
// file, the host of a web address, the name of a tool. Empty: nobody should allow such calls once and for all
// (removing, becoming root, running text, here-documents, whole scripts, what is not understood), or no allow rule
// would help, because deny or ask rules, protected paths or the tool itself want the question. `setup` is what the
// question was decided with; with the proposal added to it the call is allowed.
std::vector<std::string> propose_rules(const PermissionQuestion& question, const PermissionSetup& setup);

// The setup with allow rules of the session added. Rules that cannot be used are an error that names them.
Result<PermissionSetup> with_session_rules(PermissionSetup setup, const std::vector<std::string>& rules);

}  // namespace deft
