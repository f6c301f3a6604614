#include "deft/core/rule_proposal.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "deft/base/path.h"
#include "deft/core/apply_patch.h"
#include "deft/core/call_subject.h"
#include "deft/core/shell_line.h"
#include "deft/core/web_host.h"
#include "deft/shell/classify.h"
#include "deft/shell/named_paths.h"

namespace deft {
namespace {

using shell::Argument;
using shell::CommandUse;
using Rules = std::vector<std::string>;

// Nobody allows these once and for all: what they do depends wholly on what is given to them, or cannot be undone.
constexpr std::string_view kNever =
    "rm rmdir unlink shred dd mkfs truncate sudo doas su pkexec runuser gosu eval source . exec trap "
    "sh bash dash zsh ksh mksh ash fish rbash busybox xargs parallel env ssh scp rsync watch find "
    "chmod chown chgrp kill pkill killall shutdown reboot halt poweroff mount umount crontab at batch systemctl "
    "patch sqlite3 psql mysql osascript gdb docker podman kubectl nc ncat socat telnet";
// They run the text that they are given; a file that they run is a whole command of its own.
constexpr std::string_view kInterpreters =
    "python python2 python3 node deno bun perl ruby php lua tclsh Rscript ipython";
// Programs with subcommands that take all kinds of arguments: the rule is for the first words.
struct Family {
  std::string_view name;
  std::string_view subcommands;
};
constexpr std::array<Family, 7> kFamilies = {{{"git", "add commit stash switch branch tag merge mv"},
                                              {"cargo", "build check test clippy fmt"},
                                              {"go", "build test vet fmt"},
                                              {"npm", "test"},
                                              {"pnpm", "test"},
                                              {"yarn", "test"},
                                              {"dotnet", "build test"}}};
constexpr std::string_view kScriptRunners = "npm pnpm yarn bun";  // NAME run SCRIPT
constexpr std::string_view kWithAnyArguments = "pytest ctest jest vitest tsc mypy";

bool is_any_of(std::string_view text, std::string_view list) {
  for (std::size_t start = 0; start < list.size();) {
    const std::size_t end = std::min(list.find(' ', start), list.size());
    if (list.substr(start, end - start) == text) return true;
    start = end + 1;
  }
  return false;
}

// A word that stands for itself in a rule.
bool is_plain_word(const Argument& word) {
  const auto is_plain = [](char c) {
    const bool is_letter_or_digit = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    return is_letter_or_digit || std::string_view("-_.:/+@").find(c) != std::string_view::npos;
  };
  return word.is_exact() && !word.text.empty() && std::ranges::all_of(word.text, is_plain);
}

std::string as_written(const std::vector<Argument>& words) {
  std::string out;
  for (const Argument& word : words) out += (out.empty() ? "" : " ") + word.source;
  return out;
}

// How many words a rule for all such commands begins with; 0: only the whole command will do.
std::size_t prefix_words(const std::vector<Argument>& words) {
  const std::string_view name = words[0].text;
  if (is_any_of(name, kWithAnyArguments)) return 1;
  const bool runs_script = words.size() > 2 && is_any_of(name, kScriptRunners) && words[1].is_exact() &&
                           words[1].text == "run" && is_plain_word(words[2]) && !words[2].text.starts_with('-');
  if (runs_script) return 3;
  const auto* family = std::ranges::find(kFamilies, name, &Family::name);
  const bool is_known = family != kFamilies.end() && words.size() > 1 && is_plain_word(words[1]) &&
                        is_any_of(words[1].text, family->subcommands);
  return is_known ? 2 : 0;
}

// Runs what its options or its input say.
bool is_never(const std::vector<Argument>& words) {
  const std::string_view name = shell::command_name(words[0].text);
  if (is_any_of(name, kNever) || name.starts_with("mkfs.")) return true;
  if (!is_any_of(name, kInterpreters) || prefix_words(words) > 0) return false;
  return words.size() < 2 || !is_plain_word(words[1]) || words[1].text.starts_with('-');
}

// What a pattern of paths means literally: no magic in it.
bool is_plain_path(std::string_view path) {
  return path.starts_with('/') && path.find_first_of("*?[]{}\\!#\n\r\t") == std::string_view::npos &&
         !path.ends_with(' ');
}

bool may_be_rule(const std::string& rule) {
  return rule.size() <= kProposedRuleBytesMax && parse_rule(rule).has_value();
}

// As people know it; where its name cannot stand in a rule, in plain characters, if those mean it alone.
std::string rule_for(const McpToolName& tool) {
  const bool may_be_written = tool.tool.find_first_of("(*") == std::string::npos && parse_rule(tool.full());
  return may_be_written || !tool.is_alone ? tool.full() : tool.plain();
}

class Proposal {
 public:
  Proposal(const PermissionQuestion& question, const PermissionSetup& setup) : question_(question), setup_(setup) {}

