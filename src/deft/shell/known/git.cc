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

// Formats that check signatures start gpg. A format or a key to sort by is either glued to its option or the next word.
Problem judge_formats(Words words) {
  bool is_value = false;
  for (const Argument& word : words) {
    const bool is_option =
        word.text.starts_with("--format") || word.text.starts_with("--pretty") || word.text.starts_with("--sort");
    if ((is_option || is_value) && !word.is_exact()) return "a format that is not known: " + quoted(word.source);
    const bool names_atom = is_option || is_value || word.text.find("%(") != std::string::npos;
    if (names_atom && word.text.find("signature") != std::string::npos)
      return std::string("checking signatures starts gpg");
    if (word.text.find("%G") != std::string::npos) return std::string("checking signatures starts gpg");
    is_value = is_option;
  }
  return std::nullopt;
}

// Showing a merge as what a new merge would give runs the merge drivers that the configuration names.
bool merges_again(const Words& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& text = words[i].text;
    if (text.starts_with("--diff-merges=") && (!words[i].is_exact() || text[14] == 'r')) return true;
    const bool is_value = i > 0 && words[i - 1].text == "--diff-merges";
    if (is_value && (!words[i].is_exact() || text.starts_with('r'))) return true;
  }
  return false;
}

bool is_inside(std::string_view path, std::string_view folder) {
  if (!path.starts_with(folder)) return false;
  return path.size() == folder.size() || folder == "/" || path[folder.size()] == '/';
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
  const std::string cwd = join_paths("/", options.cwd);
  for (const std::string& start : use.directories) {
    std::string directory = start;
    std::string by_links = start;  // -C follows links before "..", as cd does not
    for (const std::string& change : changes) {
      directory = join_paths(directory, change);
      by_links = change.starts_with('/') ? change : by_links + "/" + change;
    }
    if (!options.files.read) {
      if (directory != cwd) return "git in " + quoted(directory) + " obeys the configuration there";
      continue;
    }
    // Below the working directory a folder may be missing: git fails there. Elsewhere it must be seen to be harmless.
    const bool must_exist = !is_inside(directory, cwd);
    const std::string& place = options.files.real_path ? by_links : directory;
    if (Problem problem = judge_git_repository(place, options.files, must_exist)) return problem;
  }
  return std::nullopt;
}

Problem judge_git(Words words, const Situation& situation) {
  std::vector<std::string> changes;
  while (!words.empty() && words[0].text.starts_with('-')) {
    if (!words[0].is_exact()) return unknown_word("git", words[0]);
    const std::string& option = words[0].text;
    if (is_among_words(option, "--version -v --help -h") && words.size() == 1) return std::nullopt;
    if (option == "-C") {
      if (words.size() < 2 || !words[1].is_exact()) return std::string("git -C with a folder that is not known");
      changes.push_back(words[1].text);
      words = words.subspan(1);
    } else if (!is_among_words(option, kGlobalFlags)) {
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
  }
  if (Problem problem = judge_formats(words.subspan(1))) return problem;
  if (merges_again(words.subspan(1))) return std::string("git may run merge drivers");
  if (Problem problem = judge_by_rule("git " + name, *rule, words.subspan(1), situation)) return problem;
  return judge_place(changes, situation);
}

constexpr CommandRule kRules[] = {{"git", Operands::names, kPlain, "", nullptr, judge_git}};

}  // namespace

std::span<const CommandRule> git_command() { return kRules; }

}  // namespace deft::shell
