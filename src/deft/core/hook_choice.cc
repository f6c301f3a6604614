#include "deft/core/hook_choice.h"

#include <algorithm>
#include <utility>

#include "deft/core/permission.h"
#include "deft/core/rule_meaning.h"

namespace deft {
namespace {

// In an "if" a path may be given for any tool with files; rules about paths speak of Read and Edit alone.
Rule rule_for(const Rule& rule, SubjectKind kind) {
  const bool has_files = kind == SubjectKind::read || kind == SubjectKind::edit;
  if (!has_files || !rule.specifier) return rule;
  Rule general = rule;
  general.tool = kind == SubjectKind::read ? "Read" : "Edit";
  general.text = general.tool + "(" + *rule.specifier + ")";
  return general;
}

bool is_about_tool(const Rule& rule, std::string_view tool) {
  const bool is_pattern = rule.tool.find('*') != std::string::npos;
  if (is_pattern || rule.tool == tool || rule.tool.starts_with("mcp__")) return true;
  if (!rule.specifier) return false;
  // Edit(…) is about every tool that edits files, Read(…) about every one that reads them, Bash(…) about every shell.
  const bool is_general = rule.tool == "Edit" || rule.tool == "Read" || rule.tool == "Bash";
  return is_general && subject_of(rule.tool).kind == subject_of(tool).kind;
}

// Whoever watches a tool by one of its names must not miss it because it has others.
bool is_watched(const HookMatcher& matcher, const HookSubject& subject) {
  if (matcher.matches(subject.name)) return true;
  return subject.mcp && (matcher.matches(subject.mcp->plain()) || matcher.matches(subject.api_name));
}

}  // namespace

bool condition_holds(const Rule& rule, const HookSubject& subject) {
  if (!subject.call) return false;
  const std::string_view tool = todays_tool_name(subject.call->name);
  if (!is_about_tool(rule, tool)) return false;
  // A deny rule looks at every part of a call, and where it cannot tell, it may be one: what an "if" needs.
  PermissionSource source;
  source.rules.deny.push_back(rule_for(rule, subject_of(tool).kind));
  const Permissions permissions(PermissionSetup{.sources = {std::move(source)},
                                                .mode = Mode::bypass,
                                                .directory = std::string(subject.directory),
                                                .home = std::string(subject.home),
                                                .resolve = subject.resolve});
  const Decision decision = permissions.decide({.tool = std::string(subject.mcp ? subject.api_name : tool),
                                                .mcp = subject.mcp,
                                                .input = &subject.call->input,
                                                .working_directory = std::string(subject.directory)});
  return decision.stage == PermissionStage::deny_rule;
}

std::vector<ChosenHook> choose_hooks(const HookConfig& config, HookEvent event, const HookSubject& subject) {
  std::vector<ChosenHook> chosen;
  for (const Hook& hook : config.of(event)) {
    if (!is_watched(hook.matcher, subject)) continue;
    if (hook.condition && !condition_holds(*hook.condition, subject)) continue;
    const auto same =
        std::ranges::find_if(chosen, [&](const ChosenHook& other) { return other.hook->identity == hook.identity; });
    if (same == chosen.end()) {
      chosen.push_back({&hook, can_block_on_failure(hook)});
    } else {
      same->blocks_on_failure = same->blocks_on_failure || can_block_on_failure(hook);
    }
  }
  return chosen;
}

}  // namespace deft
