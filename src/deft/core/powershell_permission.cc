#include "deft/core/powershell_permission.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "deft/base/text.h"
#include "deft/core/powershell_read_only.h"
#include "deft/core/protected_paths.h"

namespace deft {
namespace {

constexpr std::string_view kRemover = "remove-item";

std::string_view name_of(std::string_view command) { return command.substr(0, command.find_first_of(" \t")); }

std::string lower_without_marks(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '`' || c == '\'' || c == '"') continue;
    out += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return out;
}

// What is removed by this, as a path whose loss can be judged; nothing: it cannot be told.
std::optional<std::string> removed_place(std::string_view word) {
  const std::size_t star = word.find('*');
  if (star == std::string_view::npos) return std::string(word);
  const std::size_t slash = word.rfind('/');
  if (slash != std::string_view::npos && star < slash) return std::nullopt;
  const std::string_view last = word.substr(slash == std::string_view::npos ? 0 : slash + 1);
  const std::string folder(word.substr(0, slash == std::string_view::npos ? 0 : slash + 1));
  // In the root every name is critical; elsewhere only a pattern that takes the folder as a whole.
  const bool takes_all = last.find_first_not_of("*.") == std::string_view::npos;
  return takes_all ? (folder.empty() ? "." : folder) : folder + "?";
}

}  // namespace

PowerShellPermission::PowerShellPermission(const RuleBook& rules, std::string_view tool, std::string_view text,
                                           const PathView& paths, Where where)
    : rules_(rules),
      tool_(tool),
      text_(text),
      paths_(paths),
      where_(std::move(where)),
      line_(read_powershell_line(text)),
      only_reads_(names_only_readers(line_)) {}

TouchedPath PowerShellPermission::path_of(const std::string& word) const {
  if (word == "~" || word.starts_with("~/")) return paths_.touch(where_.home + word.substr(1));
  return paths_.touch(word.starts_with('/') ? word : where_.directory + "/" + word);
}

bool PowerShellPermission::are_paths_unclear() const {
  // A pattern, a drive that may stand for any folder.
  const auto is_unclear = [](const std::string& word) { return word.find_first_of("*:") != std::string::npos; };
  return line_.not_understood || line_.changes_folder || line_.feeds_names ||
         std::ranges::any_of(line_.words, is_unclear);
}

bool PowerShellPermission::writes_by_cmdlet() const {
  if (line_.not_understood) return true;
  return !only_reads_ && std::ranges::any_of(line_.commands, [](const std::string& command) {
    return name_of(command).find('-') != std::string_view::npos;
  });
}

// Of a folder that it names it takes all that is in it.
bool PowerShellPermission::takes_trees() const {
  return std::ranges::any_of(line_.commands, [](const std::string& command) {
    const std::string_view name = name_of(command);
    if (is_among_words(name, "move-item rename-item compress-archive")) return true;
    return is_among_words(name, "copy-item remove-item") && command.find(" -r") != std::string::npos;
  });
}

RuleMatch PowerShellPermission::match(RuleList list) const {
  for (const std::string& command : line_.commands) {
    if (const auto* rule = rules_.by_command(list, tool_, command)) return {.rule = rule, .command = command};
  }
  RuleMatch found = match_paths(list);
  if (found || !line_.not_understood) return found;
  return {.rule = rules_.any_narrow(list, tool_), .is_certain = false, .why_uncertain = *line_.not_understood};
}

const PlacedRule* PowerShellPermission::rule_for_path(RuleList list, std::string_view tool,
                                                      const TouchedPath& path) const {
  for (const std::string& spelling : path.spellings()) {
    if (const auto* rule = rules_.by_path(list, tool, spelling)) return rule;
  }
  return nullptr;
}

RuleMatch PowerShellPermission::match_paths(RuleList list) const {
  RuleMatch found;
  const auto may_be = [&](const PlacedRule* rule, std::string_view why) {
    found = stronger(std::move(found), {.rule = rule, .is_certain = false, .why_uncertain = std::string(why)});
  };
  std::vector<std::string_view> tools = {"Read"};
  if (!only_reads_) tools.push_back("Edit");
  for (const std::string_view tool : tools) {
    if (!rules_.any_narrow(list, tool)) continue;
    for (const std::string& word : line_.words) {
      const TouchedPath path = path_of(word);
      const PlacedRule* rule = rule_for_path(list, tool, path);
      // What a program does to a file, nobody can tell from outside.
      if (rule && (tool == "Read" || writes_by_cmdlet())) return {.rule = rule};
      if (rule) may_be(rule, "it names a file that the rule is about");
      if (!path.is_resolved) may_be(rules_.any_narrow(list, tool), "it is not clear where a path leads");
      if (takes_trees()) {
        may_be(rules_.below_folder(list, tool, path.written), "it names a folder that the rule is about");
      }
    }
    if (are_paths_unclear()) may_be(rules_.any_narrow(list, tool), "its paths are not clear");
  }
  return found;
}

const PlacedRule* PowerShellPermission::allow_rule() const {
  const auto is_meant = [](const PlacedRule* rule, const std::string& place) {
    if (!rule) return false;
    const std::string specifier = rule->rule.specifier.value_or("");
    return specifier.starts_with('*') || powershell_place(specifier) == place;
  };
  const auto* exact = rules_.by_exact_command(RuleList::allow, tool_, powershell_spelling(text_));
  if (is_meant(exact, powershell_place(text_))) return exact;
  if (line_.not_understood) return nullptr;
  const PlacedRule* last = nullptr;
  for (std::size_t i = 0; i < line_.commands.size(); ++i) {
    last = rules_.by_command(RuleList::allow, tool_, line_.commands[i]);
    if (!is_meant(last, line_.places[i])) return nullptr;
  }
  return last;
}

std::optional<std::string> PowerShellPermission::protected_write() const {
  if (only_reads_) return std::nullopt;
  for (const std::string& word : line_.words) {
    for (const std::string& spelling : path_of(word).spellings()) {
      if (auto name = protected_name(spelling)) return *name + " is protected: it decides what runs later";
    }
  }
  return std::nullopt;
}

std::optional<std::string> PowerShellPermission::removes_critical(const CriticalPlaces& places) const {
  const auto is_remover = [](const std::string& command) { return name_of(command) == kRemover; };
  if (line_.not_understood) {
    const std::string letters = lower_without_marks(text_);
    const bool may_remove = std::ranges::any_of(line_.commands, is_remover) ||
                            letters.find(kRemover) != std::string::npos ||
                            letters.find("::delete") != std::string::npos;
    if (!may_remove) return std::nullopt;
    return "it may remove something, and is not understood: " + *line_.not_understood;
  }
  if (std::ranges::none_of(line_.commands, is_remover)) return std::nullopt;
  if (line_.feeds_names) return "it removes what another command names";
  if (line_.changes_folder) return "it removes something in a folder that is not known";
  // Whatever is named beside it counts, too: lines that remove something and name such a place are rare.
  for (const std::string& word : line_.words) {
    const auto removed = removed_place(word);
    if (!removed || word.find(':') != std::string::npos) return "it removes what cannot be told: " + word;
    if (is_critical_place(path_of(*removed).written, places)) return "it removes " + word;
  }
  return std::nullopt;
}

}  // namespace deft
