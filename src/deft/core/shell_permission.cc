#include "deft/core/shell_permission.h"

#include <algorithm>
#include <array>
#include <utility>

#include "deft/base/path.h"
#include "deft/base/text.h"
#include "deft/core/protected_paths.h"
#include "deft/shell/paths.h"

// Deny and ask: every command that the line shows, in every spelling that could be meant.

namespace deft {
namespace {

using shell::Argument;
using shell::CommandUse;

constexpr std::array<std::string_view, 2> kPathTools = {"Read", "Edit"};
constexpr std::size_t kSkippedOptionsMax = 12;
constexpr std::size_t kReorderedFlagsMax = 6;

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && std::string_view(" \t\n\r").find(text.front()) != std::string_view::npos)
    text.remove_prefix(1);
  while (!text.empty() && std::string_view(" \t\n\r").find(text.back()) != std::string_view::npos)
    text.remove_suffix(1);
  return text;
}

std::string join(const std::vector<Argument>& words, std::size_t first, std::string out, bool as_written) {
  for (std::size_t i = first; i < words.size(); ++i) {
    if (!out.empty()) out += ' ';
    out += as_written || !words[i].is_exact() ? words[i].source : words[i].text;
  }
  return out;
}

// Where a subcommand may begin, behind options in front of it: git -C dir push, npm --silent publish.
std::vector<std::size_t> places_behind_options(const std::vector<Argument>& words) {
  std::vector<std::size_t> places;
  std::vector<std::size_t> open = {1};
  while (!open.empty() && places.size() < kSkippedOptionsMax) {
    const std::size_t i = open.back();
    open.pop_back();
    if (i >= words.size() || !words[i].text.starts_with('-')) continue;
    for (const std::size_t next : {i + 1, i + 2}) {
      if (next > words.size() || std::ranges::find(places, next) != places.end()) continue;
      places.push_back(next);
      open.push_back(next);
    }
  }
  return places;
}

// Long options may be cut: --rec is --recursive.
bool is_short_for(std::string_view option, std::string_view whole) {
  return option.size() > 2 && whole.starts_with(option);
}

// `rm -rf x` for `rm -f x -r`, `rm -fr x`, `rm --recursive --force x`: flags in any order, and only some of them.
void add_flag_orders(const std::vector<Argument>& words, std::string_view name, std::vector<std::string>& out) {
  std::string letters;
  std::string operands;
  for (std::size_t i = 1; i < words.size(); ++i) {
    std::string_view text = words[i].is_exact() ? words[i].text : words[i].source;
    const bool is_option = words[i].is_exact() && text.starts_with('-') && text.size() > 1;
    if (!is_option) {
      operands.append(" ").append(text);
      continue;
    }
    text.remove_prefix(1);
    if (is_short_for(text, "-recursive")) text = "r";
    if (is_short_for(text, "-force")) text = "f";
    if (text.starts_with('-')) continue;
    for (char letter : text) {
      if (letter == 'R' && name == "rm") letter = 'r';
      if (letters.find(letter) == std::string::npos) letters += letter;
    }
  }
  if (letters.size() < 2 || letters.size() > kReorderedFlagsMax) return;
  const std::string beginning = std::string(name) + " -";
  for (const char first : letters) {
    for (const char second : letters) {
      if (second == first) continue;
      out.push_back(beginning + first + second + operands);
      for (const char third : letters) {
        if (third != first && third != second) out.push_back(beginning + first + second + third + operands);
      }
    }
  }
}

// All the texts that a rule against this command may be written for.
std::vector<std::string> spellings(const CommandUse& use) {
  const auto& words = use.words;
  const std::string name(shell::command_name(words[0].text));
  std::vector<std::string> texts = {join(words, 0, "", false), join(words, 1, name, false), join(words, 0, "", true)};
  for (const std::size_t place : places_behind_options(words)) texts.push_back(join(words, place, name, false));
  add_flag_orders(words, name, texts);
  std::string with_assignments;
  for (const auto& assignment : use.assignments) {
    with_assignments += (with_assignments.empty() ? "" : " ") + assignment.name + "=" + assignment.value.source;
  }
  if (!with_assignments.empty()) texts.push_back(join(words, 0, with_assignments, true));
  return texts;
}

