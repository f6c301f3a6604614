#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "deft/core/command_pattern.h"
#include "deft/core/path_pattern.h"
#include "deft/core/rule.h"

// What a rule's specifier means for its tool, ready to be matched.

namespace deft {

// What rules speak of in a call of this tool.
enum class SubjectKind : std::uint8_t { none, command, windows_command, read, edit, domain, agent, skill };
struct Subject {
  SubjectKind kind = SubjectKind::none;
  std::string_view field = {};  // of the input
  bool has_path_rules = false;  // `Tool(path)` is consulted; for the other tools with paths only Read and Edit are
};
Subject subject_of(std::string_view tool);

// Any call of the tool.
struct WholeTool {};
// The rule is known to match nothing; `warning` says why.
struct Inert {};
// It cannot be understood: allows nothing, and asks where it would have denied or asked.
struct Broken {};
// Host of a web address. "*" all; "*.x" every subdomain of x; any other "*" within one label.
struct DomainPattern {
  std::string host;
  bool matches(std::string_view host) const;
};
// The name of an agent or a skill; with_arguments: whatever is given to it.
struct NamePattern {
  std::string name;
  bool with_arguments = false;
};
// A top-level input with this scalar value, in which "*" is any text.
struct ParameterPattern {
  std::string parameter;
  std::string value;
  bool matches(const Json& input) const;
};

struct RuleMeaning {
  std::variant<WholeTool, Inert, Broken, CommandPattern, PathPattern, DomainPattern, NamePattern> what;
  // Beside it: `Tool(param:value)` is tried as well wherever it may be meant.
  std::optional<ParameterPattern> parameter;
  bool tool_is_pattern = false;
  std::string warning;  // for people; empty if there is nothing to say
};

RuleMeaning meaning_of(const Rule& rule, RuleList list, const PatternPlace& place);

}  // namespace deft
