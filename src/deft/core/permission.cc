#include "deft/core/permission.h"

#include <algorithm>
#include <array>
#include <utility>

#include "deft/base/path.h"

namespace deft {
namespace {

constexpr std::array<std::pair<std::string_view, Mode>, 7> kModes = {{{"default", Mode::normal},
                                                                      {"manual", Mode::normal},
                                                                      {"acceptEdits", Mode::accept_edits},
                                                                      {"plan", Mode::plan},
                                                                      {"auto", Mode::auto_},
                                                                      {"dontAsk", Mode::dont_ask},
                                                                      {"bypassPermissions", Mode::bypass}}};

// Folders that every program on the machine may read, and that hold nobody's secrets.
constexpr std::array<std::string_view, 6> kPublicFolders = {"/usr", "/lib", "/lib64", "/bin", "/sbin", "/opt"};

bool names(const Rule& rule, std::string_view tool, const std::vector<std::string>& aliases) {
  return rule.tool == tool || std::find(aliases.begin(), aliases.end(), rule.tool) != aliases.end();
}

// A rule without specifier covers every call of its tool. One with a specifier narrows that; what this version cannot
// evaluate counts as matching in deny and ask (as a question) and as not matching in allow.
const Rule* whole_tool_rule(const std::vector<Rule>& rules, const PermissionQuestion& question) {
  const auto found = std::find_if(rules.begin(), rules.end(), [&](const Rule& rule) {
    return !rule.specifier && names(rule, question.tool, question.aliases);
  });
  return found == rules.end() ? nullptr : &*found;
}
const Rule* narrowed_rule(const std::vector<Rule>& rules, const PermissionQuestion& question) {
  const auto found = std::find_if(rules.begin(), rules.end(), [&](const Rule& rule) {
    return rule.specifier && names(rule, question.tool, question.aliases);
  });
  return found == rules.end() ? nullptr : &*found;
}

Decision by_rule(Verdict verdict, PermissionStage stage, const Rule& rule, std::string reason) {
  return {.verdict = verdict, .stage = stage, .rule = rule.text, .reason = std::move(reason)};
}

Result<std::vector<Rule>> parse_rule_list(const Json& permissions, std::string_view list) {
  std::vector<Rule> rules;
  const Json* value = find(permissions, list);
  if (!value) return rules;
  if (!value->is_array()) return fail(Errc::invalid_input, "permissions." + std::string(list) + " must be a list");
  for (const Json& entry : value->get_array()) {
    if (!entry.is_string()) {
      return fail(Errc::invalid_input,
                  "permissions." + std::string(list) + " holds " + to_json(entry) + ", not a rule");
    }
    auto rule = parse_rule(view(entry.get_string()));
    if (!rule) return std::unexpected(rule.error());
    rules.push_back(std::move(*rule));
  }
  return rules;
}

}  // namespace

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::allow: return "allow";
    case Verdict::ask: return "ask";
    case Verdict::deny: return "deny";
  }
  return "deny";
}

std::string_view to_string(Mode mode) {
  const auto found =
      std::find_if(kModes.begin(), kModes.end(), [&](const auto& entry) { return entry.second == mode; });
  return found->first;
}

std::optional<Mode> parse_mode(std::string_view text) {
  const auto found = std::find_if(kModes.begin(), kModes.end(), [&](const auto& entry) { return entry.first == text; });
  if (found == kModes.end()) return std::nullopt;
  return found->second;
}

std::string_view to_string(PermissionStage stage) {
  switch (stage) {
    case PermissionStage::hook: return "hook";
    case PermissionStage::deny_rule: return "deny_rule";
    case PermissionStage::plan_mode: return "plan_mode";
    case PermissionStage::ask_rule: return "ask_rule";
    case PermissionStage::tool_check: return "tool_check";
    case PermissionStage::bypass_mode: return "bypass_mode";
    case PermissionStage::allow_rule: return "allow_rule";
    case PermissionStage::read_only: return "read_only";
    case PermissionStage::accept_edits: return "accept_edits";
    case PermissionStage::nobody_allowed_it: return "nobody_allowed_it";
  }
  return "nobody_allowed_it";
}

Result<Rule> parse_rule(std::string_view text) {
  const auto broken = [&](std::string_view why) {
    return fail(Errc::invalid_input, "the rule " + json_quote(text) + " " + std::string(why));
  };
  const auto open = text.find('(');
  const std::string_view tool = text.substr(0, open);
  if (tool.empty()) return broken("names no tool; write Tool or Tool(specifier)");
  if (tool.find_first_of(" \t\n)") != std::string_view::npos) return broken("has a space or ')' in the tool's name");
  Rule rule{.text = std::string(text), .tool = std::string(tool)};
  if (open == std::string_view::npos) return rule;
  if (text.back() != ')') return broken("does not end with ')'");
  const std::string_view specifier = text.substr(open + 1, text.size() - open - 2);
  if (specifier != "*" && !specifier.empty()) rule.specifier = specifier;  // Tool(*) is Tool
  return rule;
}