// What is known of the command's text before the first thing that is not.
std::string known_beginning(const CommandUse& use, std::string out) {
  for (std::size_t i = 1; i < use.words.size(); ++i) {
    out += ' ';
    out += use.words[i].text;
    if (!use.words[i].is_exact()) return out;
  }
  return out;
}

}  // namespace

RuleMatch stronger(RuleMatch a, RuleMatch b) {
  if (!a) return b;
  return !a.is_certain && b && b.is_certain ? b : a;
}

RuleMatch ShellPermission::any_rule(RuleList list, const std::string& why) const {
  const PlacedRule* rule = rules_.any_narrow(list, tool_);
  for (const std::string_view tool : kPathTools) {
    if (!rule) rule = rules_.any_narrow(list, tool);
  }
  return {.rule = rule, .is_certain = false, .why_uncertain = why};
}

RuleMatch ShellPermission::match(RuleList list) const {
  RuleMatch found;
  if (const auto* rule = rules_.by_command(list, tool_, trimmed(line_.text))) return {.rule = rule};
  if (line_.not_understood) {
    for (const CommandUse& use : line_.guessed) {
      if (const RuleMatch match = match_use(list, use); match && match.is_certain) return match;
    }
    return any_rule(list, *line_.not_understood);
  }
  for (const auto* uses : {&line_.commands, &line_.inner}) {
    for (const CommandUse& use : *uses) {
      RuleMatch match = match_use(list, use);
      if (!match) continue;
      if (match.command.empty()) match.command = shell::describe(use);
      found = stronger(std::move(found), std::move(match));
      if (found.is_certain) return found;
    }
  }
  if (!found && line_.not_followed) found = any_rule(list, *line_.not_followed);
  return found;
}

RuleMatch ShellPermission::match_use(RuleList list, const CommandUse& use) const {
  RuleMatch by_command = match_command(list, use);
  if (by_command && by_command.is_certain) return by_command;
  return stronger(match_paths(list, use), std::move(by_command));
}

RuleMatch ShellPermission::match_command(RuleList list, const CommandUse& use) const {
  if (use.words.empty()) return {};
  if (use.words[0].is_exact()) {
    for (const std::string& text : spellings(use)) {
      if (const auto* rule = rules_.by_command(list, tool_, text)) return {.rule = rule};
    }
    if (const RuleMatch match = match_other_name(list, use)) return match;
  }
  return match_unknown(list, use);
}

// `./x`, which is a link to /bin/rm; and `cp /bin/rm x`, after which nobody can tell what x is.
RuleMatch ShellPermission::match_other_name(RuleList list, const CommandUse& use) const {
  const std::string& word = use.words[0].text;
  const std::string name(shell::command_name(word));
  if (word.find('/') != std::string::npos && use.directory_known) {
    for (const std::string& directory : use.directories) {
      CommandUse linked = use;
      linked.words[0] = Argument::exactly(paths_.touch(shell::join_paths(directory, word)).resolved);
      if (shell::command_name(linked.words[0].text) == name) continue;
      for (const std::string& text : spellings(linked)) {
        if (const auto* rule = rules_.by_command(list, tool_, text)) return {.rule = rule};
      }
    }
  }
  if (!is_among_words(name, "cp ln mv install link")) return {};
  for (std::size_t i = 1; i < use.words.size(); ++i) {
    const std::string& path = use.words[i].text;
    const std::string_view folder = parent_path(path);
    if (!use.words[i].is_exact() || !path.starts_with('/')) continue;
    if (!folder.ends_with("/bin") && !folder.ends_with("/sbin")) continue;
    const std::string program(shell::command_name(path));
    const auto* rule = rules_.by_command(list, tool_, program);
    if (!rule) rule = rules_.by_beginning(list, tool_, program + " ");
    if (rule) return {.rule = rule, .is_certain = false, .why_uncertain = "it gives " + path + " another name"};
  }
  return {};
}

