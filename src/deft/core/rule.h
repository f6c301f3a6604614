#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "deft/base/json.h"
#include "deft/base/result.h"

// Permission rules as people write them: `Tool` or `Tool(specifier)`, in the lists allow, ask and deny. What a
// specifier means depends on the tool: rule_meaning.h.

namespace deft {

enum class RuleList : std::uint8_t { allow, ask, deny };
std::string_view to_string(RuleList list);

// Where settings come from, the strongest first.
enum class SettingSource : std::uint8_t { managed, command_line, session, local, project, user };
std::string_view to_string(SettingSource source);  // "managed", "cli", "session", "local", "project", "user"
std::optional<SettingSource> parse_setting_source(std::string_view text);

inline constexpr std::size_t kRuleBytesMax = 10'000;

struct Rule {
  std::string text;  // as written
  std::string tool;  // today's name of the tool; empty only if the rule is broken. May hold "*"
  std::optional<std::string> specifier{};
  std::optional<std::string> problem{};  // why it cannot be used: it allows nothing, and in deny and ask it asks
};

// An error names the rule and says what to write instead.
Result<Rule> parse_rule(std::string_view text);
// The same for settings that are used whatever one rule of them says: a broken rule carries its problem.
Rule read_rule(std::string_view text);

struct PermissionRules {
  std::vector<Rule> allow{}, ask{}, deny{};

  const std::vector<Rule>& of(RuleList list) const;
  std::vector<Rule>& of(RuleList list);
};
// Reads {"allow":[…],"ask":[…],"deny":[…]}. A list that is none is an error; a broken rule carries its problem.
Result<PermissionRules> parse_permission_rules(const Json& permissions);
// The first problem among them, if there is one.
std::optional<std::string> first_problem(const PermissionRules& rules);

// Tools had other names once: Task is Agent today.
std::string_view todays_tool_name(std::string_view tool);

}  // namespace deft
