#include <algorithm>
#include <array>
#include <span>

#include "deft/shell/parser.h"
#include "deft/shell/paths.h"
#include "deft/shell/walker.h"

// What commands of the shell itself change: variables and the working directory.

namespace deft::shell {
namespace {

using Names = std::string_view;

constexpr std::array<Names, 9> kTextRunners = {"eval",   "source", ".",       "trap",    "alias",
                                               "enable", "hash",   "compgen", "complete"};
constexpr std::array<Names, 14> kVariableSetters = {"read",    "mapfile", "readarray", "getopts", "let",
                                                    "declare", "typeset", "local",     "export",  "readonly",
                                                    "unset",   "wait",    "exec",      "set"};

template <std::size_t size>
bool contains(const std::array<Names, size>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

// declare -a 'x=($(command))': what looks like a list is read as one once more, and what stands in it runs. Whether a
// variable is a list already, and so needs no -a, is not known.
bool may_be_list(std::string_view command, const Argument& word, bool makes_array) {
  const bool declares = command == "declare" || command == "typeset" || command == "local";
  if (!declares && command != "readonly" && command != "export") return false;
  const std::size_t equals = word.text.find('=');
  if (equals == std::string::npos) return false;
  if (equals + 1 < word.text.size()) return word.text[equals + 1] == '(';
  return !word.is_exact() && (declares || makes_array);
}

bool is_flag_with(const Argument& word, char letter) {
  return word.text.starts_with('-') && !word.text.starts_with("--") && word.text.find(letter) != std::string::npos;
}

}  // namespace

void Walker::apply_effects(const CommandUse& use) {
  std::size_t first = 0;
  while (first + 1 < use.words.size() && (use.words[first].text == "command" || use.words[first].text == "builtin") &&
         use.words[first].is_exact()) {
    ++first;
  }
  const Argument& name = use.words[first];
  const std::string& command = name.text;
  if (!name.is_exact() || functions_.contains(command)) {  // it may be any builtin
    lose_track();
    return escape();
  }
  if (command == "break" || command == "continue") return escape();
  const auto words = std::span(use.words).subspan(first + 1);
  if (contains(kTextRunners, command) && !words.empty()) {
    note(NoteKind::runs_text, command + " turns text into commands");
    return lose_track();
  }
  if (command == "cd") return change_directory(words);
  if (command == "pushd" || command == "popd") return lose_directory();
  if (command == "test" || command == "[") return note_test(words);
  if (command == "shopt" || command == "set") return note_option(command, words);
  if (command == "printf" || contains(kVariableSetters, command)) return set_by_builtin(command, words);
}

void Walker::lose_track() {
  state_.taint();
  lose_directory();
}

void Walker::lose_directory() {
  state_.moved = true;
  state_.directory_known = false;
}

void Walker::note_option(const std::string& command, std::span<const Argument> words) {
  for (const Argument& word : words) {
    const bool changes_reading = !word.is_exact() || word.text == "extglob" || word.text == "expand_aliases" ||
                                 word.text == "posix" || word.text == "keyword" || word.text == "xtrace" ||
                                 (command == "set" && (is_flag_with(word, 'k') || is_flag_with(word, 'x')));
    if (changes_reading) note(NoteKind::runs_text, command + " changes how the rest is read");
  }
}

// test -v looks up an array element and evaluates its index.
void Walker::note_test(std::span<const Argument> words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool looks_up = words[i].is_exact() && (words[i].text == "-v" || words[i].text == "-R");
    const bool is_settled =
        !looks_up || i + 1 == words.size() || (words[i + 1].is_exact() && is_name(words[i + 1].text));
    const bool is_counted = words[i].is_one_word() || (words[i].is_integer && words[i].extent == Extent::many);
    if (!is_settled || !is_counted) {
      note(NoteKind::evaluates, "test may evaluate an index in " + words[is_settled ? i : i + 1].source);
    }
  }
}

void Walker::set_by_builtin(const std::string& command, std::span<const Argument> words) {
  const bool is_printf = command == "printf";
  const bool makes_array = std::ranges::any_of(
      words, [](const Argument& word) { return is_flag_with(word, 'a') || is_flag_with(word, 'A'); });
  for (std::size_t i = 0; i < words.size(); ++i) {
    const Argument& word = words[i];
    if (is_printf && i > 0 && !words[0].text.starts_with("-v") && words[0].text.find("%n") == std::string::npos) break;
    const bool names_variable = !is_printf || i < 2 || words[0].text.find("%n") != std::string::npos;
    const bool has_index = word.text.find('[') != std::string::npos && names_variable;
    const bool is_name_open = !word.is_exact() && word.text.find('=') == std::string::npos;
    const bool changes_kind = is_flag_with(word, 'i') || is_flag_with(word, 'n') || is_flag_with(word, 'C');
    const bool declares = command == "declare" || command == "typeset" || command == "local" || command == "mapfile" ||
                          command == "readarray";
    const bool is_list = may_be_list(command, word, makes_array);
    if (command == "let" || has_index || is_name_open || is_list || (declares && changes_kind)) {
      note(NoteKind::evaluates, command + " may evaluate " + word.source);
    }
    if (!word.is_exact()) {
      state_.taint();
      continue;
    }
    const std::string variable = word.text.substr(0, word.text.find_first_of("=+["));
    if (is_name(variable)) set_variable(variable, Value::anything());
  }
  for (const char* variable : {"REPLY", "MAPFILE", "OPTARG", "OPTIND"}) {
    if (!is_printf) set_variable(variable, Value::anything());
  }
}

// A cd may fail, so where the shell was before stays possible.
void Walker::change_directory(std::span<const Argument> words) {
  state_.moved = true;
  state_.variables.erase("PWD");
  set_variable("OLDPWD", Value::anything());
  if (!words.empty() && words[0].is_exact() && words[0].text == "--") words = words.subspan(1);
  std::string target;
  if (words.empty()) {
    target = surroundings_.home;
  } else if (words.size() == 1 && words[0].is_exact() && words[0].dashless) {
    target = words[0].text;
  }
  if (target.empty() || !state_.directory_known) {
    state_.directory_known = false;
    return;
  }
  const std::vector<std::string> before = state_.directories;
  directories_if_well_.emplace();
  for (const std::string& directory : before) {
    std::string reached = join_paths(directory, target);
    state_.add_directory(reached);
    if (std::ranges::find(*directories_if_well_, reached) == directories_if_well_->end()) {
      directories_if_well_->push_back(std::move(reached));
    }
  }
}

}  // namespace deft::shell