  // Nothing: there is a part that no rule should allow.
  std::optional<Rules> make() {
    const std::string tool(todays_tool_name(question_.tool));
    const Subject subject = subject_of_call(tool, question_.input);
    if (!question_.input) return std::nullopt;
    const std::string text(subject_text(subject, question_.input));
    switch (subject.kind) {
      case SubjectKind::command: return of_line(tool, text) ? std::optional(rules_) : std::nullopt;
      case SubjectKind::windows_command: return std::nullopt;
      case SubjectKind::read:
      case SubjectKind::edit: return of_paths(subject, tool, text) ? std::optional(rules_) : std::nullopt;
      case SubjectKind::domain: {
        const auto host = web_host(text);
        const std::string_view other = tool_for_host(subject);
        return host && add((other.empty() ? tool : std::string(other)) + "(domain:" + *host + ")")
                   ? std::optional(rules_)
                   : std::nullopt;
      }
      case SubjectKind::agent:
      case SubjectKind::skill: {
        const bool is_plain = !text.empty() && text.find_first_of("*() \n") == std::string::npos;
        return is_plain && add(tool + "(" + text + ")") ? std::optional(rules_) : std::nullopt;
      }
      case SubjectKind::none:
        return add(question_.mcp ? rule_for(*question_.mcp) : tool) ? std::optional(rules_) : std::nullopt;
    }
    return std::nullopt;
  }

 private:
  bool add(std::string rule) {
    if (!may_be_rule(rule)) return false;
    if (std::ranges::find(rules_, rule) != rules_.end()) return true;
    rules_.push_back(std::move(rule));
    return rules_.size() <= kProposedRulesMax;
  }

  // The folder of a file; the file alone where the folder holds too much to be meant.
  bool add_folder_of(std::string_view tool, const std::string& path) {
    if (!is_plain_path(path)) return false;
    const std::string folder(parent_path(path));
    const bool is_too_wide = (!setup_.home.empty() && is_at_or_below(setup_.home, folder)) ||
                             folder.find('/', 1) == std::string::npos ||
                             (is_at_or_below(setup_.directory, folder) && setup_.directory != folder);
    if (is_too_wide) return add(std::string(tool) + "(/" + path + ")");
    return add(std::string(tool) + "(/" + folder + "/**)");
  }

  // As written and without links: a rule must match both.
  bool add_path(std::string_view tool, const std::string& path, bool is_tree) {
    std::vector<std::string> spellings = {normal_path(path)};
    if (setup_.resolve) {
      auto resolved = setup_.resolve(path);
      if (!resolved) return false;
      if (*resolved != spellings[0]) spellings.push_back(std::move(*resolved));
    }
    return std::ranges::all_of(spellings, [&](const std::string& spelling) {
      if (!is_tree) return add_folder_of(tool, spelling);
      return is_plain_path(spelling) && spelling != "/" && add(std::string(tool) + "(/" + spelling + ")");
    });
  }

  bool of_paths(const Subject& subject, std::string_view tool, const std::string& path) {
    const std::string directory = question_.working_directory.empty() ? setup_.directory : question_.working_directory;
    if (tool == kPatchTool) {
      const auto named = paths_in_patch(path);
      return !named.empty() && std::ranges::all_of(named, [&](const std::string& one) {
        return add_path("Edit", absolute_path(one, directory), false);
      });
    }
    const std::string absolute = absolute_path(path, directory);
    if (subject.kind == SubjectKind::edit) return !path.empty() && add_path("Edit", absolute, false);
    const bool is_tree = tool == "Grep" || tool == "Glob" || tool == "LS";
    return (is_tree || !path.empty()) && add_path("Read", absolute, is_tree);
  }

