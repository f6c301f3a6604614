#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "deft/core/permission.h"

namespace deft {

inline constexpr std::size_t kUpdateEntriesMax = 100;

// A change of permissions as hooks and hosts ask for it, in the words of Claude Code's PermissionUpdate.
struct PermissionUpdate {
  enum class Kind : std::uint8_t {
    add_rules,
    replace_rules,
    remove_rules,
    set_mode,
    add_directories,
    remove_directories
  };
  Kind kind = Kind::add_rules;
  RuleList list = RuleList::allow;      // of rules
  std::vector<std::string> rules = {};  // "Bash(ls:*)"
  Mode mode = Mode::normal;             // set_mode
  std::vector<std::string> directories = {};
  SettingSource destination = SettingSource::session;  // "cliArg" counts as the session's
};

// {"type": "addRules", "rules": [{"toolName", "ruleContent"?}], "behavior", "destination"} and the like. The error says
// what is wrong with it.
Result<PermissionUpdate> parse_permission_update(const Json& entry);

// The setup with the change in what the session itself says: rules of files stay as they are. Refused are rules that
// cannot be used, allow rules where only managed ones count, and a mode in which nobody is asked, unless it is in
// force.
Result<PermissionSetup> with_update(PermissionSetup setup, const PermissionUpdate& update);

}  // namespace deft
