#include "deft/core/rule_meaning.h"

#include <algorithm>
#include <array>
#include <utility>

#include "deft/core/powershell_line.h"

namespace deft {
namespace {

struct ToolSubject {
  std::string_view tool;
  Subject subject;
};
constexpr std::array<ToolSubject, 18> kSubjects = {{
    {"Bash", {SubjectKind::command, "command"}},
    {"Monitor", {SubjectKind::command, "command"}},
    {"PowerShell", {SubjectKind::windows_command, "command"}},
    {"Read", {SubjectKind::read, "file_path", true}},
    {"Grep", {SubjectKind::read, "path"}},
    {"Glob", {SubjectKind::read, "path"}},
    {"LSP", {SubjectKind::read, "file_path"}},
    {"LS", {SubjectKind::read, "path"}},
    {"NotebookRead", {SubjectKind::read, "notebook_path"}},
    {"Edit", {SubjectKind::edit, "file_path", true}},
    {"Write", {SubjectKind::edit, "file_path"}},
    {"MultiEdit", {SubjectKind::edit, "file_path"}},
    {"NotebookEdit", {SubjectKind::edit, "notebook_path"}},
    {"apply_patch", {SubjectKind::edit, "input"}},
    {"WebFetch", {SubjectKind::domain, "url"}},
    {"RemoteTrigger", {SubjectKind::domain, "url"}},
    {"Agent", {SubjectKind::agent, "subagent_type"}},
    {"Skill", {SubjectKind::skill, "skill"}},
}};

// To deny, bash(rm *) means Bash(rm *).
Subject subject_of_any_spelling(std::string_view tool) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  const auto is_same = [&](const ToolSubject& entry) { return std::ranges::equal(entry.tool, tool, {}, lower, lower); };
  const auto* found = std::ranges::find_if(kSubjects, is_same);
  return found == kSubjects.end() ? Subject{} : found->subject;
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ') || text.starts_with('\t')) text.remove_prefix(1);
  while (text.ends_with(' ') || text.ends_with('\t')) text.remove_suffix(1);
  return text;
}

std::optional<ParameterPattern> parameter_in(std::string_view specifier) {
  const std::size_t colon = specifier.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const std::string_view name = trimmed(specifier.substr(0, colon));
  const bool is_name = !name.empty() && is_letter(name[0]) && std::ranges::all_of(name, [](char c) {
    return is_letter(c) || c == '-' || (c >= '0' && c <= '9');
  });
  if (!is_name) return std::nullopt;
  return ParameterPattern{std::string(name), std::string(trimmed(specifier.substr(colon + 1)))};
}

std::string lower_host(std::string_view host) {
  while (host.ends_with('.')) host.remove_suffix(1);
  std::string lower(host);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

std::vector<std::string_view> labels_of(std::string_view host) {
  std::vector<std::string_view> labels;
  for (std::size_t start = 0;;) {
    const std::size_t dot = host.find('.', start);
    labels.push_back(host.substr(start, dot - start));
    if (dot == std::string_view::npos) return labels;
    start = dot + 1;
  }
}

// An allow rule may hold a "*" only behind the name of a server: mcp__server__get_*.
bool may_allow_by_pattern(std::string_view tool) {
  if (!tool.starts_with("mcp__")) return false;
  const std::size_t end = tool.find("__", 5);
  return end != std::string_view::npos && end > 5 && tool.find('*') >= end + 2;
}

RuleMeaning plain(auto what) { return {.what = std::move(what)}; }
RuleMeaning inert(std::string warning) { return {.what = Inert{}, .warning = std::move(warning)}; }
RuleMeaning broken(std::string warning) { return {.what = Broken{}, .warning = std::move(warning)}; }

template <class Pattern>
RuleMeaning compiled(const Rule& rule, Result<Pattern> pattern) {
  if (!pattern) return broken("the rule " + json_quote(rule.text) + ": " + pattern.error().message);
  return plain(std::move(*pattern));
}

RuleMeaning name_meaning(std::string_view specifier, bool takes_arguments) {
  for (const std::string_view end : {std::string_view(" *"), std::string_view(":*")}) {
    if (takes_arguments && specifier.ends_with(end) && specifier.size() > 2) {
      specifier.remove_suffix(2);
      return plain(NamePattern{std::string(specifier), true});
    }
  }
  return plain(NamePattern{std::string(specifier)});
}

RuleMeaning domain_meaning(const Rule& rule, std::string_view specifier) {
  constexpr std::string_view kDomain = "domain:";
  if (!specifier.starts_with(kDomain)) {
    return broken("the rule " + json_quote(rule.text) + " must be " + rule.tool + "(domain:HOST)");
  }
  const std::string host = lower_host(trimmed(specifier.substr(kDomain.size())));
  if (host.empty() || host.find_first_of("/:@ ") != std::string::npos) {
    return broken("the rule " + json_quote(rule.text) + " needs a host alone behind domain:");
  }
  return plain(DomainPattern{host});
}

RuleMeaning specifier_meaning(const Rule& rule, const Subject& subject, RuleList list, const PatternPlace& place) {
  const std::string& specifier = *rule.specifier;
  const bool denies = list != RuleList::allow;
  switch (subject.kind) {
    case SubjectKind::command: return compiled(rule, CommandPattern::compile(specifier));
    case SubjectKind::windows_command: return compiled(rule, CommandPattern::compile(powershell_spelling(specifier)));
    case SubjectKind::read:
    case SubjectKind::edit:
      if (subject.has_path_rules) return compiled(rule, PathPattern::compile(specifier, list, place));
      return inert("the rule " + json_quote(rule.text) + " matches nothing: paths are matched by " +
                   (subject.kind == SubjectKind::edit ? "Edit(…)" : "Read(…)"));
    case SubjectKind::domain: return domain_meaning(rule, specifier);
    case SubjectKind::agent: return name_meaning(specifier, /*takes_arguments=*/false);
    case SubjectKind::skill: return name_meaning(specifier, /*takes_arguments=*/true);
    case SubjectKind::none: break;
  }
  if (rule.tool == "Cd") return inert("the rule " + json_quote(rule.text) + " is about people, not about calls");
  if (denies && parameter_in(specifier)) return plain(Inert{});  // the parameter is tried beside it
  return broken("the rule " + json_quote(rule.text) + " has a specifier, but " + rule.tool + " has none");
}

}  // namespace

Subject subject_of(std::string_view tool) {
  const auto* found = std::ranges::find(kSubjects, tool, &ToolSubject::tool);
  return found == kSubjects.end() ? Subject{} : found->subject;
}

bool DomainPattern::matches(std::string_view given) const {
  const std::string wanted = lower_host(given);
  if (host == "*") return true;
  if (host.starts_with("*.") && host.find('*', 1) == std::string::npos) {
    return wanted.size() > host.size() - 1 && wanted.ends_with(std::string_view(host).substr(1));
  }
  if (host.find('*') == std::string::npos) return wanted == host;
  const auto pattern_labels = labels_of(host);
  const auto labels = labels_of(wanted);
  return std::ranges::equal(pattern_labels, labels, matches_stars);
}

bool ParameterPattern::matches(const Json& input) const {
  const Json* given = find(input, parameter);
  if (!given || given->is_object() || given->is_array() || given->is_null()) return false;
  return matches_stars(value, given->is_string() ? std::string(view(given->get_string())) : to_json(*given));
}

RuleMeaning meaning_of(const Rule& rule, RuleList list, const PatternPlace& place) {
  if (rule.problem) return broken(*rule.problem);
  const bool denies = list != RuleList::allow;
  const bool is_pattern = rule.tool.find('*') != std::string::npos;
  if (is_pattern && !denies && !may_allow_by_pattern(rule.tool)) {
    return inert("the rule " + json_quote(rule.text) + " allows nothing: '*' may only stand behind mcp__SERVER__");
  }
  const Subject subject = denies ? subject_of_any_spelling(rule.tool) : subject_of(rule.tool);
  RuleMeaning meaning = plain(WholeTool{});
  // Edit(*) is a pattern like any other: it does not allow what is outside. To deny, it means everything.
  const bool is_whole = !rule.specifier || (*rule.specifier == "*" && (denies || !subject.has_path_rules));
  if (!is_whole) {
    const bool is_command = subject.kind == SubjectKind::command || subject.kind == SubjectKind::windows_command;
    auto parameter = denies ? parameter_in(*rule.specifier) : std::nullopt;
    if (parameter && is_command && parameter->value == "*") parameter.reset();  // Bash(timeout:*) is a command
    if (parameter && parameter->parameter == subject.field) {
      return inert("the rule " + json_quote(rule.text) + " matches nothing: write " + rule.tool +
                   "(…) for its main input");
    }
    meaning = specifier_meaning(rule, subject, list, place);
    meaning.parameter = parameter;
  }
  meaning.tool_is_pattern = is_pattern;
  return meaning;
}

}  // namespace deft
