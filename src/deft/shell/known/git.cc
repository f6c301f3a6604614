#include <algorithm>

#include "deft/shell/known/command.h"
#include "deft/shell/known/git_config.h"
#include "deft/shell/paths.h"

// git: its global options, where it runs, and then the subcommand's own table (git_subcommands.cc).

namespace deft::shell {

const CommandRule* find_git_subcommand(std::string_view name);

namespace {

constexpr std::string_view kGlobalFlags =
    "--no-pager -P --no-optional-locks --literal-pathspecs --glob-pathspecs --noglob-pathspecs --icase-pathspecs "
    "--no-replace-objects";

// Formats that check signatures start gpg.
bool checks_signature(const Argument& word) {
  const bool names_atom = word.text.find("%(") != std::string::npos || word.text.starts_with("--sort");
  if (names_atom && word.text.find("signature") != std::string::npos) return true;
  return word.text.find("%G") != std::string::npos;
}

bool is_open_format(const Argument& word) {
  if (word.is_exact()) return false;
  for (const std::string_view option : {"--format", "--pretty", "--sort"}) {
    if (word.text.starts_with(option)) return true;
  }
  return false;
}

// Where the command may run: the folders of the shell, changed by each -C.
Problem judge_place(const std::vector<std::string>& changes, const Situation& situation) {
  const ClassifyOptions& options = situation.options;
  const CommandUse& use = situation.use;
  const bool moves = use.directory_changed || !changes.empty();
  if (options.cwd.empty() || !use.directory_known) {
    if (moves) return std::string("git in another folder obeys the configuration there");
    return std::nullopt;
  }
  for (std::string directory : use.directories) {
    for (const std::string& change : changes) directory = join_paths(directory, change);
    const bool is_elsewhere = directory != join_paths("/", options.cwd);
    if (!options.files.read) {
      if (is_elsewhere) return "git in " + quoted(directory) + " obeys the configuration there";
      continue;
    }
    if (Problem problem = judge_git_repository(directory, options.files, is_elsewhere)) return problem;
  }
  return std::nullopt;
}

Problem judge_git(Words words, const Situation& situation) {
  std::vector<std::string> changes;
  while (!words.empty() && words[0].text.starts_with('-')) {
    if (!words[0].is_exact()) return unknown_word("git", words[0]);
    const std::string& option = words[0].text;
    if (is_any_of(option, "--version -v --help -h") && words.size() == 1) return std::nullopt;
    if (option == "-C") {
      if (words.size() < 2 || !words[1].is_exact()) return std::string("git -C with a folder that is not known");
      changes.push_back(words[1].text);
      words = words.subspan(1);
    } else if (!is_any_of(option, kGlobalFlags)) {
      return "git " + quoted(option) + " is not known to be harmless";
    }
    words = words.subspan(1);
  }
  if (words.empty()) return std::nullopt;
  if (!words[0].is_exact()) return unknown_word("git", words[0]);
  const std::string& name = words[0].text;
  const CommandRule* rule = find_git_subcommand(name);
  if (rule == nullptr) return "git " + quoted(name) + " is not known to be read-only";
  for (const Argument& word : words.subspan(1)) {
    if (word.is_exact() && word.text == "--help") return std::string("git --help starts a viewer");
    if (checks_signature(word)) return std::string("checking signatures starts gpg");
    if (is_open_format(word)) return "a format that is not known: " + quoted(word.source);
  }
  if (Problem problem = judge_by_rule("git " + name, *rule, words.subspan(1), situation)) return problem;
  return judge_place(changes, situation);
}

constexpr CommandRule kRules[] = {{"git", Operands::names, kPlain, "", nullptr, judge_git}};

}  // namespace

std::span<const CommandRule> git_command() { return kRules; }

}  // namespace deft::shell