Result<PermissionRules> parse_permission_rules(const Json& permissions) {
  PermissionRules rules;
  for (auto [name, list] : {std::pair{"allow", &rules.allow}, {"ask", &rules.ask}, {"deny", &rules.deny}}) {
    auto parsed = parse_rule_list(permissions, name);
    if (!parsed) return std::unexpected(parsed.error());
    *list = std::move(*parsed);
  }
  return rules;
}

Permissions::Permissions(PermissionRules rules, Mode mode, std::vector<std::string> directories)
    : rules_(std::move(rules)), mode_(mode), directories_(std::move(directories)) {}

bool Permissions::forbids_wholly(std::string_view tool, const std::vector<std::string>& aliases) const {
  return std::any_of(rules_.deny.begin(), rules_.deny.end(),
                     [&](const Rule& rule) { return !rule.specifier && names(rule, tool, aliases); });
}

bool Permissions::inside_directories(std::string_view path) const {
  return std::any_of(directories_.begin(), directories_.end(),
                     [&](const std::string& folder) { return is_at_or_below(path, folder); });
}

bool Permissions::all_paths_inside(const PermissionQuestion& question, bool system_folders_too) const {
  if (!question.all_paths_known) return false;
  return std::all_of(question.paths.begin(), question.paths.end(), [&](const std::string& path) {
    const bool is_public = std::any_of(kPublicFolders.begin(), kPublicFolders.end(),
                                       [&](std::string_view folder) { return is_at_or_below(path, folder); });
    return inside_directories(path) || (system_folders_too && is_public);
  });
}

Decision Permissions::decide(const PermissionQuestion& question) const {
  Decision decision = walk_chain(question);
  if (mode_ == Mode::dont_ask && decision.verdict == Verdict::ask) {
    decision.verdict = Verdict::deny;
    decision.reason += ", and in dontAsk mode nobody is asked";
  }
  return decision;
}

// The order is the specification's (5.1); each step may decide, the first that does wins.
Decision Permissions::walk_chain(const PermissionQuestion& question) const {
  using Stage = PermissionStage;
  const auto hook_said = [&](Verdict verdict) { return question.hook_verdict == verdict; };
  if (hook_said(Verdict::deny)) return {Verdict::deny, Stage::hook, {}, question.hook_reason};
  if (const Rule* rule = whole_tool_rule(rules_.deny, question)) {
    return by_rule(Verdict::deny, Stage::deny_rule, *rule, "the rule " + rule->text + " denies it");
  }
  if (mode_ == Mode::plan && !question.read_only && !question.session_only) {
    return {Verdict::deny, Stage::plan_mode, {}, "plan mode changes nothing: finish the plan first"};
  }
  if (const Rule* rule = narrowed_rule(rules_.deny, question)) {
    return by_rule(Verdict::ask, Stage::deny_rule, *rule, "it may fall under the deny rule " + rule->text);
  }
  if (const Rule* rule = whole_tool_rule(rules_.ask, question)) {
    return by_rule(Verdict::ask, Stage::ask_rule, *rule, "the rule " + rule->text + " asks first");
  }
  if (const Rule* rule = narrowed_rule(rules_.ask, question)) {
    return by_rule(Verdict::ask, Stage::ask_rule, *rule, "it may fall under the ask rule " + rule->text);
  }
  if (hook_said(Verdict::ask)) return {Verdict::ask, Stage::hook, {}, question.hook_reason};
  const auto& own = question.own_verdict;
  if (own && (own->verdict == Verdict::deny || (own->verdict == Verdict::ask && own->even_in_bypass))) {
    return {own->verdict, Stage::tool_check, {}, own->reason};
  }
  if (mode_ == Mode::bypass) return {Verdict::allow, Stage::bypass_mode, {}, "permissions are bypassed"};
  if (own && own->verdict == Verdict::ask) return {Verdict::ask, Stage::tool_check, {}, own->reason};
  if (const Rule* rule = whole_tool_rule(rules_.allow, question)) {
    return by_rule(Verdict::allow, Stage::allow_rule, *rule, "the rule " + rule->text + " allows it");
  }
  if (hook_said(Verdict::allow)) return {Verdict::allow, Stage::hook, {}, question.hook_reason};
  if (own && own->verdict == Verdict::allow) return {Verdict::allow, Stage::tool_check, {}, own->reason};
  if (question.session_only) return {Verdict::allow, Stage::tool_check, {}, "it touches only the session"};
  if (question.read_only && !question.uses_network && all_paths_inside(question, true)) {
    return {Verdict::allow, Stage::read_only, {}, "it only reads, inside the working directories"};
  }
  if (mode_ == Mode::accept_edits && question.edits_files && all_paths_inside(question, false)) {
    return {Verdict::allow, Stage::accept_edits, {}, "edits inside the working directories are accepted"};
  }
  return {Verdict::ask, Stage::nobody_allowed_it, {}, "no rule allows it"};
}

}  // namespace deft
