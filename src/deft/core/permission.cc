#include "deft/core/permission.h"

#include <algorithm>
#include <array>
#include <utility>

#include "deft/base/path.h"
#include "deft/core/permission_call.h"
#include "deft/core/removal.h"

namespace deft {
namespace {

constexpr std::array<std::string_view, 13> kStages = {
    "hook",           "deny_rule",  "policy",    "plan_mode",    "ask_rule",   "tool_check",       "bypass_mode",
    "protected_path", "allow_rule", "read_only", "accept_edits", "classifier", "nobody_allowed_it"};

std::string where(const PlacedRule& rule) {
  return rule.origin.empty() ? std::string(to_string(rule.source)) : rule.origin;
}

Decision by_rule(Verdict verdict, PermissionStage stage, const PlacedRule& rule, std::string reason) {
  return {
      .verdict = verdict, .stage = stage, .rule = rule.rule.text, .reason = std::move(reason), .source = where(rule)};
}

std::string about(const RuleMatch& match) { return match.command.empty() ? "it" : "`" + match.command + "`"; }

// A match in deny or ask that cannot be told for certain.
Decision by_possible(PermissionStage stage, const RuleMatch& match) {
  const PlacedRule& rule = *match.rule;
  std::string reason = about(match) + " may fall under the " + std::string(to_string(rule.list)) + " rule " +
                       rule.rule.text + (match.why_uncertain.empty() ? "" : ": " + match.why_uncertain);
  Decision decision = by_rule(Verdict::ask, stage, rule, std::move(reason));
  decision.command = match.command;
  return decision;
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

std::string_view to_string(PermissionStage stage) { return kStages[static_cast<std::size_t>(stage)]; }

Permissions::Permissions(PermissionRules rules, Mode mode, std::vector<std::string> directories)
    : Permissions(PermissionSetup{.sources = {{.rules = std::move(rules)}},
                                  .mode = mode,
                                  .directory = directories.empty() ? "" : directories.front(),
                                  .directories = std::move(directories)}) {}

Permissions::Permissions(PermissionSetup setup) : setup_(std::move(setup)) {
  const bool is_forbidden =
      (setup_.mode == Mode::bypass && setup_.bypass_forbidden) || (setup_.mode == Mode::auto_ && setup_.auto_forbidden);
  setup_.bypass_available = (setup_.bypass_available || setup_.mode == Mode::bypass) && !setup_.bypass_forbidden;
  if (is_forbidden) setup_.mode = Mode::normal;
  for (const auto* sources : {&setup_.sources, &setup_.turn_sources}) {
    for (const PermissionSource& source : *sources) {
      const std::string& from = setup_.moved_from;
      if (!from.empty()) add_rules(source, from, source.root.empty() ? from : source.root);
      const bool moves = !from.empty() && !source.root.empty() && is_at_or_below(source.root, from);
      const std::string moved = moves ? setup_.directory + source.root.substr(from == "/" ? 0 : from.size()) : "";
      add_rules(source, setup_.directory, source.root.empty() ? setup_.directory : moves ? moved : source.root);
    }
  }
  rules_.finish();
  std::vector<std::string> directories = setup_.directories;
  if (!setup_.directory.empty()) directories.push_back(setup_.directory);
  const auto add = [&](const std::string& directory, std::vector<std::string>& to) {
    to.push_back(normal_path(directory));
    const auto resolved = setup_.resolve ? setup_.resolve(directory) : std::nullopt;
    if (resolved) to.push_back(*resolved);
  };
  for (const std::string& directory : directories) add(directory, inside_);
  for (const std::string& directory : setup_.readable) add(directory, readable_);
}

void Permissions::add_rules(const PermissionSource& source, const std::string& directory, const std::string& root) {
  const bool is_of_folder = source.source == SettingSource::project || source.source == SettingSource::local;
  const bool is_managed = source.source == SettingSource::managed;
  rules_.add({.rules = source.rules,
              .source = source.source,
              .origin = source.origin,
              .place = {.directory = directory, .home = setup_.home, .source_root = root, .resolve = setup_.resolve},
              .allow_applies = (setup_.trusted || !is_of_folder) && (is_managed || !setup_.only_managed_rules)});
}

bool Permissions::forbids_wholly(std::string_view tool, const std::vector<std::string>& aliases,
                                 const std::optional<McpToolName>& mcp) const {
  if (mcp) return rules_.whole_tool(RuleList::deny, *mcp, tool) != nullptr;
  const auto is_denied = [&](std::string_view name) {
    return rules_.whole_tool(RuleList::deny, todays_tool_name(name)) != nullptr;
  };
  return is_denied(tool) || std::ranges::any_of(aliases, is_denied);
}

bool Permissions::hides(std::string_view path) const { return rules_.by_path(RuleList::deny, "Read", path) != nullptr; }
bool Permissions::hides_anything() const { return rules_.any_narrow(RuleList::deny, "Read") != nullptr; }

Decision Permissions::decide(const PermissionQuestion& question) const {
  Call call = look_at(question);
  Decision decision = walk_chain(call);
  for (TouchedPath& path : call.touched) decision.paths.push_back(std::move(path.resolved));
  if (decision.verdict != Verdict::ask) return decision;
  if (setup_.mode == Mode::dont_ask) {
    decision.verdict = Verdict::deny;
    decision.reason += ", and in dontAsk mode nobody is asked";
  } else if (setup_.deny_instead_of_asking) {
    decision.verdict = Verdict::deny;
    decision.reason += ", and the settings say to deny instead of asking";
  }
  return decision;
}

std::optional<OpinionWanted> Permissions::wants_opinion(const PermissionQuestion& question) const {
  OpinionWanted wanted;
  if (is_granted_by_meaning(question.tool)) {
    for (const MeaningGrant& grant : setup_.meanings) {
      if (grant.tool == question.tool) wanted.granted.push_back(grant.text);
    }
  }
  const bool is_auto = setup_.mode == Mode::auto_ && !question.auto_paused;
  wanted.by_grant = !is_auto;
  // Modes that never ask for anything are not worth the look; planning is not made wider by what was granted earlier.
  if (setup_.mode == Mode::plan || setup_.mode == Mode::bypass) return std::nullopt;
  if (!is_auto && wanted.granted.empty()) return std::nullopt;
  PermissionQuestion unjudged = question;
  unjudged.opinion.reset();
  if (decide(unjudged).stage != PermissionStage::nobody_allowed_it) return std::nullopt;
  return wanted;
}

// The order is the specification's (5.1); each step may decide, the first that does wins.
Decision Permissions::walk_chain(const Call& call) const {
  using Stage = PermissionStage;
  const PermissionQuestion& question = call.question;
  const auto hook_said = [&](Verdict verdict) { return question.hook_verdict == verdict; };
  if (hook_said(Verdict::deny)) return {Verdict::deny, Stage::hook, {}, question.hook_reason};
  const RuleMatch denied = match(RuleList::deny, call);
  if (denied && denied.is_certain) {
    Decision decision = by_rule(Verdict::deny, Stage::deny_rule, *denied.rule,
                                "the rule " + denied.rule->rule.text + " denies " + about(denied));
    decision.command = denied.command;
    return decision;
  }
  if (auto why = blocked_outside(call)) return {Verdict::deny, Stage::policy, {}, *why};
  if (setup_.mode == Mode::plan && !question.read_only && !question.session_only && !is_about_plan(call)) {
    return {Verdict::deny, Stage::plan_mode, {}, "plan mode changes nothing: finish the plan first"};
  }
  if (denied) return by_possible(Stage::deny_rule, denied);
  if (const RuleMatch asked = match(RuleList::ask, call)) {
    if (!asked.is_certain) return by_possible(Stage::ask_rule, asked);
    Decision decision = by_rule(Verdict::ask, Stage::ask_rule, *asked.rule,
                                "the rule " + asked.rule->rule.text + " asks first about " + about(asked));
    decision.command = asked.command;
    return decision;
  }
  if (hook_said(Verdict::ask)) return {Verdict::ask, Stage::hook, {}, question.hook_reason};

  const auto& own = question.own_verdict;
  if (own && (own->verdict == Verdict::deny || (own->verdict == Verdict::ask && own->even_in_bypass))) {
    return {own->verdict, Stage::tool_check, {}, own->reason};
  }
  const CriticalPlaces places{setup_.home, inside_, setup_.resolve};
  if (call.line) {
    if (auto why = removes_critical(*call.line, places)) return {Verdict::ask, Stage::tool_check, {}, *why};
  }
  if (call.powershell) {
    if (auto why = call.powershell->removes_critical(places)) return {Verdict::ask, Stage::tool_check, {}, *why};
  }
  if (setup_.mode == Mode::bypass) return {Verdict::allow, Stage::bypass_mode, {}, "permissions are bypassed"};
  if (auto why = protected_or_suspicious(call)) return {Verdict::ask, Stage::protected_path, {}, *why};
  if (own && own->verdict == Verdict::ask) return {Verdict::ask, Stage::tool_check, {}, own->reason};

  if (auto decision = allowed_by_itself(call)) return *decision;
  if (auto decision = by_opinion(call)) return *decision;
  std::string reason = "no rule allows it";
  if (call.shell) {
    const auto allowance = call.shell->allowance(acceptance(call));
    if (!allowance.missing.empty()) reason = "no rule allows `" + allowance.missing + "`";
  }
  if (setup_.mode == Mode::auto_) {
    const bool has_reason = question.opinion && !question.opinion->by_grant && !question.opinion->reason.empty();
    reason += has_reason ? ", and the classifier says: " + question.opinion->reason : ", and it may do harm";
    if (question.auto_paused) reason += "; auto mode pauses, because much was risky";
  }
  return {Verdict::ask, Stage::nobody_allowed_it, {}, reason};
}

// The file in which the plan is written is the one thing that planning changes.
bool Permissions::is_about_plan(const Call& call) const {
  if (setup_.plan_file.empty() || call.subject.kind != SubjectKind::edit || call.touched.empty()) return false;
  return std::ranges::all_of(call.touched, [&](const TouchedPath& path) {
    return path.is_resolved && path.resolved == setup_.plan_file && path.written == setup_.plan_file;
  });
}

Acceptance Permissions::acceptance(const Call& call) const {
  if (setup_.mode == Mode::accept_edits) return Acceptance::edits;
  if (setup_.mode != Mode::auto_ || is_left_to_classifier(call)) return Acceptance::nothing;
  return call.question.auto_paused ? Acceptance::edits : Acceptance::local_work;
}

std::optional<Decision> Permissions::allowed_by_itself(const Call& call) const {
  using Stage = PermissionStage;
  const PermissionQuestion& question = call.question;
  const auto allow = [](Stage stage, std::string reason) {
    return Decision{Verdict::allow, stage, {}, std::move(reason)};
  };
  if (const PlacedRule* rule = is_left_to_classifier(call) ? nullptr : allow_rule(call)) {
    return by_rule(Verdict::allow, Stage::allow_rule, *rule, "the rule " + rule->rule.text + " allows it");
  }
  if (question.hook_verdict == Verdict::allow) return allow(Stage::hook, question.hook_reason);
  if (question.own_verdict && question.own_verdict->verdict == Verdict::allow) {
    return allow(Stage::tool_check, question.own_verdict->reason);
  }
  if (question.session_only) return allow(Stage::tool_check, "it touches only the session");
  const bool reads = question.read_only && !question.uses_network;
  if (reads && call.shell && call.shell->reads_only_what_may_be_read()) {
    return allow(Stage::read_only, "it only reads, inside the working directories");
  }
  if (reads && !call.shell && question.all_paths_known &&
      std::ranges::all_of(call.touched, [&](const TouchedPath& path) { return path.is_resolved && may_read(path); })) {
    return allow(Stage::read_only, "it only reads, inside the working directories");
  }
  if (setup_.mode == Mode::plan && is_about_plan(call)) return allow(Stage::plan_mode, "it is the plan itself");
  if (acceptance(call) == Acceptance::nothing) return std::nullopt;
  const Stage stage = setup_.mode == Mode::auto_ ? Stage::classifier : Stage::accept_edits;
  const bool edits = question.edits_files && question.all_paths_known && !question.uses_network;
  if (edits && std::ranges::all_of(call.touched, [&](const TouchedPath& path) { return is_inside(path); })) {
    return allow(stage, "edits inside the working directories are accepted");
  }
  const auto allowance = call.shell ? call.shell->allowance(acceptance(call)) : ShellPermission::Allowance{};
  if (allowance.is_allowed) {
    return allow(stage, allowance.by_work ? "it only works on the project"
                                          : "file commands inside the working directories are accepted");
  }
  return std::nullopt;
}

bool Permissions::is_left_to_classifier(const Call& call) const {
  const bool is_shell = call.subject.kind == SubjectKind::command || call.subject.kind == SubjectKind::windows_command;
  return setup_.mode == Mode::auto_ && setup_.classify_all_shell && is_shell;
}

// The last word, where nobody else had one. What a person granted counts wherever somebody would be asked.
std::optional<Decision> Permissions::by_opinion(const Call& call) const {
  const PermissionQuestion& question = call.question;
  if (!question.opinion) return std::nullopt;
  const RiskOpinion& opinion = *question.opinion;
  const bool counts =
      opinion.by_grant ? setup_.mode != Mode::plan : setup_.mode == Mode::auto_ && !question.auto_paused;
  if (!counts) return std::nullopt;
  if (opinion.is_forbidden) return Decision{Verdict::deny, PermissionStage::classifier, {}, opinion.reason};
  if (opinion.is_harmless) return Decision{Verdict::allow, PermissionStage::classifier, {}, opinion.reason};
  return std::nullopt;
}

}  // namespace deft