  bool of_line(const std::string& tool, const std::string& text) {
    const std::string directory = question_.working_directory.empty() ? setup_.directory : question_.working_directory;
    const ShellLine line = read_shell_line(text, {.cwd = directory, .home = setup_.home});
    if (line.not_understood || line.not_followed || line.may_redefine || line.commands.empty()) return false;
    const auto runs_never = [](const CommandUse& use) { return !use.words.empty() && is_never(use.words); };
    if (std::ranges::any_of(line.inner, runs_never)) return false;
    const shell::ClassifyOptions classify{.cwd = directory, .home = setup_.home, .files = setup_.files};
    return std::ranges::all_of(line.commands, [&](const CommandUse& use) { return of_command(tool, use, classify); });
  }

  bool of_command(const std::string& tool, const CommandUse& use, const shell::ClassifyOptions& classify) {
    CommandUse quiet = use;
    quiet.redirections.clear();
    const auto targets = shell::written_targets(use);
    for (const shell::NamedPath& path : targets) {
      if (!path.is_known || (path.path != "/dev/null" && !add_path("Edit", path.path, false))) return false;
    }
    if (use.words.empty()) return use.assignments.empty();
    if (shell::classify(shell::Commands{{quiet}, {}}, classify).read_only) return of_reads(use);
    const auto is_here = [](const auto& redirection) { return redirection.access == shell::Access::here; };
    if (std::ranges::any_of(use.redirections, is_here)) return false;
    const std::vector<Argument> words = without_wrappers(use.words);
    if (words.empty() || !is_plain_word(words[0]) || is_never(words) || is_never(use.words)) return false;
    if (const std::size_t count = prefix_words(words); count > 0) {
      std::string beginning;
      for (std::size_t i = 0; i < count; ++i) beginning += (i == 0 ? "" : " ") + words[i].text;
      return add(tool + "(" + beginning + ":*)");
    }
    if (!std::ranges::all_of(words, [](const Argument& word) { return word.is_exact(); })) return false;
    const std::string whole = as_written(words);
    // A star would be a pattern, and so would the end.
    if (whole.find_first_of("*\n") != std::string::npos || whole.find("<<") != std::string::npos) return false;
    return add(tool + "(" + whole + ")");
  }

  // It only reads: what is missing is the right to read something outside.
  bool of_reads(const CommandUse& use) {
    for (const shell::NamedPath& path : shell::named_paths(use)) {
      if (path.is_written) continue;  // told apart
      if (is_at_or_below(path.path, setup_.directory) || path.path == "/dev/null") continue;
      if (!path.is_known || path.is_pattern || !add_path("Read", path.path, path.is_tree)) return false;
    }
    return true;
  }

  const PermissionQuestion& question_;
  const PermissionSetup& setup_;
  Rules rules_;
};

bool allows(const PermissionSetup& setup, const Rules& rules, const PermissionQuestion& question) {
  auto with = with_session_rules(setup, rules);
  return with && Permissions(std::move(*with)).decide(question).verdict == Verdict::allow;
}

}  // namespace

Result<PermissionSetup> with_session_rules(PermissionSetup setup, const std::vector<std::string>& rules) {
  PermissionSource source{.rules = {}, .source = SettingSource::session, .origin = "this session"};
  for (const std::string& text : rules) {
    auto rule = parse_rule(text);
    if (!rule) return std::unexpected(rule.error());
    source.rules.allow.push_back(std::move(*rule));
  }
  setup.sources.push_back(std::move(source));
  return setup;
}

std::vector<std::string> propose_rules(const PermissionQuestion& question, const PermissionSetup& setup) {
  const auto rules = Proposal(question, setup).make();
  if (!rules || rules->empty() || !allows(setup, *rules, question)) return {};
  Rules needed = *rules;
  for (const std::string& rule : *rules) {
    Rules without = needed;
    std::erase(without, rule);
    if (!without.empty() && allows(setup, without, question)) needed = std::move(without);
  }
  return needed;
}

}  // namespace deft
