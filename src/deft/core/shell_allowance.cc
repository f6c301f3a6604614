#include <algorithm>
#include <array>
#include <ranges>
#include <utility>

#include "deft/base/path.h"
#include "deft/base/text.h"
#include "deft/core/local_work.h"
#include "deft/core/shell_permission.h"

// Allow: each part of the line by itself, exactly as it stands there.

namespace deft {
namespace {

using shell::Argument;
using shell::CommandUse;

// Settings of programs that change neither what runs nor where files go.
constexpr std::array<std::string_view, 14> kSafeVariables = {
    "NODE_ENV", "LANG", "LANGUAGE", "NO_COLOR", "FORCE_COLOR", "CLICOLOR",         "CLICOLOR_FORCE",
    "TERM",     "TZ",   "CI",       "COLUMNS",  "LINES",       "PYTHONUNBUFFERED", "RUST_BACKTRACE"};

bool is_safe_variable(std::string_view name) {
  return name.starts_with("LC_") || std::ranges::find(kSafeVariables, name) != kSafeVariables.end();
}

bool is_glob(const Argument& word) {
  const bool is_pattern = word.unknown == "*" || word.unknown == "?" || word.unknown == "[";
  return is_pattern && word.extent == shell::Extent::many && word.dashless;
}

// Known, or at least known to be one harmless kind of word wherever it stands.
bool is_settled(const Argument& word) {
  if (word.is_exact() || word.is_integer || is_glob(word)) return true;
  // "$(cat <<'EOF' …)" is the usual way to give a long text: one word, and the text stands in the line.
  return word.extent == shell::Extent::one && word.source.starts_with("\"$(cat <<'") && word.source.ends_with(")\"");
}

bool needs_quotes(std::string_view text) {
  return text.empty() || text.find_first_of(" \t\n\"'\\$`;&|<>()*?[]{}~#!") != std::string_view::npos;
}

// As one would type it: plain words plain, the others as they are written.
std::string plain_text(const std::vector<Argument>& words) {
  std::string out;
  for (const Argument& word : words) {
    if (!out.empty()) out += ' ';
    out += word.is_exact() && !needs_quotes(word.text) ? word.text : word.source;
  }
  return out;
}
std::string written_text(const std::vector<Argument>& words) {
  std::string out;
  for (const Argument& word : words) out += (out.empty() ? "" : " ") + word.source;
  return out;
}

bool has_exact_name(const std::vector<Argument>& words) {
  return !words.empty() && words[0].is_exact() && !needs_quotes(words[0].text);
}

// Commands that run or remove whatever stands behind them: only a rule for the whole command covers one.
bool needs_exact_rule(const std::vector<Argument>& words) {
  const std::string_view name = shell::command_name(words[0].text);
  if (name == "watch" || name == "setsid" || name == "ionice" || name == "flock") return true;
  if (name != "find" && name != "gfind") return false;
  return std::ranges::any_of(words, [](const Argument& word) {
    return !word.is_exact() || word.text.starts_with("-exec") || word.text.starts_with("-ok") ||
           word.text == "-delete" || word.text.starts_with("-fprint") || word.text == "-fls";
  });
}

// cd without a place goes home, cd - back to wherever that was.
bool goes_where_nobody_knows(const CommandUse& use) {
  if (use.words.empty() || !use.words[0].is_exact()) return false;
  if (!is_among_words(use.words[0].text, "cd pushd popd")) return false;
  const auto is_place = [](const Argument& word) { return !word.is_exact() || !word.text.starts_with('-'); };
  return use.words[0].text == "popd" || std::ranges::none_of(use.words | std::views::drop(1), is_place);
}

// In another folder git runs what that folder's repository says. The line shows git itself, or a wrapper around it.
bool is_git_elsewhere(const CommandUse& use) {
  if (!use.directory_changed) return false;
  return std::ranges::any_of(
      use.words, [](const Argument& word) { return word.is_exact() && shell::command_name(word.text) == "git"; });
}

bool is_edit_command(std::string_view name) {
  for (const std::string_view known : {"mkdir", "touch", "rm", "rmdir", "mv", "cp", "sed"}) {
    if (name == known) return true;
  }
  return false;
}

// sed without its -i, to ask whether the rest only reads; nothing if an option is not known.
std::optional<CommandUse> without_in_place(const CommandUse& use) {
  CommandUse rest = use;
  rest.words.clear();
  for (const Argument& word : use.words) {
    const std::string& text = word.text;
    const bool is_in_place =
        text == "-i" || text == "--in-place" || text.starts_with("-i.") || text.starts_with("--in-place=.");
    if (is_in_place && text.find_first_of("/*") != std::string::npos) return std::nullopt;
    if (!is_in_place) rest.words.push_back(word);
  }
  return rest;
}

}  // namespace

const PlacedRule* ShellPermission::allow_rule(const CommandUse& use) const {
  if (!has_exact_name(use.words) || !input_may_be_read(use)) return nullptr;
  const bool has_unsafe = std::ranges::any_of(
      use.assignments, [](const auto& assignment) { return !is_safe_variable(assignment.name) || assignment.appends; });
  std::string with_assignments;
  for (const auto& assignment : use.assignments) {
    with_assignments += assignment.name + (assignment.appends ? "+=" : "=") + assignment.value.source + " ";
  }
  // The rule itself may name the variables, letter for letter.
  if (has_unsafe) return rules_.by_exact_command(RuleList::allow, tool_, with_assignments + written_text(use.words));
  const auto settled_value = [](const auto& assignment) {
    return is_settled(assignment.value) && !assignment.is_array;
  };
  if (!std::ranges::all_of(use.words, is_settled) || !std::ranges::all_of(use.assignments, settled_value)) {
    return nullptr;
  }
  const std::vector<Argument> inner = without_wrappers(use.words);
  if (!has_exact_name(inner)) return nullptr;
  const bool only_exact = needs_exact_rule(inner);
  const auto find = [&](const std::string& text) {
    return only_exact ? rules_.by_exact_command(RuleList::allow, tool_, text, /*by_letters=*/true)
                      : rules_.by_command(RuleList::allow, tool_, text);
  };
  for (const auto* words : {&inner, &use.words}) {
    if (const PlacedRule* rule = find(plain_text(*words))) return rule;
    if (const PlacedRule* rule = find(written_text(*words))) return rule;
  }
  return with_assignments.empty()
             ? nullptr
             : rules_.by_exact_command(RuleList::allow, tool_, with_assignments + written_text(use.words));
}

bool ShellPermission::may_be_read(const shell::NamedPath& path) const {
  if ((!path.is_known && !path.is_pattern) || path.follows_links) return false;
  if (path.is_pattern && !paths_.may_read_matches(path.glob)) return false;
  const TouchedPath touched = paths_.touch(path.path);
  return touched.is_resolved && (touched.resolved == "/dev/null" || paths_.may_read(touched));
}

bool ShellPermission::paths_may_be_read(const CommandUse& use) const {
  if (goes_where_nobody_knows(use)) return false;
  return std::ranges::all_of(shell::named_paths(use), [&](const auto& path) { return may_be_read(path); });
}

// What it is fed with by "<": a rule for the command says nothing about that.
bool ShellPermission::input_may_be_read(const CommandUse& use) const {
  CommandUse inputs;
  inputs.directories = use.directories;
  inputs.directory_known = use.directory_known;
  for (const auto& redirection : use.redirections) {
    if (redirection.access == shell::Access::read) inputs.redirections.push_back(redirection);
  }
  return std::ranges::all_of(shell::named_paths(inputs), [&](const auto& path) { return may_be_read(path); });
}

bool ShellPermission::only_reads(const CommandUse& use) const {
  CommandUse quiet = use;  // what it writes to is judged apart
  std::erase_if(quiet.redirections, [](const shell::RedirectionUse& redirection) {
    return redirection.access == shell::Access::write || redirection.access == shell::Access::append;
  });
  return !is_git_elsewhere(use) && shell::classify(shell::Commands{{quiet}, {}}, classify_).read_only &&
         paths_may_be_read(quiet);
}

bool ShellPermission::runs_git_elsewhere() const { return std::ranges::any_of(line_.commands, is_git_elsewhere); }

bool ShellPermission::edits_inside(const CommandUse& use) const {
  if (!has_exact_name(use.words) || !is_edit_command(use.words[0].text) || !use.assignments.empty()) return false;
  if (!std::ranges::all_of(use.words, [](const Argument& word) { return word.is_exact(); })) return false;
  if (use.words[0].text == "sed") {
    const auto rest = without_in_place(use);
    if (!rest || !only_reads(*rest)) return false;
  }
  CommandUse quiet = use;
  quiet.redirections.clear();
  return std::ranges::all_of(shell::named_paths(quiet), [&](const shell::NamedPath& path) {
    return path.is_known && paths_.is_inside(paths_.touch(path.path));
  });
}

bool ShellPermission::writes_are_allowed(const CommandUse& use, bool accept_inside, Allowance& out) const {
  return std::ranges::all_of(shell::written_targets(use), [&](const shell::NamedPath& path) {
    // Where "~" leads is the shell's affair: such a target is always asked for.
    if (!path.is_known || path.source.starts_with('~')) return false;
    const TouchedPath touched = paths_.touch(path.path);
    if (!touched.is_resolved) return false;
    if (const PlacedRule* rule = paths_.rule_for_writing(touched)) {
      if (!out.rule) out.rule = rule;
      return true;
    }
    if (!accept_inside || !paths_.is_inside(touched)) return false;
    out.by_edits = true;
    return true;
  });
}

bool ShellPermission::works_inside(const CommandUse& use) const {
  const auto is_safe = [](const auto& assignment) { return is_safe_variable(assignment.name) && !assignment.appends; };
  if (!has_exact_name(use.words) || !std::ranges::all_of(use.assignments, is_safe)) return false;
  CommandUse inner = use;
  inner.words = without_wrappers(use.words);
  if (is_git_elsewhere(use) || !input_may_be_read(use) || !is_local_work(inner.words)) return false;
  inner.redirections.clear();
  return std::ranges::all_of(shell::named_paths(inner), [&](const shell::NamedPath& path) {
    return path.is_known && paths_.is_inside(paths_.touch(path.path));
  });
}

ShellPermission::Allowance ShellPermission::allowance(Acceptance acceptance) const {
  Allowance all;
  const bool accept_edits = acceptance != Acceptance::nothing;
  if (line_.not_understood) return all;
  const PlacedRule* whole = rules_.whole_tool(RuleList::allow, tool_);
  if (!whole) {
    std::string_view text = line_.text;
    while (text.ends_with('\n') || text.ends_with(' ')) text.remove_suffix(1);
    whole = rules_.by_exact_command(RuleList::allow, tool_, text);
  }
  const bool is_whole_tool = whole && std::holds_alternative<WholeTool>(whole->meaning.what);
  for (const CommandUse& use : line_.commands) {
    all.missing = shell::describe(use);
    if (!writes_are_allowed(use, accept_edits || is_whole_tool, all)) return all;
    if (whole) {
      all.rule = whole;
      continue;
    }
    if (use.words.empty() && use.assignments.empty()) {  // redirections alone
      if (!paths_may_be_read(use)) return all;
      continue;
    }
    const PlacedRule* rule = line_.may_redefine ? nullptr : allow_rule(use);
    // The words may not mean what they say: `ls` may have become a function, `sh` runs what it is given.
    if (!rule && (line_.may_redefine || line_.not_followed)) return all;
    if (rule) {
      all.rule = rule;
    } else if (only_reads(use)) {
      continue;
    } else if (accept_edits && edits_inside(use)) {
      all.by_edits = true;
    } else if (acceptance == Acceptance::local_work && works_inside(use)) {
      all.by_work = true;
    } else {
      return all;
    }
  }
  if (whole) all.by_edits = false;
  all.missing.clear();
  all.is_allowed = all.rule || all.by_edits || all.by_work;  // what only reads is allowed elsewhere, as a whole
  return all;
}

}  // namespace deft
