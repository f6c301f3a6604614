#include "deft/core/rule.h"

#include <algorithm>
#include <array>
#include <utility>

#include "deft/core/mcp_tool_name.h"

namespace deft {
namespace {

constexpr std::string_view kMcpPrefix = "mcp__";

constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kFormerNames = {
    {{"Task", "Agent"},
     {"ApplyPatch", "apply_patch"},
     {"KillShell", "TaskStop"},
     {"KillBash", "TaskStop"},
     {"BashOutput", "TaskOutput"},
     {"AgentOutputTool", "TaskOutput"},
     {"AgentOutput", "TaskOutput"}}};

constexpr std::array<std::pair<SettingSource, std::string_view>, 6> kSources = {{{SettingSource::managed, "managed"},
                                                                                 {SettingSource::command_line, "cli"},
                                                                                 {SettingSource::session, "session"},
                                                                                 {SettingSource::local, "local"},
                                                                                 {SettingSource::project, "project"},
                                                                                 {SettingSource::user, "user"}}};

// Servers call their tools as they like. What may be a slip of the hand, such as a list in one text, is no name.
bool is_tool_name(std::string_view name) {
  if (name.starts_with(kMcpPrefix)) {
    return std::ranges::none_of(name, [](char c) {
      return static_cast<unsigned char>(c) <= ' ' || std::string_view("\x7f,;|\"").find(c) != std::string_view::npos;
    });
  }
  const auto is_fine = [](char c) {
    const bool is_letter_or_digit = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    return is_letter_or_digit || std::string_view("_-.:*@/").find(c) != std::string_view::npos;
  };
  return !name.empty() && std::ranges::all_of(name, is_fine);
}

// Rules for tools of MCP servers are found by their names in plain characters; what stands in `text` decides.
std::string stored_name(std::string_view name) {
  if (!name.starts_with(kMcpPrefix)) return std::string(todays_tool_name(name));
  std::string stored;
  for (const char c : name) stored += c == '*' ? std::string("*") : plain_mcp_word({&c, 1});
  return stored;
}

Result<std::vector<Rule>> read_list(const Json& permissions, std::string_view list) {
  std::vector<Rule> rules;
  const Json* value = find(permissions, list);
  if (!value) return rules;
  if (!value->is_array()) return fail(Errc::invalid_input, "permissions." + std::string(list) + " must be a list");
  for (const Json& entry : value->get_array()) {
    if (entry.is_string()) {
      rules.push_back(read_rule(view(entry.get_string())));
    } else {
      const std::string text = to_json(entry).substr(0, 100);
      rules.push_back({.text = text,
                       .tool = {},
                       .problem = "permissions." + std::string(list) + " holds " + text + ", which is not a rule"});
    }
  }
  return rules;
}

}  // namespace

std::string_view to_string(RuleList list) {
  switch (list) {
    case RuleList::allow: return "allow";
    case RuleList::ask: return "ask";
    case RuleList::deny: return "deny";
  }
  return "deny";
}

std::string_view to_string(SettingSource source) {
  return std::ranges::find(kSources, source, [](const auto& entry) { return entry.first; })->second;
}

std::optional<SettingSource> parse_setting_source(std::string_view text) {
  const auto* found = std::ranges::find(kSources, text, [](const auto& entry) { return entry.second; });
  if (found == kSources.end()) return std::nullopt;
  return found->first;
}

std::string_view todays_tool_name(std::string_view tool) {
  const auto* found = std::ranges::find(kFormerNames, tool, [](const auto& entry) { return entry.first; });
  return found == kFormerNames.end() ? tool : found->second;
}

Rule read_rule(std::string_view text) {
  Rule rule{.text = std::string(text.substr(0, kRuleBytesMax)), .tool = {}};
  const auto broken = [&](std::string_view why) {
    rule.problem = "the rule " + json_quote(rule.text) + " " + std::string(why);
    return rule;
  };
  const auto open = text.find('(');
  const std::string_view tool = text.substr(0, open);
  if (is_tool_name(tool)) rule.tool = stored_name(tool);
  if (text.size() > kRuleBytesMax) return broken("is longer than 10,000 bytes");
  if (tool.empty()) return broken("names no tool; write Tool or Tool(specifier)");
  if (rule.tool.empty()) return broken("has a character in the tool's name that no tool has");
  if (open == std::string_view::npos) return rule;
  if (text.back() != ')') return broken("does not end with ')'");
  const std::string_view specifier = text.substr(open + 1, text.size() - open - 2);
  if (specifier.find_first_not_of(" \t") == std::string_view::npos) {
    return broken("has nothing between its parentheses; write " + rule.tool + " for every call of it");
  }
  if (specifier.find('\0') != std::string_view::npos) return broken("holds a zero byte");
  rule.specifier = specifier;
  return rule;
}

Result<Rule> parse_rule(std::string_view text) {
  Rule rule = read_rule(text);
  if (rule.problem) return fail(Errc::invalid_input, *rule.problem);
  return rule;
}

const std::vector<Rule>& PermissionRules::of(RuleList list) const {
  switch (list) {
    case RuleList::allow: return allow;
    case RuleList::ask: return ask;
    case RuleList::deny: return deny;
  }
  return deny;
}
std::vector<Rule>& PermissionRules::of(RuleList list) {
  return const_cast<std::vector<Rule>&>(std::as_const(*this).of(list));
}

Result<PermissionRules> parse_permission_rules(const Json& permissions) {
  PermissionRules rules;
  for (const RuleList list : {RuleList::allow, RuleList::ask, RuleList::deny}) {
    auto parsed = read_list(permissions, to_string(list));
    if (!parsed) return std::unexpected(parsed.error());
    rules.of(list) = std::move(*parsed);
  }
  return rules;
}

std::optional<std::string> first_problem(const PermissionRules& rules) {
  for (const RuleList list : {RuleList::allow, RuleList::ask, RuleList::deny}) {
    for (const Rule& rule : rules.of(list)) {
      if (rule.problem) return rule.problem;
    }
  }
  return std::nullopt;
}

}  // namespace deft
