#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "deft/shell/commands.h"

// Which files the words of a command name. Judged by the words alone, and rather too many than too few: a word that may
// be a path counts as one.

namespace deft {

struct NamedPath {
  std::string path;         // absolute, with its dots; of a pattern: the folder in which it looks
  std::string source;       // as written
  bool is_known = true;     // false: which path it is, or whether it is one, depends on the world
  bool is_pattern = false;  // not known, but something in `path`: *.txt
  bool is_written = false;  // opened for writing, removed, or made
  bool is_tree = false;     // everything below it is read
};

// Operands, values of options, and redirections.
std::vector<NamedPath> named_paths(const shell::CommandUse& use);
// The targets of redirections that write, /dev/null aside.
std::vector<NamedPath> written_targets(const shell::CommandUse& use);

// Does it show the content of its operands, or change them?
bool shows_files(std::string_view command);
bool changes_files(const shell::CommandUse& use);

}  // namespace deft
