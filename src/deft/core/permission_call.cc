#include "deft/core/permission_call.h"

#include <algorithm>
#include <array>
#include <utility>

#include "deft/base/path.h"
#include "deft/core/apply_patch.h"
#include "deft/core/call_subject.h"
#include "deft/core/pattern_matches.h"
#include "deft/core/protected_paths.h"
#include "deft/core/web_host.h"

// What rules have to do with one call.

namespace deft {
namespace {

// Folders that every program on the machine may read, and that hold nobody's secrets.
constexpr std::array<std::string_view, 6> kPublicFolders = {"/usr", "/lib", "/lib64", "/bin", "/sbin", "/opt"};

// Its rules hold for every tool that runs commands.
constexpr std::string_view kShellTool = "Bash";

bool is_tree_tool(std::string_view tool) { return tool == "Grep" || tool == "Glob" || tool == "LS"; }

std::string_view text_input(const PermissionQuestion& question, std::string_view field) {
  if (!question.input) return {};
  return find_string(*question.input, field).value_or("");
}

// The folder where a glob begins to look: "/etc" of "/etc/*.conf".
std::string folder_of_pattern(std::string_view pattern) {
  const std::string_view literal = pattern.substr(0, pattern.find_first_of("*?[{\\"));
  if (literal.size() == pattern.size()) return std::string(pattern);
  return std::string(literal.substr(0, literal.rfind('/') + 1));
}

// Where these lead depends on the process that asks.
bool is_of_process(std::string_view path) { return is_at_or_below(path, "/proc") || is_at_or_below(path, "/dev/fd"); }

}  // namespace

TouchedPath Permissions::touch(const std::string& path) const {
  TouchedPath touched{.written = normal_path(path), .resolved = {}};
  const auto resolved = setup_.resolve ? setup_.resolve(path) : std::optional(touched.written);
  touched.is_resolved = resolved.has_value() && !is_of_process(touched.written);
  touched.resolved = resolved.value_or(touched.written);
  return touched;
}

bool Permissions::is_in_directories(std::string_view path) const {
  return std::ranges::any_of(inside_, [&](const std::string& folder) { return is_at_or_below(path, folder); });
}

bool Permissions::is_readable(std::string_view path) const {
  return is_in_directories(path) ||
         std::ranges::any_of(readable_, [&](const std::string& folder) { return is_at_or_below(path, folder); });
}

bool Permissions::is_inside(const TouchedPath& path) const {
  return path.is_resolved && is_in_directories(path.written) && is_in_directories(path.resolved);
}

const PlacedRule* Permissions::matches_both(const TouchedPath& path, std::string_view tool) const {
  if (!path.is_resolved || !rules_.by_path(RuleList::allow, tool, path.resolved)) return nullptr;
  return rules_.by_path(RuleList::allow, tool, path.written);
}

const PlacedRule* Permissions::rule_for_writing(const TouchedPath& path) const { return matches_both(path, "Edit"); }

bool Permissions::may_read_matches(const std::string& glob) const {
  if (!setup_.resolve) return true;  // by text alone the folder decides
  if (glob.empty() || !setup_.list) return false;
  const auto paths = expand_pattern(glob, setup_.list);
  return paths && std::ranges::all_of(*paths, [&](const std::string& path) { return may_read(touch(path)); });
}

bool Permissions::may_read(const TouchedPath& path) const {
  if (!path.is_resolved) return false;
  const bool is_public = std::ranges::any_of(
      kPublicFolders, [&](std::string_view folder) { return is_at_or_below(path.resolved, folder); });
  if (is_readable(path.resolved) || is_public) return true;
  return matches_both(path, "Read") != nullptr || matches_both(path, "Edit") != nullptr;
}

// Of tools with paths. Who may edit may read.
const PlacedRule* Permissions::allows_path(const Call& call, const TouchedPath& path) const {
  const bool reads = call.subject.kind == SubjectKind::read;
  for (const std::string_view tool : {std::string_view("Edit"), std::string_view("Read")}) {
    if (tool == "Read" && !reads) break;
    if (const PlacedRule* rule = matches_both(path, tool)) return rule;
    if (!is_tree_tool(call.tool) || !path.is_resolved) continue;
    const PlacedRule* rule = rules_.covering_tree(RuleList::allow, tool, path.written);
    if (rule && rules_.covering_tree(RuleList::allow, tool, path.resolved)) return rule;
  }
  return nullptr;
}

std::vector<TouchedPath> Permissions::touched_by(const PermissionQuestion& question, const Subject& subject) const {
  std::vector<TouchedPath> touched;
  for (const std::string& path : question.paths) {
    // Whoever uses a path that has become another one since does not get through: see Decision::paths.
    touched.push_back(question.all_paths_known ? TouchedPath{path, path, !is_of_process(path)} : touch(path));
  }
  const std::string directory = question.working_directory.empty() ? setup_.directory : question.working_directory;
  const auto add = [&](std::string_view path) {
    const bool is_absolute = path.starts_with('/');
    if (std::ranges::find(question.paths, path) != question.paths.end()) return;  // it is there
    touched.push_back(touch(is_absolute ? std::string(path) : directory + "/" + std::string(path)));
    // Some take "~" for the home: then it must be allowed in both meanings.
    if ((path == "~" || path.starts_with("~/")) && !setup_.home.empty()) {
      touched.push_back(touch(setup_.home + std::string(path.substr(1))));
    }
  };
  if (!question.input || (subject.kind != SubjectKind::read && subject.kind != SubjectKind::edit)) return touched;
  const std::string_view path = text_input(question, subject.field);
  if (todays_tool_name(question.tool) == kPatchTool) {
    for (const std::string& named : paths_in_patch(path)) add(named);
    return touched;
  }
  if (!path.empty()) {
    add(path);
  } else if (is_tree_tool(todays_tool_name(question.tool))) {
    add(".");
  }
  if (todays_tool_name(question.tool) == "Glob") {
    const std::string folder = folder_of_pattern(text_input(question, "pattern"));
    const bool is_elsewhere = folder.starts_with('/') || folder.starts_with('~');
    const std::string base = path.empty() ? "." : std::string(path);
    if (!folder.empty()) add(is_elsewhere ? folder : base + "/" + folder);
    const std::string_view pattern = text_input(question, "pattern");
    if (pattern.find("..") != std::string_view::npos) add(base + "/..");
    if (pattern.find("{/") != std::string_view::npos || pattern.find(",/") != std::string_view::npos) add("/");
  }
  return touched;
}

Permissions::Call Permissions::look_at(const PermissionQuestion& question) const {
  Call call{.question = question, .tool = std::string(todays_tool_name(question.tool))};
  call.names = {call.tool};
  if (const auto& mcp = question.mcp) {
    call.names = {mcp->plain(), mcp->server_word()};
    if (call.tool != call.names[0]) call.names.push_back(call.tool);
  }
  for (const std::string& alias : question.aliases) call.names.emplace_back(todays_tool_name(alias));
  call.subject = subject_of_call(call.tool, question.input);
  if (const std::string_view other = tool_for_host(call.subject); !other.empty()) call.names.emplace_back(other);
  if (call.subject.kind == SubjectKind::command && call.tool != kShellTool) call.names.emplace_back(kShellTool);
  call.directory = question.working_directory.empty() ? setup_.directory : question.working_directory;
  call.touched = touched_by(question, call.subject);
  if (call.subject.kind == SubjectKind::windows_command && question.input) {
    const PathView& view = *this;
    call.powershell = std::make_unique<PowerShellPermission>(
        rules_, call.tool, text_input(question, call.subject.field), view,
        PowerShellPermission::Where{.directory = call.directory, .home = setup_.home});
  }
  if (call.subject.kind != SubjectKind::command || !question.input) return call;
  call.line = std::make_unique<ShellLine>(
      read_shell_line(text_input(question, call.subject.field), {.cwd = call.directory, .home = setup_.home}));
  call.classify = std::make_unique<shell::ClassifyOptions>(
      shell::ClassifyOptions{.cwd = call.directory, .home = setup_.home, .files = setup_.files});
  const PathView& paths = *this;
  call.shell = std::make_unique<ShellPermission>(rules_, kShellTool, *call.line, paths, *call.classify);
  return call;
}

// For every call of the tool, by whichever of its names.
const PlacedRule* Permissions::rule_for_tool(RuleList list, const Call& call) const {
  if (const auto& mcp = call.question.mcp) return rules_.whole_tool(list, *mcp, call.tool);
  for (const std::string& name : call.names) {
    if (const auto* rule = rules_.whole_tool(list, name)) return rule;
  }
  return nullptr;
}

RuleMatch Permissions::match(RuleList list, const Call& call) const {
  if (const auto* rule = rule_for_tool(list, call)) return {.rule = rule};
  for (const std::string& name : call.names) {
    if (!call.question.input) break;
    if (const auto* rule = rules_.by_parameter(list, name, *call.question.input)) return {.rule = rule};
  }
  RuleMatch found = match_subject(list, call);
  if (found && found.is_certain) return found;
  for (const std::string& name : call.names) {
    const auto* broken = rules_.broken(list, name);
    if (broken && !found) found = {.rule = broken, .is_certain = false, .why_uncertain = broken->meaning.warning};
  }
  return found;
}

RuleMatch Permissions::match_subject(RuleList list, const Call& call) const {
  const std::string_view text = subject_text(call.subject, call.question.input);
  switch (call.subject.kind) {
    case SubjectKind::none: break;
    case SubjectKind::command:
      if (call.shell) return call.shell->match(list);
      return {.rule = rules_.any_narrow(list, kShellTool), .is_certain = false};
    case SubjectKind::windows_command:
      if (call.powershell) return call.powershell->match(list);
      return {.rule = rules_.any_narrow(list, call.tool), .is_certain = false};
    case SubjectKind::read:
    case SubjectKind::edit: return match_touched(list, call);
    case SubjectKind::domain: {
      if (const auto host = web_host(text)) {
        const auto* rule = rules_.by_domain(list, call.tool, *host);
        // Where nothing may be fetched from, nothing may be sent to.
        return {.rule = rule ? rule : rules_.by_domain(list, "WebFetch", *host)};
      }
      const std::string_view other = tool_for_host(call.subject);
      return {.rule = rules_.any_narrow(list, other.empty() ? call.tool : other),
              .is_certain = false,
              .why_uncertain = "its host is not clear"};
    }
    case SubjectKind::agent:
      return {.rule = rules_.by_name(list, call.tool, text.empty() ? "general-purpose" : text, "")};
    case SubjectKind::skill: {
      std::string_view name = text;
      if (name.starts_with('/')) name.remove_prefix(1);
      return {.rule = rules_.by_name(list, call.tool, name, text_input(call.question, "args"))};
    }
  }
  return {};
}

RuleMatch Permissions::match_touched(RuleList list, const Call& call) const {
  RuleMatch found;
  const bool edits = call.subject.kind == SubjectKind::edit;
  std::vector<std::string_view> tools = {edits ? "Edit" : "Read"};
  if (edits && call.tool != "NotebookEdit") tools.push_back("Read");  // what may not be read may not be changed
  for (const std::string_view tool : tools) {
    if (const auto* rule = rules_.whole_tool(list, tool)) return {.rule = rule};
    for (const TouchedPath& path : call.touched) {
      for (const std::string& spelling : path.spellings()) {
        if (!is_tree_tool(call.tool)) {
          if (const auto* rule = rules_.by_path(list, tool, spelling)) return {.rule = rule};
          continue;
        }
        if (const auto* rule = rules_.covering_folder(list, tool, spelling)) return {.rule = rule};
        if (call.question.hides_denied_files && list == RuleList::deny) continue;
        found = stronger(std::move(found), {.rule = rules_.below_folder(list, tool, spelling),
                                            .is_certain = false,
                                            .why_uncertain = "it searches a folder that the rule is about"});
      }
    }
    const bool is_unclear = call.touched.empty() || std::ranges::any_of(call.touched, [](const TouchedPath& path) {
                              return !path.is_resolved || suspicious_path(path.written, false);
                            });
    if (is_unclear) {
      found = stronger(
          std::move(found),
          {.rule = rules_.any_narrow(list, tool), .is_certain = false, .why_uncertain = "its path is not clear"});
    }
  }
  return found;
}

const PlacedRule* Permissions::allow_rule(const Call& call) const {
  if (call.shell) {
    const auto allowance = call.shell->allowance(acceptance(call));
    if (allowance.is_allowed) return allowance.rule;
    const bool writes = std::ranges::any_of(
        call.line->commands, [](const shell::CommandUse& use) { return !shell::written_targets(use).empty(); });
    return call.tool == kShellTool || writes ? nullptr : rules_.whole_tool(RuleList::allow, call.tool);
  }
  if (const auto* rule = rule_for_tool(RuleList::allow, call)) return rule;
  // Edit stands for every tool that edits, Read for every one that reads.
  const bool is_file_tool = call.subject.kind == SubjectKind::read || call.subject.kind == SubjectKind::edit;
  if (is_file_tool) {
    const std::string_view family = call.subject.kind == SubjectKind::edit ? "Edit" : "Read";
    if (const auto* rule = rules_.whole_tool(RuleList::allow, family)) return rule;
  }
  const std::string_view text = subject_text(call.subject, call.question.input);
  switch (call.subject.kind) {
    case SubjectKind::windows_command: return call.powershell ? call.powershell->allow_rule() : nullptr;
    case SubjectKind::read:
    case SubjectKind::edit: {
      const bool reads = call.subject.kind == SubjectKind::read;
      const PlacedRule* first = nullptr;
      for (const TouchedPath& path : call.touched) {
        const PlacedRule* rule = allows_path(call, path);
        if (!rule && !(reads && may_read(path))) return nullptr;
        if (!first) first = rule;
      }
      return first;
    }
    case SubjectKind::domain: {
      const auto host = web_host(text);
      const std::string_view other = tool_for_host(call.subject);
      return host ? rules_.by_domain(RuleList::allow, other.empty() ? call.tool : other, *host) : nullptr;
    }
    case SubjectKind::agent:
      return rules_.by_name(RuleList::allow, call.tool, text.empty() ? "general-purpose" : text, "");
    case SubjectKind::skill: return rules_.by_name(RuleList::allow, call.tool, text, text_input(call.question, "args"));
    case SubjectKind::command:
    case SubjectKind::none: break;
  }
  return nullptr;
}

std::optional<std::string> Permissions::protected_or_suspicious(const Call& call) const {
  if (call.shell) {
    if (call.line->not_understood) return "the command is not understood: " + *call.line->not_understood;
    return call.shell->protected_write();
  }
  if (call.powershell) return call.powershell->protected_write();
  const bool writes = call.subject.kind == SubjectKind::edit || call.question.edits_files;
  for (const TouchedPath& path : call.touched) {
    for (const std::string& spelling : path.spellings()) {
      if (auto why = suspicious_path(spelling, writes)) return why;
      if (auto name = protected_name(spelling); name && writes)
        return *name + " is protected: it decides what runs later";
    }
  }
  return std::nullopt;
}

std::optional<std::string> Permissions::blocked_outside(const Call& call) const {
  const auto is_blocked = [&](const TouchedPath& path, bool writes) {
    return writes ? setup_.block_writes_outside && !is_inside(path)
                  : setup_.block_reads_outside && !is_readable(path.resolved);
  };
  const bool edits = call.subject.kind == SubjectKind::edit || call.question.edits_files;
  for (const TouchedPath& path : call.touched) {
    if (is_blocked(path, edits)) return path.written + " is outside the working directories, which the settings block";
  }
  if (call.powershell) {
    if (const auto path = call.powershell->blocked_path(is_blocked)) {
      return *path + " is outside the working directories, which the settings block";
    }
  }
  if (!call.line) return std::nullopt;
  for (const auto* uses : {&call.line->commands, &call.line->inner}) {
    for (const shell::CommandUse& use : *uses) {
      for (const shell::NamedPath& path : shell::named_paths(use)) {
        if (path.is_known && path.path != "/dev/null" && is_blocked(touch(path.path), path.is_written)) {
          return path.source + " is outside the working directories, which the settings block";
        }
      }
    }
  }
  return std::nullopt;
}

}  // namespace deft