RuleMatch ShellPermission::match_unknown(RuleList list, const CommandUse& use) const {
  const auto unknown = std::ranges::find_if(use.words, [](const Argument& word) { return !word.is_exact(); });
  if (unknown == use.words.end()) return {};
  const std::string why = "it is not known what " + unknown->source + " is";
  if (!use.words[0].is_exact()) return any_rule(list, why);
  const std::string name(shell::command_name(use.words[0].text));
  const auto* rule = rules_.by_beginning(list, tool_, known_beginning(use, use.words[0].text));
  if (!rule) rule = rules_.by_beginning(list, tool_, known_beginning(use, name));
  for (const std::size_t place : places_behind_options(use.words)) {
    if (rule) break;
    CommandUse behind = use;
    behind.words.erase(behind.words.begin() + 1, behind.words.begin() + static_cast<std::ptrdiff_t>(place));
    const bool is_known = std::ranges::all_of(behind.words, [](const Argument& word) { return word.is_exact(); });
    if (!is_known) rule = rules_.by_beginning(list, tool_, known_beginning(behind, name));
  }
  return {.rule = rule, .is_certain = false, .why_uncertain = why};
}

RuleMatch ShellPermission::match_paths(RuleList list, const CommandUse& use) const {
  RuleMatch found;
  const auto paths = shell::named_paths(use);
  const bool shows = !use.words.empty() && shell::shows_files(use.words[0].text);
  const bool writes = std::ranges::any_of(paths, [](const shell::NamedPath& path) { return path.is_written; });
  if (!paths.empty() && shows) found.rule = rules_.whole_tool(list, "Read");
  if (!found && writes) found.rule = rules_.whole_tool(list, "Edit");
  if (found) return found;
  for (const shell::NamedPath& path : paths) {
    found = stronger(std::move(found), match_path(list, path));
    if (found && found.is_certain) return found;
  }
  return found;
}

RuleMatch ShellPermission::match_path(RuleList list, const shell::NamedPath& path) const {
  RuleMatch found;
  for (const std::string_view tool : kPathTools) {
    if (path.is_pattern) {
      const TouchedPath folder = paths_.touch(path.path);
      for (const std::string& spelling : folder.spellings()) {
        if (const auto* rule = rules_.covering_folder(list, tool, spelling)) return {.rule = rule};
      }
      const auto* rule = rules_.below_folder(list, tool, folder.written);
      if (!rule) rule = rules_.below_folder(list, tool, folder.resolved);
      found =
          stronger(std::move(found),
                   {.rule = rule, .is_certain = false, .why_uncertain = "it is not known what " + path.source + " is"});
      continue;
    }
    if (!path.is_known) {
      found = stronger(std::move(found), {.rule = rules_.any_narrow(list, tool),
                                          .is_certain = false,
                                          .why_uncertain = "it is not known what " + path.source + " is"});
      continue;
    }
    const TouchedPath touched = paths_.touch(path.path);
    for (const std::string& spelling : touched.spellings()) {
      // Also a folder all of whose files the rule is about: whoever moves it moves them.
      if (const auto* rule = rules_.covering_folder(list, tool, spelling)) return {.rule = rule};
      if (!path.is_tree) continue;
      found = stronger(std::move(found), {.rule = rules_.below_folder(list, tool, spelling),
                                          .is_certain = false,
                                          .why_uncertain = "it reads everything in " + path.source});
    }
    if (!touched.is_resolved) {
      found = stronger(std::move(found), {.rule = rules_.any_narrow(list, tool),
                                          .is_certain = false,
                                          .why_uncertain = "it is not known where " + path.source + " leads"});
    }
  }
  return found;
}

bool ShellPermission::reads_only_what_may_be_read() const {
  return !runs_git_elsewhere() &&
         std::ranges::all_of(line_.commands, [&](const CommandUse& use) { return paths_may_be_read(use); }) &&
         std::ranges::all_of(line_.inner, [&](const CommandUse& use) { return paths_may_be_read(use); });
}

std::optional<std::string> ShellPermission::protected_write() const {
  for (const auto* uses : {&line_.commands, &line_.inner}) {
    for (const CommandUse& use : *uses) {
      for (const shell::NamedPath& path : shell::named_paths(use)) {
        if (!path.is_written || !path.is_known) continue;
        const TouchedPath touched = paths_.touch(path.path);
        for (const std::string& spelling : touched.spellings()) {
          if (auto name = protected_name(spelling))
            return "it changes " + path.source + ", and " + *name + " is protected";
          if (auto why = suspicious_path(spelling, /*is_written=*/true)) return why;
        }
      }
    }
  }
  return std::nullopt;
}

}  // namespace deft
