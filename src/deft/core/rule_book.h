#pragma once

#include <array>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "deft/core/mcp_tool_name.h"
#include "deft/core/rule_meaning.h"

namespace deft {

// A rule in its place: which list, from where, ready to be matched.
struct PlacedRule {
  Rule rule;
  RuleList list = RuleList::deny;
  SettingSource source = SettingSource::user;
  std::string origin;  // the file, or the option
  RuleMeaning meaning;
};

// All rules of all sources, found by tool. Immutable; a look-up costs what the rules of that tool cost, and command
// rules are found by their first word. Where several match, the one of the strongest source is named.
class RuleBook {
 public:
  struct Source {
    const PermissionRules& rules;
    SettingSource source;
    std::string origin;
    PatternPlace place;
    bool allow_applies = true;
  };
  void add(const Source& source);
  void finish();  // after the last add()

  using Found = const PlacedRule*;  // nullptr: none
  // `Tool`, also by pattern, by a server's name, or by another name of the tool.
  Found whole_tool(RuleList list, std::string_view tool) const;
  // The same of a server's tool, by the names of both. To deny and to ask, also by `api_name`, which models call it by.
  Found whole_tool(RuleList list, const McpToolName& tool, std::string_view api_name) const;
  // A rule for this tool that cannot be understood.
  Found broken(RuleList list, std::string_view tool) const;
  Found by_parameter(RuleList list, std::string_view tool, const Json& input) const;
  Found by_command(RuleList list, std::string_view tool, std::string_view command) const;
  // Only rules without "*"; by_letters: also one that is this command letter for letter, its stars included.
  Found by_exact_command(RuleList list, std::string_view tool, std::string_view command, bool by_letters = false) const;
  Found by_beginning(RuleList list, std::string_view tool, std::string_view beginning) const;
  Found by_path(RuleList list, std::string_view tool, std::string_view path) const;
  Found covering_folder(RuleList list, std::string_view tool, std::string_view folder) const;
  // For allowing: the folder as a whole, at any depth.
  Found covering_tree(RuleList list, std::string_view tool, std::string_view folder) const;
  Found below_folder(RuleList list, std::string_view tool, std::string_view folder) const;
  Found by_domain(RuleList list, std::string_view tool, std::string_view host) const;
  Found by_name(RuleList list, std::string_view tool, std::string_view name, std::string_view arguments) const;
  // Any rule with a specifier of this tool.
  Found any_narrow(RuleList list, std::string_view tool) const;

  // What people should know: broken rules and rules that match nothing.
  std::vector<std::string> warnings() const;

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  using Indices = std::vector<std::size_t>;
  using ByText = std::unordered_map<std::string, Indices, Hash, std::equal_to<>>;
  struct ToolRules {
    Indices whole, narrow;
    ByText by_first_word;  // command rules
    Indices any_first_word;
  };
  struct List {
    std::unordered_map<std::string, ToolRules, Hash, std::equal_to<>> by_tool;
    Indices patterns;  // whose tool holds "*"; `pattern_texts` are their tools, as they are compared
    std::vector<std::string> pattern_texts;
    Indices nameless;  // broken, without a tool
  };

  const List& list(RuleList which) const { return lists_[static_cast<std::size_t>(which)]; }
  const ToolRules* rules_of(RuleList which, std::string_view tool) const;
  template <class Fits>
  Found first(const Indices& indices, const Fits& fits) const;
  template <class Fits>
  Found first_narrow(RuleList which, std::string_view tool, const Fits& fits) const;
  template <class Fits>
  Found first_pattern(RuleList which, std::string_view tool, const Fits& fits) const;
  template <class Fits>
  Found first_command(RuleList which, std::string_view tool, std::string_view command, const Fits& fits) const;

  std::vector<PlacedRule> rules_;  // the strongest source first
  std::array<List, 3> lists_;
};

}  // namespace deft
