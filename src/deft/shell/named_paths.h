#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "deft/shell/commands.h"

// Which files the words of a command name. Judged by the words alone, and rather too many than too few: a word that may
// be a path counts as one.

namespace deft::shell {

struct NamedPath {
  std::string path;            // absolute, with its dots; of a pattern: the folder in which it begins
  std::string source;          // as written
  bool is_known = true;        // false: which path it is, or whether it is one, depends on the world
  bool is_pattern = false;     // not known, but something in `path`: *.txt
  std::string glob = {};       // of a pattern: all of it, absolute; empty: more than a pattern
  bool is_written = false;     // opened for writing, removed, or made
  bool is_tree = false;        // everything below it is read
  bool follows_links = false;  // and what links in it lead to
};

// Operands, values of options, and redirections.
std::vector<NamedPath> named_paths(const CommandUse& use);
// The targets of redirections that write, /dev/null aside.
std::vector<NamedPath> written_targets(const CommandUse& use);

// Does it show the content of its operands, or change them?
bool shows_files(std::string_view command);
bool changes_files(const CommandUse& use);

// Every path that the commands name, normal, each once; of a pattern the folder in which it begins. Nothing at all if
// one of them is not known: an unknown value or folder, files that a file or a pipe names, links that are followed,
// text that becomes a command.
std::optional<std::vector<std::string>> touched_paths(const Commands& commands);

// "rm" for "/bin/rm" and "./rm".
std::string_view command_name(std::string_view word);

}  // namespace deft::shell
